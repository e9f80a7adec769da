#include "csrc/ops/devices/simulated_devices.h"

#include <array>
#include <mutex>

#include "csrc/core/bytes.h"
#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "csrc/device/backend.h"
#include "csrc/lifetime/registry.h"
#include "csrc/memory/allocator/allocators.h"
#include "csrc/memory/sources/simulated_source.h"
#include "kernels/table.h"

namespace garboard {
namespace {

// Source and allocator outlive the device, as all of them do: the next one of its number gets them.
struct SimulatedDevice {
  enum State { closed, open, abandoned };
  State state = closed;
  SimulatedSource* source = nullptr;
};

constinit std::mutex opening;
constinit std::array<SimulatedDevice, max_simulated_devices> devices{};

std::int64_t live_bytes_on(Device device) {
  return registry().live().bytes[static_cast<std::size_t>(device.slot())];
}

bool is_free(const SimulatedDevice& it, Device device) {
  return it.state == SimulatedDevice::closed ||
         (it.state == SimulatedDevice::abandoned && live_bytes_on(device) == 0);
}

void set_up(SimulatedDevice& it, Device device, const SimulatedMemory& memory) {
  if (!it.source) {
    auto* const source = new SimulatedSource(
        {.capacity_bytes = memory.capacity_bytes, .name = text(device), .is_backed = false});
    register_source(device, source);
    it.source = source;
  }
  CachingAllocator& allocator = allocator_of(device);
  allocator.empty_cache();
  allocator.set_limit(std::nullopt);
  allocator.reset_peaks();
  allocator.reset_accumulated();
  registry().reset_peak(device);
  it.source->set_capacity(memory.capacity_bytes);
  it.source->take_elsewhere(memory.taken_bytes);
  it.state = SimulatedDevice::open;
}

SimulatedDevice* find(Device device) noexcept {
  const bool is_one =
      device.kind == simulated_kind && device.number >= 0 && device.number < max_simulated_devices;
  return is_one ? &devices[static_cast<std::size_t>(device.number)] : nullptr;
}

}  // namespace

Device open_simulated_device(const SimulatedMemory& memory) {
  if (memory.capacity_bytes < memory.taken_bytes ||
      memory.capacity_bytes - memory.taken_bytes < 2_MiB)
    throw DeviceError(text("SimulatedDevice: a capacity of ", human_bytes(memory.capacity_bytes),
                           ", of which others hold ", human_bytes(memory.taken_bytes),
                           "; 2.0 MiB must be left at least"));
  const std::lock_guard guard(opening);
  for (int number = 0; number < max_simulated_devices; ++number) {
    const Device device = Device::simulated(number);
    SimulatedDevice& it = *find(device);
    if (!is_free(it, device)) continue;
    set_up(it, device, memory);
    return device;
  }
  throw DeviceError(text("SimulatedDevice: ", max_simulated_devices,
                         " are open; close one first, with close() or at the end of its block"));
}

void close_simulated_device(Device device) {
  require_simulated("close", device);
  const std::lock_guard guard(opening);
  if (const std::int64_t bytes = live_bytes_on(device))
    throw DeviceError(text("close: ", human_bytes(static_cast<std::size_t>(bytes)), " live on ",
                           device, "; dispose what is on it first",
                           registry().largest_sites(device)));
  allocator_of(device).empty_cache();
  find(device)->state = SimulatedDevice::closed;
}

void abandon_simulated_device(Device device) noexcept {
  const std::lock_guard guard(opening);
  SimulatedDevice* const it = find(device);
  if (it && it->state == SimulatedDevice::open) it->state = SimulatedDevice::abandoned;
}

void require_simulated(const char* op, Device device) {
  const std::lock_guard guard(opening);
  const SimulatedDevice* const it = find(device);
  if (it && it->state == SimulatedDevice::open) return;
  throw DeviceError(
      text(op, ": device ", device, " is not open; gb.memory.SimulatedDevice(capacity) opens one"));
}

template <>
const Backend& backend<simulated_kind>() noexcept {
  static constexpr Backend simulated{.require = require_simulated,
                                     .synchronize = [](Device) {},
                                     .table = kernels::idle_table,
                                     .computes = false};
  return simulated;
}

}  // namespace garboard
