// Elementwise functions made of others, and numbers in even steps.
#pragma once

#include <limits>

#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/op/operators.h"

namespace garboard::composite {

/// NaN and the infinities as numbers: 0, and the largest and smallest of the dtype, where no other
/// is given.
inline Tensor nan_to_num(const Tensor& input, std::optional<Scalar> nan,
                         std::optional<Scalar> positive, std::optional<Scalar> negative) {
  if (!is_floating(input.dtype())) return clone(input);
  const double most = visit_dtype(input.dtype(), []<class T>(Type<T>) {
    return static_cast<double>(std::numeric_limits<T>::max());
  });
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Tensor finite = where(isnan(input), nan.value_or(Scalar::of(0.0)), input);
  const Tensor bounded = where(eq(input, infinity), positive.value_or(Scalar::of(most)), finite);
  return where(eq(input, -infinity), negative.value_or(Scalar::of(-most)), bounded);
}

/// Where |input - other| <= atol + rtol * |other|; infinities of one sign are close.
inline Tensor isclose(const Tensor& input, const Tensor& other, double rtol, double atol,
                      bool equal_nan) {
  if (!(rtol >= 0 && atol >= 0))
    throw ShapeError(text("isclose: rtol ", rtol, " and atol ", atol, "; neither may be negative"));
  const GradModeGuard no_grad(false);
  const Tensor is_same = eq(input, other);
  const auto number = [](const Tensor& x) {
    return x.dtype() == DType::boolean ? to(x, DType::uint8) : x;
  };
  const Tensor x = to(number(input), DType::float64), y = to(number(other), DType::float64);
  const Tensor apart = abs(x - y);
  const Tensor is_near = logical_and(le(apart, abs(y) * rtol + atol), isfinite(apart));
  const Tensor is_close = logical_or(is_same, is_near);
  return equal_nan ? logical_or(is_close, logical_and(isnan(input), isnan(other))) : is_close;
}

/// tensor1 * tensor2, of which addcmul makes its sum. Raises DTypeError where all are bool.
inline Tensor product_to_add(const Tensor& input, const Tensor& a, const Tensor& b) {
  if (promote(input.dtype(), promote(a.dtype(), b.dtype())) == DType::boolean)
    throw DTypeError("addcmul: dtype bool; one with a sum, such as uint8, is needed, use to()");
  return mul(a, b);
}
/// tensor1 / tensor2, of which addcdiv makes its sum. Raises DTypeError for two of integers.
inline Tensor quotient_to_add(const Tensor& a, const Tensor& b) {
  if (!is_floating(promote(a.dtype(), b.dtype())))
    throw DTypeError(text("addcdiv: dtypes ", name_of(a.dtype()), " and ", name_of(b.dtype()),
                          " to divide; a floating one is needed, use to()"));
  return div(a, b);
}

/// `count` numbers from `start` to `end`, both included, in float64: those of the second half are
/// counted from the end.
inline Tensor even_steps(const char* op, double start, double end, std::int64_t count,
                         Device device) {
  if (count < 0) throw ShapeError(text(op, ": steps ", count, "; 0 or more is needed"));
  const GradModeGuard no_grad(false);
  const Tensor place = arange(Scalar::of(0.0), Scalar::of(static_cast<double>(count)),
                              Scalar::of(1.0), DType::float64, device);
  if (count <= 1) return place + start;
  const double step = (end - start) / static_cast<double>(count - 1);
  const Tensor from_end = place * -1.0 + static_cast<double>(count - 1);
  return where(lt(place, static_cast<double>(count / 2)), place * step + start,
               from_end * -step + end);
}

}  // namespace garboard::composite
