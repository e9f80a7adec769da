// What a process may choose of the libraries that compute products and convolutions.
#pragma once

#include <atomic>

namespace garboard::kernels::cuda {

struct Switches {
  /// Whether float32 may be computed in TF32, a format of tensor cores that keeps 10 of its 23
  /// bits.
  std::atomic<bool> tf32_products = false, tf32_convolutions = false;
  std::atomic<bool> uses_cudnn = true;
  /// Whether sums must be taken in one order.
  std::atomic<bool> is_determined = true;
};

/// Of all devices and threads.
inline Switches switches;

}  // namespace garboard::kernels::cuda
