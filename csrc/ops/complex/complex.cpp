#include "csrc/ops/complex/complex.h"

#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/op/operators.h"
#include "csrc/ops/shape/view_of.h"
#include "csrc/ops/shape/views.h"

namespace garboard {
namespace {

constexpr Unary conjugate{
    .name = "conj",
    .summary = "Conjugate `input`.",
    .kernel = kernels::unary<functors::Conjugate>,
    .gradient = [](const Backward& at) -> Grads { return conj(at.grad); },
};

void check_complex(const char* op, const Tensor& input) {
  if (!is_complex(input.dtype()))
    throw DTypeError(
        text(op, ": dtype ", name_of(input.dtype()), "; complex64 or complex128 is needed"));
}

Dims doubled(const Dims& strides) {
  Dims result = strides;
  for (std::int64_t& stride : result) stride *= 2;
  return result;
}

/// The real parts, or the imaginary ones: every second float.
template <class Rule>
Tensor part_of(const char* name, const Tensor& input, int which, Rule rule) {
  return view_of(
      name, input, component_of(input.dtype()),
      [&](Dims& sizes, Dims& strides) {
        sizes = input.sizes();
        strides = doubled(input.strides());
        return input.offset() * 2 + which;
      },
      [&] { return rule; });
}

/// Whether two floats that make a number lie side by side, on a place of even number.
bool lies_in_pairs(const Tensor& input) {
  if (input.ndim() == 0 || input.last_size() != 2 || input.strides().back() != 1) return false;
  bool is_even = input.offset() % 2 == 0;
  for (int i = 0; i + 1 < input.ndim(); ++i) is_even &= input.stride(i) % 2 == 0;
  return is_even;
}

}  // namespace

Tensor conj(const Tensor& input) { return is_complex(input.dtype()) ? conjugate(input) : input; }

Tensor sgn(const Tensor& input) {
  if (!is_complex(input.dtype())) return sign(input);
  const Tensor size = abs(input), is_zero = eq(detach(size), 0.0);
  return where(is_zero, Scalar::of(std::int64_t{0}), input / where(is_zero, 1.0, size));
}

Tensor real(const Tensor& input) {
  if (!is_complex(input.dtype())) return input;
  return part_of("real", input, 0, [](const Backward& at) -> Grads {
    return to(at.grad, complex_of(at.grad.dtype()));
  });
}

Tensor imag(const Tensor& input) {
  check_complex("imag", input);
  return part_of("imag", input, 1, [](const Backward& at) -> Grads {
    return at.grad * Operand(Scalar::of(Complex<double>(0, 1)));
  });
}

Tensor view_as_real(const Tensor& input) {
  check_complex("view_as_real", input);
  check_room("view_as_real", input);
  return view_of(
      "view_as_real", input, component_of(input.dtype()),
      [&](Dims& sizes, Dims& strides) {
        sizes = input.sizes();
        sizes.push_back(2);
        strides = doubled(input.strides());
        strides.push_back(1);
        return input.offset() * 2;
      },
      [] {
        return [](const Backward& at) -> Grads {
          return view_as_complex(lies_in_pairs(at.grad) ? at.grad : row_major_copy(at.grad));
        };
      });
}

Tensor view_as_complex(const Tensor& input) {
  constexpr const char* op = "view_as_complex";
  if (input.dtype() != DType::float32 && input.dtype() != DType::float64)
    throw DTypeError(
        text(op, ": dtype ", name_of(input.dtype()), "; float32 or float64 is needed, use to()"));
  if (!lies_in_pairs(input))
    throw ShapeError(text(op, ": sizes ", input.sizes(), " with strides ", input.strides(),
                          " and offset ", input.offset(),
                          "; a last dim of size 2 and stride 1 is needed, and other strides and an "
                          "offset that are even, as after contiguous()"));
  return view_of(
      op, input, complex_of(input.dtype()),
      [&](Dims& sizes, Dims& strides) {
        for (int i = 0; i + 1 < input.ndim(); ++i) {
          sizes.push_back(input.size(i));
          strides.push_back(input.stride(i) / 2);
        }
        return input.offset() / 2;
      },
      [] { return [](const Backward& at) -> Grads { return view_as_real(at.grad); }; });
}

}  // namespace garboard
