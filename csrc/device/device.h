// Names a device, and the line of work on it.
#pragma once

#include <cstdint>
#include <ostream>

namespace garboard {

/// A simulated device has memory of any size and does no work: see
/// csrc/ops/devices/simulated_devices.h.
enum class DeviceKind : std::uint8_t { cpu, cuda, simulated };

inline constexpr int max_cuda_devices = 8;
inline constexpr int max_simulated_devices = 4;
/// Bytes are booked per device: the CPU first, then the CUDA devices, then the simulated ones.
inline constexpr int max_devices = 1 + max_cuda_devices + max_simulated_devices;

struct Device {
  DeviceKind kind = DeviceKind::cpu;
  std::int8_t number = 0;

  static constexpr Device cuda(int number) {
    return {DeviceKind::cuda, static_cast<std::int8_t>(number)};
  }
  static constexpr Device simulated(int number) {
    return {DeviceKind::simulated, static_cast<std::int8_t>(number)};
  }

  constexpr bool is_cpu() const { return kind == DeviceKind::cpu; }
  constexpr bool is_simulated() const { return kind == DeviceKind::simulated; }
  constexpr int slot() const {
    if (is_cpu()) return 0;
    return is_simulated() ? 1 + max_cuda_devices + number : 1 + number;
  }
  static constexpr Device at_slot(int slot) {
    if (slot == 0) return {};
    return slot <= max_cuda_devices ? cuda(slot - 1) : simulated(slot - 1 - max_cuda_devices);
  }
  friend constexpr bool operator==(Device, Device) = default;
};

/// `cpu`, `cuda`, `simulated`.
constexpr const char* name_of(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::cuda:
      return "cuda";
    case DeviceKind::simulated:
      return "simulated";
    default:
      return "cpu";
  }
}

/// `cpu`, `cuda:0`, `simulated:0`.
inline std::ostream& operator<<(std::ostream& out, Device device) {
  out << name_of(device.kind);
  return device.is_cpu() ? out : out << ':' << int{device.number};
}

/// Work on one stream runs in order. The CPU has the one default stream.
struct Stream {
  Device device;
  void* handle = nullptr;  // the driver's; null is the default stream
  friend constexpr bool operator==(const Stream&, const Stream&) = default;
};

}  // namespace garboard
