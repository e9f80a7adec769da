// Names a device, and the line of work on it.
#pragma once

#include <cstdint>
#include <ostream>

namespace garboard {

enum class DeviceKind : std::uint8_t { cpu, cuda };

inline constexpr int max_cuda_devices = 8;
/// Bytes are booked per device: the CPU first, then the CUDA devices.
inline constexpr int max_devices = 1 + max_cuda_devices;

struct Device {
  DeviceKind kind = DeviceKind::cpu;
  std::int8_t number = 0;

  constexpr bool is_cpu() const { return kind == DeviceKind::cpu; }
  constexpr int slot() const { return is_cpu() ? 0 : 1 + number; }
  static constexpr Device at_slot(int slot) {
    return slot == 0 ? Device{} : Device{DeviceKind::cuda, static_cast<std::int8_t>(slot - 1)};
  }
  friend constexpr bool operator==(Device, Device) = default;
};

/// `cpu`, `cuda:0`.
inline std::ostream& operator<<(std::ostream& out, Device device) {
  if (device.is_cpu()) return out << "cpu";
  return out << "cuda:" << int{device.number};
}

/// Work on one stream runs in order. The CPU has the one default stream.
struct Stream {
  Device device;
  void* handle = nullptr;  // the driver's; null is the default stream
  friend constexpr bool operator==(const Stream&, const Stream&) = default;
};

}  // namespace garboard
