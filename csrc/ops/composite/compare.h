// Two tensors compared as wholes: what is asked of every element comes back as one bool.
#pragma once

#include "csrc/ops/composite/elementwise.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/reduce/reduce.h"
#include "csrc/tensor/grad_mode.h"

namespace garboard::composite {

/// Waits for the device.
inline bool is_true_everywhere(const Tensor& tensor) {
  return *static_cast<const bool*>(to(all(tensor), Device{}).data());
}

/// Whether both have the same sizes and elements; NaN equals nothing.
inline bool equal(const Tensor& input, const Tensor& other) {
  const GradModeGuard no_grad(false);
  return input.sizes() == other.sizes() && is_true_everywhere(eq(input, other));
}

/// See isclose().
inline bool allclose(const Tensor& input, const Tensor& other, double rtol, double atol,
                     bool equal_nan) {
  const GradModeGuard no_grad(false);
  return is_true_everywhere(isclose(input, other, rtol, atol, equal_nan));
}

}  // namespace garboard::composite
