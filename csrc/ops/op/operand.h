// What an elementwise op takes: a tensor, or a Python number.
#pragma once

#include "csrc/core/scalar.h"
#include "csrc/tensor/tensor.h"

namespace garboard {

/// Borrows its tensor: for arguments only.
struct Operand {
  Operand(const Tensor& given) : tensor(&given) {}
  Operand(Scalar given) : scalar(given) {}
  Operand(double given) : scalar(Scalar::of(given)) {}

  const Tensor* tensor = nullptr;
  Scalar scalar;
};

}  // namespace garboard
