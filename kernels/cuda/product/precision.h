// What of float32 may be computed in TF32, a format of tensor cores that keeps 10 of its 23 bits.
#pragma once

#include <atomic>

namespace garboard::kernels::cuda {

struct Precision {
  std::atomic<bool> tf32_products = false, tf32_convolutions = false;
};

/// Of all devices and threads.
inline Precision precision;

}  // namespace garboard::kernels::cuda
