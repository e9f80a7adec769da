// What is wrong with numbers that a tensor holds, found by a kernel: nobody waits for it, so it is
// told by the next call that waits for the device anyway.
#pragma once

#include <cstdint>

#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "csrc/device/device.h"

namespace garboard::kernels::cuda {

/// The first that was found, in memory that kernels and the host share.
struct Fault {
  unsigned is_taken;
  char op[48];
  std::int64_t number, bound;  // what was given; a number below the second is needed
};

/// The record of the stream's device. Raises DeviceError.
Fault* fault_record(Stream stream);

/// Raises IndexOutOfRangeError where a kernel has noted something since the last call. The device
/// has been waited for.
inline void raise_noted(Fault* record) {
  if (!record->is_taken) return;
  const Fault found = *record;
  *record = {};
  throw IndexOutOfRangeError(text(found.op, ": ", found.number, "; needed is a number below ",
                                  found.bound,
                                  ". An earlier call on the device met it: what that call gave is "
                                  "not to be used"));
}

}  // namespace garboard::kernels::cuda
