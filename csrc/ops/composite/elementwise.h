// Elementwise functions made of others, and numbers in even steps.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <optional>

#include "csrc/core/default_dtype.h"
#include "csrc/core/error.h"
#include "csrc/ops/complex/complex.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/create/grow.h"
#include "csrc/ops/elementwise/activations.h"
#include "csrc/ops/elementwise/special.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/elementwise/transcendental.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/fuse/expression.h"
#include "csrc/ops/op/destination.h"
#include "csrc/ops/op/operators.h"
#include "csrc/ops/op/promotion.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/shape/views.h"
#include "csrc/tensor/sizes.h"
#include "kernels/run.h"

namespace garboard::composite {

/// NaN and the infinities as numbers: 0, and the largest and smallest of the dtype, where no other
/// is given.
inline Tensor nan_to_num(const Tensor& input, std::optional<Scalar> nan,
                         std::optional<Scalar> positive, std::optional<Scalar> negative) {
  if (is_complex(input.dtype())) {
    const Tensor parts = view_as_real(input);
    return view_as_complex(nan_to_num(parts, nan, positive, negative));
  }
  if (!is_floating(input.dtype())) return row_major_copy(input);
  const double most = visit_floating(input.dtype(), []<class T>(Type<T>) {
    return static_cast<double>(std::numeric_limits<T>::max());
  });
  if (!positive && !negative) return finite_number(input, nan.value_or(Scalar::of(0.0)), most);
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
  broadcast_sizes("isclose", input.sizes(), other.sizes());
  const GradModeGuard no_grad(false);
  const Tensor is_same = eq(input, other);
  const auto number = [](const Tensor& x) {
    return x.dtype() == DType::boolean ? to(x, DType::uint8) : x;
  };
  const bool any_complex = is_complex(input.dtype()) || is_complex(other.dtype());
  const DType dtype = any_complex ? DType::complex128 : DType::float64;
  const Tensor x = to(number(input), dtype), y = to(number(other), dtype);
  const Tensor apart = abs(x - y);
  const Tensor is_near = logical_and(le(apart, abs(y) * rtol + atol), isfinite(apart));
  const Tensor is_close = logical_or(is_same, is_near);
  return equal_nan ? logical_or(is_close, logical_and(isnan(input), isnan(other))) : is_close;
}

/// What is left of a number without its integer part, with its sign.
inline Tensor frac(const Tensor& input) {
  if (input.dtype() == DType::boolean)
    throw DTypeError("frac: dtype bool; a number is needed, convert with to()");
  if (!is_floating(input.dtype())) return of<sub>(input, of<trunc>(input)).made();
  return fraction(input);
}

/// sin(pi x) / (pi x), and 1 at 0: near it a series, which has all derivatives. Half types are
/// computed with in float32.
inline Tensor sinc(const Tensor& input) {
  const Tensor x = to(input, widened(input.dtype()));
  const Tensor is_small = lt(abs(detach(x)), 0.05);
  const Tensor angle = where(is_small, 1.0, x) * std::numbers::pi;
  const Tensor squared = square(where(is_small, x, 0.0) * std::numbers::pi);
  Tensor series = squared * (-1.0 / 39916800) + 1.0 / 362880;
  for (const double term : {-1.0 / 5040, 1.0 / 120, -1.0 / 6, 1.0})
    series = series * squared + term;
  const Tensor result = where(is_small, series, sin(angle) / angle);
  return is_half(input.dtype()) ? to(result, input.dtype()) : result;
}

inline Tensor deg2rad(const Tensor& input) { return input * (std::numbers::pi / 180); }
inline Tensor rad2deg(const Tensor& input) { return input * (180 / std::numbers::pi); }

/// ln(x / (1 - x)); with `margin`, of x within [margin, 1 - margin], or, where that is empty, below
/// margin of the first and else of the second. By two logarithms, whose
/// slopes are infinite at 0 and 1 where that of a quotient would be NaN. Half types are computed
/// with in float32.
inline Tensor logit(const Tensor& input, std::optional<double> margin) {
  if (is_complex(input.dtype())) refuse_complex("logit", input.dtype());
  const DType dtype = is_floating(input.dtype()) ? input.dtype() : default_floating();
  const Tensor x = to(input, widened(dtype));
  const auto bounded = [&](double low, double high) {  // a bound itself has the slope of its place
    return where(lt(x, low), Scalar::of(low), where(gt(x, high), Scalar::of(high), x));
  };
  const Tensor share = margin ? bounded(*margin, 1 - *margin) : x;
  const Tensor rest = share * -1.0 + 1.0;
  return to(log(share) - log(rest), dtype);
}

inline Tensor positive(const Tensor& input) {
  if (input.dtype() == DType::boolean)
    throw DTypeError("positive: dtype bool; a number is needed, convert with to()");
  return input;
}

template <bool is_positive>
Tensor is_infinity(const Tensor& input) {
  if (!has_gradient(input.dtype())) return zeros(input.sizes(), DType::boolean, input.device());
  return eq(input, is_positive ? HUGE_VAL : -HUGE_VAL);
}

/// Rounds to so many decimals but 0, to tens where they are negative. Half types are scaled in
/// float32.
inline Tensor rounded_to(const Tensor& input, std::int64_t decimals) {
  if (!is_floating(input.dtype()))
    throw DTypeError(text("round: dtype ", name_of(input.dtype()), " to ", decimals,
                          " decimals; a floating one is needed, use to()"));
  const double scale = std::pow(10.0, std::abs(static_cast<double>(decimals)));
  const Tensor x = to(input, widened(input.dtype()));
  const Expression rounded = decimals < 0 ? of<mul>(of<round>(of<div>(x, scale)), scale)
                                          : of<div>(of<round>(of<mul>(x, scale)), scale);
  return to(rounded.made(), input.dtype());
}

namespace detail {

/// Raises ShapeError, as the op that makes a result would, before its operands are made.
inline void check_result(const char* op, const Operand& a, const Operand& b, DType dtype) {
  const Dims none{};
  checked_count(
      op,
      broadcast_sizes(op, a.tensor ? a.tensor->sizes() : none, b.tensor ? b.tensor->sizes() : none),
      dtype);
}

/// An operand in `dtype`; a number as a tensor without dims.
inline Tensor tensor_in(const Operand& operand, DType dtype, Device device) {
  return operand.tensor ? to(*operand.tensor, dtype) : scalar_tensor(operand.scalar, dtype, device);
}

}  // namespace detail

/// input^exponent in float64, or in complex128 where one is complex.
inline Tensor float_power(const Operand& input, const Operand& exponent) {
  const Device device = common_device("float_power", {&input, &exponent});
  const bool any_complex = is_complex(result_dtype({&input, &exponent}));
  const DType dtype = any_complex ? DType::complex128 : DType::float64;
  detail::check_result("float_power", input, exponent, dtype);
  const Tensor power = detail::tensor_in(exponent, dtype, device);
  if (!input.tensor) return pow(input, power);
  return pow(detail::tensor_in(input, dtype, device), power);
}

/// input * 2^other, in a floating dtype.
inline Tensor ldexp(const Tensor& input, const Operand& other) {
  if (!other.tensor && other.scalar.category == Category::complex)
    return input * pow(Operand(2.0), scalar_tensor(other.scalar, DType::complex128));
  if (!other.tensor) return input * std::exp2(other.scalar.real);
  const DType powers = is_floating(other.tensor->dtype()) ? other.tensor->dtype()
                       : is_floating(input.dtype())       ? input.dtype()
                                                          : default_floating();
  const DType dtype = promote(input.dtype(), powers);
  detail::check_result("ldexp", input, other, dtype);
  if (!is_half(dtype)) return input * pow(Operand(2.0), *other.tensor);
  return to(to(input, DType::float32) * pow(Operand(2.0), to(*other.tensor, DType::float32)),
            dtype);
}

inline Tensor lcm(const Operand& a, const Operand& b) {
  const DType dtype = result_dtype({&a, &b});
  if (category_of(dtype) != Category::integer)
    throw DTypeError(text("lcm: dtype ", name_of(dtype), "; an integer one is needed, use to()"));
  detail::check_result("lcm", a, b, dtype);
  return abs(floor_divide(a, gcd(a, b)) * b);
}

/// a / b, rounded towards 0; of two integers that is an integer.
inline Tensor truncated_quotient(const Operand& a, const Operand& b) {
  if (is_floating(result_dtype({&a, &b}))) return div_truncated(a, b);
  return floor_divide(sub(a, fmod(a, b)), b);  // exact, so nothing is rounded
}

/// Raises ShapeError, DTypeError, DeviceError or GradientError where `made` cannot be written into
/// `out`, which is the op's first operand where that is `in_place`.
inline void check_takes(const char* op, const Tensor& out, const Tensor& made, bool in_place) {
  if (!in_place && is_grad_enabled() && (made.requires_grad() || out.requires_grad()))
    throw GradientError(text(op,
                             ": out= given while an input or out requires grad, and writing into "
                             "out is not recorded; call it inside no_grad(), or without out="));
  check_writable(op, out);
  if (out.device() != made.device())
    throw DeviceError(text(op, ": out is on ", out.device(), ", the inputs on ", made.device(),
                           "; they must be on one device"));
  if (category_of(out.dtype()) < category_of(made.dtype()))
    throw DTypeError(text(op, ": a result of ", name_of(made.dtype()), " does not fit into ",
                          name_of(out.dtype()), "; convert first, with to()"));
  if (out.sizes() != made.sizes() && (in_place || !can_grow(out)))
    throw ShapeError(text(op, ": out has sizes ", out.sizes(), ", the result ", made.sizes(),
                          "; they must be equal"));
}

/// Writes what an op of others made into `out`, unless `check_takes` raises.
inline void write_made(const char* op, const Tensor& out, const Tensor& made, bool in_place) {
  check_takes(op, out, made, in_place);
  grow_empty(op, out, made.sizes());
  copy_(out, made);
}

/// `count` numbers from `start` to `end`, both included, computed in float64: those of the second
/// half are counted from the end. Those of float32 are a step apart that is rounded to it, as in
/// PyTorch: where they are compared with whole numbers, the last bit decides.
inline Tensor even_steps(const char* op, double start, double end, std::int64_t count, DType dtype,
                         Device device) {
  if (count < 0) throw ShapeError(text(op, ": steps ", count, "; 0 or more is needed"));
  const GradModeGuard no_grad(false);
  if (count == 1) end = start;
  const double gaps = static_cast<double>(count - 1);
  const bool is_single = dtype == DType::float32;
  if (is_single) start = static_cast<float>(start), end = static_cast<float>(end);
  const double step =
      count == 1  ? 0.0
      : is_single ? (static_cast<float>(end) - static_cast<float>(start)) / static_cast<float>(gaps)
                  : (end - start) / gaps;
  const std::int64_t half = count / 2, most = device.is_cpu() ? std::int64_t{1} << 14 : count;
  const Tensor result = result_of(op, {count}, dtype, device);
  for (std::int64_t first = 0; first < count; first += most) {  // on the CPU in its caches
    const std::int64_t length = std::min(most, count - first);
    const Tensor place = arange(Scalar::of(static_cast<double>(first)),
                                Scalar::of(static_cast<double>(first + length)), Scalar::of(1.0),
                                DType::float64, device);
    const std::int64_t before = std::clamp<std::int64_t>(half - first, 0, length);
    if (before > 0) {
      const Tensor head = narrow(place, 0, 0, before);
      mul.apply_in_place(head, step);
      add.apply_in_place(head, start);
    }
    if (before < length) {
      const Tensor tail = narrow(place, 0, before, length - before);
      sub.apply_in_place(tail, gaps);
      mul.apply_in_place(tail, step);
      add.apply_in_place(tail, end);
    }
    kernels::run(kernels::Copy{narrow(result, 0, first, length).view(), place.view()}, device);
  }
  return result;
}

}  // namespace garboard::composite
