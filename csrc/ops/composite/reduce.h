// Reductions made of other ops.
#pragma once

#include <limits>

#include "csrc/core/default_dtype.h"
#include "csrc/ops/complex/complex.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/op/operators.h"
#include "csrc/ops/reduce/reduce.h"
#include "csrc/ops/shape/views.h"

namespace garboard::composite {

/// log(sum(exp(x))) along `dims`: the largest element is taken out first, so that nothing
/// overflows. Of complex numbers that is the largest real part.
inline Tensor logsumexp(const Tensor& input, const Dims& dims, bool keepdim) {
  const Tensor x =
      to(input, has_gradient(input.dtype()) ? widened(input.dtype()) : default_floating());
  if (x.count() == 0) return log(sum(exp(x), {dims, keepdim}));
  Tensor largest = amax(real(detach(x)), {dims, true});
  largest = where(isfinite(largest), largest, 0.0);
  const Tensor total = sum(exp(x - largest), {dims, keepdim});
  const Tensor is_nothing = eq(total, 0.0);  // all are -inf: no gradient passes
  const Tensor result = log(where(is_nothing, 1.0, total)) + reshape(largest, total.sizes());
  return to(where(is_nothing, -std::numeric_limits<double>::infinity(), result),
            has_gradient(input.dtype()) ? input.dtype() : x.dtype());
}

}  // namespace garboard::composite
