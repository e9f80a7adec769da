// How a kernel says that a number it was given is wrong.
#pragma once

#include "kernels/cuda/launch/fault_record.h"
#include "kernels/cuda/launch/launch.h"

namespace garboard::kernels::cuda {

/// Notes that `op` met `number` where [0, bound) is needed. What was noted first stays.
__device__ inline void note_fault(Fault* record, const char* op, std::int64_t number,
                                  std::int64_t bound) {
  if (atomicCAS(&record->is_taken, 0U, 1U) != 0U) return;
  // Letter by letter: a text that a kernel knows lies where the host cannot read it.
  constexpr int most = sizeof(record->op) - 1;
  int length = 0;
  for (; length < most && op[length] != 0; ++length) record->op[length] = op[length];
  record->op[length] = 0;
  record->number = number;
  record->bound = bound;
  __threadfence_system();  // whoever sees the next line sees those before it
  record->is_whole = 1;
}

}  // namespace garboard::kernels::cuda
