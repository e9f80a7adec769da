// For gradient rules that read an operand, whatever it was.
#pragma once

#include "csrc/ops/create/create.h"
#include "csrc/ops/op/op.h"

namespace garboard {

/// A kept operand: the tensor, or the number it was.
struct Kept {
  Kept(const Backward& at, int i) {
    if (const Scalar* const kept = at.node().kept_scalar(i)) {
      scalar = *kept;
    } else {
      tensor = at.input(i);
    }
  }
  operator Operand() const { return tensor ? Operand(tensor) : Operand(scalar); }

  Tensor tensor;
  Scalar scalar;
};

/// What stands where no gradient comes from, in any dtype.
inline Operand zero_operand() { return Scalar::of(std::int64_t{0}); }

/// What backward kept of operand `i`; a number as a tensor without dims.
inline Tensor kept_operand(const Backward& at, int i) {
  const Scalar* const number = at.node().kept_scalar(i);
  return number ? scalar_tensor(*number, at.grad.dtype(), at.grad.device()) : at.input(i);
}

}  // namespace garboard
