// Arithmetic on tensors as C++ writes it, for gradient rules and for users of the library.
#pragma once

#include "csrc/ops/op/operand.h"

namespace garboard {

Tensor operator+(const Tensor& a, const Operand& b);
Tensor operator-(const Tensor& a, const Operand& b);
Tensor operator*(const Tensor& a, const Operand& b);
Tensor operator/(const Tensor& a, const Operand& b);
Tensor operator-(const Tensor& a);

}  // namespace garboard
