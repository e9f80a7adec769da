// Devices to try allocations on: memory of any capacity behind the same allocator as everywhere,
// and kernels that return at once. Elements are never computed: copied to another device they are
// 0.
#pragma once

#include <cstddef>

#include "csrc/device/device.h"

namespace garboard {

struct SimulatedMemory {
  std::size_t capacity_bytes = 0;
  /// Held by others from the beginning: another process, or a driver's own share.
  std::size_t taken_bytes = 0;
};

/// Opens a device with nothing on it, its counters at 0. Raises DeviceError where all
/// max_simulated_devices are open, and where less than one granule of 2 MiB would be free.
Device open_simulated_device(const SimulatedMemory& memory);

/// Raises DeviceError, and leaves it open, where something lives on it.
void close_simulated_device(Device device);

/// Closes it now, or, where something lives on it, once a device is opened and that has ended.
void abandon_simulated_device(Device device) noexcept;

/// Raises DeviceError in the name of `op` unless the simulated device `device` is open.
void require_simulated(const char* op, Device device);

}  // namespace garboard
