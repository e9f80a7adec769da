// For gradient rules that read an operand, whatever it was.
#pragma once

#include "csrc/ops/create/create.h"
#include "csrc/ops/op/op.h"

namespace garboard {

/// What backward kept of operand `i`; a number as a tensor without dims.
inline Tensor kept_operand(const Backward& at, int i) {
  const Scalar* const number = at.node().kept_scalar(i);
  return number ? scalar_tensor(*number, at.grad.dtype(), at.grad.device()) : at.input(i);
}

}  // namespace garboard
