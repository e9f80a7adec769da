// Neighbours in memory that a thread loads or stores at once.
#pragma once

#include "csrc/core/host_device.h"

namespace garboard::kernels::cuda {

template <class T, int elements>
struct alignas(sizeof(T) * elements) AlignedPack {
  T item[elements];

  /// What stands first goes, and `last` comes behind all: every place is known when compiling, so
  /// that a pack stays in registers in a loop that is not unrolled.
  GARBOARD_HD void pass_on(T last) {
    for (int i = 0; i + 1 < elements; ++i) item[i] = item[i + 1];
    item[elements - 1] = last;
  }
};

}  // namespace garboard::kernels::cuda
