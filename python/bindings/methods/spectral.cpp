// Fourier transforms, as garboard.fft calls them, by the names they have in PyTorch.
#include "csrc/core/error.h"
#include "csrc/ops/spectral/fourier.h"
#include "python/bindings/call/methods.h"

namespace garboard::python {
namespace {

constexpr Doc part_of_fft{
    .summary = "Transform for garboard.fft, which documents it.",
};

/// PyTorch's numbers: 0 for nothing, 1 for the root of the number of elements, 2 for that number.
FourierScale scale_of(OpName op, std::int64_t normalization) {
  if (normalization < 0 || normalization > 2)
    throw ShapeError(text(op.text, ": normalization=", normalization, "; 0, 1 or 2 is needed"));
  return static_cast<FourierScale>(normalization);
}

constexpr std::array spectral_rows{
    bind(
        "_fft_c2c", "input: Tensor, dim: Size, normalization: int, forward: bool", part_of_fft,
        [](OpName op, const Tensor& input, const Dims& dims, std::int64_t normalization,
           bool forward) { return fft_c2c(input, dims, scale_of(op, normalization), forward); },
        Place::functional),
    bind(
        "_fft_r2c", "input: Tensor, dim: Size, normalization: int, onesided: bool", part_of_fft,
        [](OpName op, const Tensor& input, const Dims& dims, std::int64_t normalization,
           bool onesided) { return fft_r2c(input, dims, scale_of(op, normalization), onesided); },
        Place::functional),
    bind(
        "_fft_c2r", "input: Tensor, dim: Size, normalization: int, last_dim_size: int", part_of_fft,
        [](OpName op, const Tensor& input, const Dims& dims, std::int64_t normalization,
           std::int64_t last_size) {
          return fft_c2r(input, dims, scale_of(op, normalization), last_size);
        },
        Place::functional),
};

}  // namespace

void add_spectral_functions() { add_table<spectral_rows>(); }

}  // namespace garboard::python
