// What the library asks of a kind of device.
#pragma once

#include "csrc/device/device.h"

namespace garboard {

namespace kernels {
struct Table;
}

/// All are thread-safe.
struct Backend {
  /// Raises DeviceError in the name of `op` unless `device` can be used. Asked before anything
  /// lives on a device that a user names: it opens what the device needs.
  void (*require)(const char* op, Device device);
  /// Waits until the work queued on `device` is done. Raises DeviceError if some of it failed.
  void (*synchronize)(Device device);
  /// What computes. Its elements may lie beside those of the CPU's kernels, or out of reach.
  const kernels::Table& (*table)();
  /// Otherwise its kernels do nothing, and what is copied from it is 0.
  bool computes = true;
  /// Otherwise it does not compute either, and whoever asks for a value is refused.
  bool has_values = true;
  /// Whether its allocator may move memory behind other addresses: see MovingPolicy.
  bool moves_memory = true;
};

/// Of a kind on the roll call; specialised where the kind lives.
template <DeviceKind kind>
const Backend& backend() noexcept;

/// Gives the free line of the roll call a name and a backend, for good. Raises DeviceError where
/// another has it, or a kind has the name.
DeviceKind add_backend(const char* name, const Backend& backend);

const Backend& backend_of(Device device) noexcept;

[[noreturn]] void refuse_values(const char* op, Device device);

/// Whether its kernels compute anything.
inline bool computes(Device device) { return device.is_cpu() || backend_of(device).computes; }

/// Raises DeviceError in the name of `op`, which needs to know elements on `device`, unless there
/// are any.
inline void require_values(const char* op, Device device) {
  if (!device.is_cpu() && !backend_of(device).has_values) [[unlikely]]
    refuse_values(op, device);
}

}  // namespace garboard
