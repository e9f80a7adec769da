// What is wrong with numbers that a tensor holds, found by a kernel: nobody waits for it, so it is
// told by the next call that waits for the device anyway.
#pragma once

#include <atomic>
#include <cstdint>

#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "csrc/device/device.h"

namespace garboard::kernels::cuda {

/// The first that was found, in memory that kernels and the host share.
struct Fault {
  unsigned is_taken;
  unsigned is_whole;  // once all below is written
  char op[48];
  std::int64_t number, bound;  // what was given; a number below the second is needed
};

/// The record of the stream's device. Raises DeviceError.
Fault* fault_record(Stream stream);

/// Raises IndexOutOfRangeError where a kernel has noted something since the last call. A stream of
/// the device has been waited for; others may be at work.
inline void raise_noted(Fault* record) {
  const std::atomic_ref is_whole(record->is_whole), is_taken(record->is_taken);
  if (!is_whole.load(std::memory_order_acquire)) return;
  const Fault found = *record;
  is_whole.store(0, std::memory_order_relaxed);
  is_taken.store(0, std::memory_order_release);  // the next may come
  throw IndexOutOfRangeError(text(found.op, ": ", found.number, "; needed is a number below ",
                                  found.bound,
                                  ". An earlier call on the device met it: what that call gave is "
                                  "not to be used"));
}

}  // namespace garboard::kernels::cuda
