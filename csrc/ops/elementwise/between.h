// The gradient of what is bounded by two numbers.
#pragma once

#include <limits>

#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/fuse/expression.h"

namespace garboard {

/// `gradient` where `low` < `x` < `high`, else 0, at NaN as said. An infinite bound bounds nothing.
template <bool nan_passes>
Tensor between(const Tensor& x, const Scalar& low, const Scalar& high, const Tensor& gradient) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto bounded = [&]<const Binary & is_beyond, const Binary & is_inside>(
                           const Expression& passed, const Scalar& bound) -> Expression {
    if constexpr (nan_passes)
      return of<where>(of<is_beyond>(x, bound), 0.0, passed);
    else
      return of<where>(of<is_inside>(x, bound), passed, 0.0);
  };
  Expression passed = gradient;
  if (!low.is(-infinity)) passed = bounded.template operator()<le, gt>(passed, low);
  if (!high.is(infinity)) passed = bounded.template operator()<ge, lt>(passed, high);
  return passed.made();
}

}  // namespace garboard
