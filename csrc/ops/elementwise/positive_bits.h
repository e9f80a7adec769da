// What a rule keeps of a large output of which it asks only whether elements are at most 0: a bit
// for each, where the output itself may be kept for nobody else. NaN counts as positive.
#pragma once

#include "csrc/tensor/tensor.h"

namespace garboard {

/// Whether bits are kept of `output`: of small ones they are not worth a kernel.
bool is_worth_bits(const Tensor& output);

/// Of `x`, which `is_worth_bits`: uint8, of one dim, without history. Bit i % 8 of byte i / 8 is
/// of element i.
Tensor positive_bits(const Tensor& x);

/// The gradient where the bits of `positive_bits` are set, else 0; written over `gradient` where
/// nobody else can see that. Recorded, as it is linear in the gradient.
Tensor where_positive(const Tensor& gradient, const Tensor& bits);

}  // namespace garboard
