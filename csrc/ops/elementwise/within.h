// The gradient of what is bounded by two numbers.
#pragma once

#include <limits>

#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/fuse/expression.h"

namespace garboard {

/// `gradient`, but 0 where `is_below(x, low)` or `is_above(x, high)`: comparisons, which say
/// whether a bound itself is beyond. An infinite one bounds nothing.
template <const Binary& is_below, const Binary& is_above>
Tensor within(const Tensor& x, const Scalar& low, const Scalar& high, const Tensor& gradient) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Expression passed = gradient;
  if (!low.is(-infinity)) passed = of<where>(of<is_below>(x, low), 0.0, passed);
  if (!high.is(infinity)) passed = of<where>(of<is_above>(x, high), 0.0, passed);
  return passed.made();
}

}  // namespace garboard
