#include "csrc/ops/spectral/fourier.h"

#include <cmath>

#include "csrc/core/error.h"
#include "csrc/device/backend.h"
#include "csrc/ops/complex/complex.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/op/operators.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/shape/join.h"
#include "csrc/ops/shape/views.h"
#include "kernels/run.h"

namespace garboard {
namespace {

constexpr const char* complex_op = "fft_c2c";
constexpr const char* of_reals_op = "fft_r2c";
constexpr const char* to_reals_op = "fft_c2r";

double factor_of(FourierScale scale, std::int64_t count) {
  if (scale == FourierScale::one) return 1;
  const auto all = static_cast<double>(count);
  return 1 / (scale == FourierScale::root ? std::sqrt(all) : all);
}

/// The dims from 0 on, each once.
Dims places_of(const char* op, const Tensor& input, const Dims& dims) {
  Dims found;
  for (const std::int64_t dim : dims) found.push_back(checked_dim(op, dim, input.ndim()));
  distinct_dims(op, found, input.ndim());
  return found;
}

std::int64_t count_along(const Tensor& x, const Dims& dims) {
  std::int64_t count = 1;
  for (const std::int64_t dim : dims) count *= x.size(static_cast<int>(dim));
  return count;
}

Dims without_last(const Dims& dims) { return Dims::of(dims.data(), dims.size() - 1); }

void check_sizes(const char* op, const Tensor& x, const Dims& dims) {
  for (const std::int64_t dim : dims)
    if (x.size(static_cast<int>(dim)) == 0)
      throw ShapeError(
          text(op, ": sizes ", x.sizes(), "; at least 1 element along dim ", dim, " is needed"));
}

void run(const Tensor& out, const Tensor& x, std::int64_t dim, bool is_back, double scale) {
  kernels::run(
      kernels::FourierTransform{out.view(), x.view(), static_cast<int>(dim), is_back, scale},
      out.device());
}

/// Along `dims`, of `x` or in place; the first of them scales.
void run_complex(const Tensor& out, const Tensor& x, const Dims& dims, bool is_back, double scale) {
  const Tensor* given = &x;
  for (int i = dims.size() - 1; i >= 0; --i) {
    run(out, *given, dims[i], is_back, scale);
    given = &out;
    scale = 1;
  }
}

/// What the elements of a first half count along `dim`: the first of them, and the middle of an
/// even size, once, the others `others` times.
Tensor counts(const Tensor& half, std::int64_t dim, std::int64_t size, double others) {
  const auto filled = [&](std::int64_t count, double value) {
    return full({count}, Scalar::of(value), component_of(half.dtype()), half.device());
  };
  const std::int64_t length = half.size(static_cast<int>(dim)), last = size % 2 ? 0 : 1;
  const Tensor all =
      length == 1 ? filled(1, 1)
                  : cat({filled(1, 1), filled(length - 1 - last, others), filled(last, 1)}, 0);
  Dims sizes = Dims::filled(half.ndim(), 1);
  sizes[static_cast<int>(dim)] = length;
  return view(all, sizes);
}

/// What `run(out, x)` writes, unrecorded. A device that has no transforms has the host compute
/// them.
template <class Run>
Tensor made(const char* op, const Tensor& input, const Dims& sizes, DType dtype, Run run) {
  const GradModeGuard no_grad(false);
  const Device device = input.device(), host = computes(device) ? Device() : device;
  const Tensor out = empty_of(op, sizes, dtype, host);
  if (out.count() > 0) run(out, to(input, host));
  return to(out, device);
}

/// Recorded; `places` are dims from 0 on.
Tensor of_complex(const Tensor& input, const Dims& places, FourierScale scale, bool forward) {
  const double factor = factor_of(scale, count_along(input, places));
  const Tensor out = made(
      complex_op, input, input.sizes(), input.dtype(),
      [&](const Tensor& to, const Tensor& x) { run_complex(to, x, places, !forward, factor); });
  record(complex_op, out, {input}, Keep::nothing,
         [places, scale, forward](const Backward& at) -> Grads {
           return of_complex(at.grad, places, scale, !forward);
         });
  return out;
}

/// All of it, of real numbers.
Tensor of_reals_whole(const Tensor& input, const Dims& places, FourierScale scale) {
  const auto last = static_cast<int>(places.back());
  const double factor = factor_of(scale, count_along(input, places));
  const Tensor out = made(of_reals_op, input, input.sizes(), complex_of(input.dtype()),
                          [&](const Tensor& to, const Tensor& x) {
                            run(to, x, last, false, factor);
                            run_complex(to, to, without_last(places), false, 1);
                          });
  record(of_reals_op, out, {input}, Keep::nothing, [places, scale](const Backward& at) -> Grads {
    return row_major_copy(real(of_complex(at.grad, places, scale, false)));
  });
  return out;
}

Tensor to_reals(const Tensor& input, const Dims& places, FourierScale scale, std::int64_t size);

/// The first half.
Tensor of_reals(const Tensor& input, const Dims& places, FourierScale scale) {
  const auto last = static_cast<int>(places.back());
  const std::int64_t size = input.size(last);
  const double factor = factor_of(scale, count_along(input, places));
  Dims sizes = input.sizes();
  sizes[last] = size / 2 + 1;
  const Tensor out = made(of_reals_op, input, sizes, complex_of(input.dtype()),
                          [&](const Tensor& to, const Tensor& x) {
                            run(to, x, last, false, factor);
                            run_complex(to, to, without_last(places), false, 1);
                          });
  // The way back meets the mirror image, too, of which nothing came.
  record(of_reals_op, out, {input}, Keep::nothing,
         [places, scale, size, last](const Backward& at) -> Grads {
           return to_reals(at.grad * counts(at.grad, last, size, 0.5), places, scale, size);
         });
  return out;
}

Tensor to_reals(const Tensor& input, const Dims& places, FourierScale scale, std::int64_t size) {
  const auto last = static_cast<int>(places.back());
  const Dims others = without_last(places);
  const double factor = factor_of(scale, count_along(input, others) * size);
  Dims sizes = input.sizes();
  sizes[last] = size;
  const auto run_all = [&](const Tensor& to, const Tensor& x) {
    if (others.empty()) return run(to, x, last, true, factor);
    const Tensor between = empty_of(to_reals_op, x.sizes(), x.dtype(), x.device());
    run_complex(between, x, others, true, 1);
    run(to, between, last, true, factor);
  };
  const Tensor out = made(to_reals_op, input, sizes, component_of(input.dtype()), run_all);
  record(to_reals_op, out, {input}, Keep::nothing,
         [places, scale, size, last](const Backward& at) -> Grads {
           const Tensor half = of_reals(at.grad, places, scale);
           return half * counts(half, last, size, 2);
         });
  return out;
}

void require_complex(const char* op, const Tensor& input) {
  if (!is_complex(input.dtype()))
    throw DTypeError(text(op, ": dtype ", name_of(input.dtype()), "; a complex one is needed"));
}

void require_dims(const char* op, const Dims& dims) {
  if (dims.empty()) throw ShapeError(text(op, ": no dims; at least one is needed"));
}

}  // namespace

Tensor fft_c2c(const Tensor& input, const Dims& dims, FourierScale scale, bool forward) {
  require_complex(complex_op, input);
  const Dims places = places_of(complex_op, input, dims);
  if (places.empty()) return clone(input);
  check_sizes(complex_op, input, places);
  return of_complex(input, places, scale, forward);
}

Tensor fft_r2c(const Tensor& input, const Dims& dims, FourierScale scale, bool onesided) {
  if (input.dtype() != DType::float32 && input.dtype() != DType::float64)
    throw DTypeError(
        text(of_reals_op, ": dtype ", name_of(input.dtype()), "; float32 or float64 is needed"));
  require_dims(of_reals_op, dims);
  const Dims places = places_of(of_reals_op, input, dims);
  check_sizes(of_reals_op, input, places);
  return onesided ? of_reals(input, places, scale) : of_reals_whole(input, places, scale);
}

Tensor fft_c2r(const Tensor& input, const Dims& dims, FourierScale scale, std::int64_t last_size) {
  require_complex(to_reals_op, input);
  require_dims(to_reals_op, dims);
  const Dims places = places_of(to_reals_op, input, dims);
  const std::int64_t have = input.size(static_cast<int>(places.back()));
  if (last_size < 1 || last_size / 2 + 1 != have)
    throw ShapeError(text(to_reals_op, ": ", have, " elements for ", last_size,
                          " real numbers; n / 2 + 1 for n of them, 1 at least, are needed"));
  check_sizes(to_reals_op, input, places);
  return to_reals(input, places, scale, last_size);
}

}  // namespace garboard
