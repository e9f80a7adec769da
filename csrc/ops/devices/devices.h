// Whether a device that a user names can be used.
#pragma once

#include "csrc/device/device.h"

namespace garboard {

namespace detail {
void require_other_than_cpu(const char* op, Device device);
}

/// Raises DeviceError in the name of `op` unless `device` can be used. What makes a tensor on a
/// device that the user names calls this first.
inline void require_device(const char* op, Device device) {
  if (!device.is_cpu()) [[unlikely]]
    detail::require_other_than_cpu(op, device);
}

}  // namespace garboard
