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
  Expression passed = gradient;
  if (!low.is(-infinity))
    passed = nan_passes ? of<where>(of<le>(x, low), 0.0, passed)
                        : of<where>(of<gt>(x, low), passed, 0.0);
  if (!high.is(infinity))
    passed = nan_passes ? of<where>(of<ge>(x, high), 0.0, passed)
                        : of<where>(of<lt>(x, high), passed, 0.0);
  return passed.made();
}

}  // namespace garboard
