// How a kernel says that a number it was given is wrong.
#pragma once

#include "kernels/cuda/launch/fault_record.h"
#include "kernels/cuda/launch/launch.h"

namespace garboard::kernels::cuda {

/// Notes that `op` met `number` where [0, bound) is needed. What was noted first stays.
__device__ inline void note_fault(Fault* record, const char* op, std::int64_t number,
                                  std::int64_t bound) {
  if (atomicCAS(&record->is_taken, 0U, 1U) != 0U) return;
  record->op = op;
  record->number = number;
  record->bound = bound;
}

}  // namespace garboard::kernels::cuda
