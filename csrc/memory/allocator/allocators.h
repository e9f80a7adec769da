// The allocators of the process, one a device.
#pragma once

#include <array>
#include <atomic>
#include <functional>

#include "csrc/device/device.h"
#include "csrc/memory/allocator/caching_allocator.h"
#include "csrc/memory/allocator/memory_hooks.h"

namespace garboard {

namespace detail {
extern constinit std::array<std::atomic<CachingAllocator*>, max_devices> open_allocators;
CachingAllocator& opened_allocator_of(Device device);
}  // namespace detail

/// The allocator of `device`. The CPU's is made at its first use, another device's when its source
/// is registered. None is ever destroyed: finalizers run until the process is gone. Raises
/// DeviceError for a device without a source. Usable on both sides of a fork.
inline CachingAllocator& allocator_of(Device device) {
  if (device == Device{}) {  // asked for at every birth and end of a storage
    CachingAllocator* const cpu = detail::open_allocators[0].load(std::memory_order_acquire);
    if (cpu) return *cpu;
  }
  return detail::opened_allocator_of(device);
}

/// The same, or null for a device without a source.
CachingAllocator* find_allocator(Device device) noexcept;

/// Lets all allocators, those that are not open yet too, record their history. Throws
/// std::bad_alloc, where some may record already.
void record_history_everywhere(HistoryLevel level, std::size_t most_entries);

/// What allocators ask when memory is short, of whoever knows more than bytes.
struct SharedHooks {
  MemoryHooks::Collect collect;
  std::function<HoldersReport(Device)> holders;
};
/// Gives them to all allocators, those that are not open yet too. Throws std::bad_alloc.
void set_hooks_everywhere(SharedHooks hooks);

/// What the CPU's allocator is limited to unless told otherwise: the system hands out pages it does
/// not have, so a limit below its own is the only way to fail before the process is killed.
std::size_t default_cpu_limit_bytes();

/// Opens `device` with bytes of `source`, which is never destroyed. Raises DeviceError where it is
/// open already.
void register_source(Device device, MemorySource* source);

}  // namespace garboard
