// Whether a device that a user names can be used, and whether its work is done.
#pragma once

#include "csrc/device/backend.h"

namespace garboard {

/// Raises DeviceError in the name of `op` unless `device` can be used. What makes a tensor on a
/// device that the user names calls this first.
inline void require_device(const char* op, Device device) {
  if (!device.is_cpu()) [[unlikely]]
    backend_of(device).require(op, device);
}

/// Waits until the work queued on a device is done. Raises DeviceError if some of it failed.
inline void synchronize(Device device) { backend_of(device).synchronize(device); }

}  // namespace garboard
