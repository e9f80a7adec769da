// Names a device, and the line of work on it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

namespace garboard {

struct DeviceKindRow {
  const char* name;        // null: of a backend that is added at run time
  int most;                // devices, numbered from 0
  bool is_absent = false;  // never there; programs that look for a device compare with its name
};

/// The roll call: a line for each kind of device. Its own folder says the rest, in a Backend; what
/// has none does not link. Bytes are booked per device, in this order.
inline constexpr DeviceKindRow device_kinds[] = {
    {"cpu", 1},       {"cuda", 8},      {"simulated", 4}, {"meta", 1},       {"mps", 1, true},
    {"xpu", 1, true}, {"xla", 1, true}, {"hpu", 1, true}, {"mtia", 1, true}, {nullptr, 2},
};
inline constexpr int device_kind_count = sizeof device_kinds / sizeof *device_kinds;

/// A line of the roll call; the first is the CPU's.
enum class DeviceKind : std::uint8_t {};

consteval DeviceKind device_kind(std::string_view name) {
  for (int i = 0; i < device_kind_count; ++i)
    if (device_kinds[i].name && device_kinds[i].name == name) return static_cast<DeviceKind>(i);
  throw "no kind of device has this name";
}
inline constexpr DeviceKind cpu_kind{};
/// A simulated device has memory of any size and does no work: see
/// csrc/ops/devices/simulated_devices.h.
inline constexpr DeviceKind simulated_kind = device_kind("simulated");

constexpr int most_devices(DeviceKind kind) { return device_kinds[static_cast<int>(kind)].most; }
inline constexpr int max_simulated_devices = most_devices(simulated_kind);

namespace detail {
/// Where the devices of each kind begin, and behind the last.
inline constexpr auto first_slots = [] {
  std::array<int, device_kind_count + 1> first{};
  for (int i = 0; i < device_kind_count; ++i) first[i + 1] = first[i] + device_kinds[i].most;
  return first;
}();
}  // namespace detail

inline constexpr int max_devices = detail::first_slots.back();

struct Device {
  DeviceKind kind = cpu_kind;
  std::int8_t number = 0;

  static constexpr Device of(DeviceKind kind, int number) {
    return {kind, static_cast<std::int8_t>(number)};
  }
  static constexpr Device simulated(int number) { return of(simulated_kind, number); }

  constexpr bool is_cpu() const { return kind == cpu_kind; }
  /// Otherwise it is the one of its kind, whose name is enough.
  constexpr bool is_numbered() const { return most_devices(kind) > 1; }
  constexpr int slot() const {
    return is_cpu() ? 0 : detail::first_slots[static_cast<std::size_t>(kind)] + number;
  }
  static constexpr Device at_slot(int slot) {
    int kind = 0;
    while (slot >= detail::first_slots[static_cast<std::size_t>(kind) + 1]) ++kind;
    return of(static_cast<DeviceKind>(kind),
              slot - detail::first_slots[static_cast<std::size_t>(kind)]);
  }
  friend constexpr bool operator==(Device, Device) = default;
};

/// As users name it.
const char* name_of(DeviceKind kind) noexcept;

/// `cpu`, `meta`, `simulated:0`.
std::ostream& operator<<(std::ostream& out, Device device);

/// The device that a user calls so; this thread's current one of its kind where no number follows.
/// Whether it can be used is asked where it is used.
std::optional<Device> device_named(std::string_view name) noexcept;

/// All that `device_named` knows and that may be there, as the end of a message.
std::string device_names();

/// Work on one stream runs in order. The CPU has the one default stream.
struct Stream {
  Device device;
  void* handle = nullptr;  // the driver's; null is the default stream
  friend constexpr bool operator==(const Stream&, const Stream&) = default;
};

}  // namespace garboard
