#include "csrc/memory/allocator/allocators.h"

#include <array>
#include <atomic>
#include <mutex>
#include <utility>

#include "csrc/core/error.h"
#include "csrc/core/forks.h"
#include "csrc/core/host_memory.h"
#include "csrc/core/scratch.h"
#include "csrc/core/text.h"
#include "csrc/memory/sources/cpu_source.h"

namespace garboard {

constinit std::array<std::atomic<CachingAllocator*>, max_devices> detail::open_allocators{};

namespace {

using detail::open_allocators;

constinit std::mutex opening;

// What record_history_everywhere() asked for last; under `opening`.
struct HistoryRequest {
  HistoryLevel level = HistoryLevel::off;
  std::size_t most_entries = 0;
};
constinit HistoryRequest history_request;

// What set_hooks_everywhere() gave last; under `opening`. Never destroyed, like the allocators.
SharedHooks& shared_hooks() {
  static SharedHooks& hooks = *new SharedHooks;
  return hooks;
}

template <class Act>
void for_each_open(Act act) {
  for (int slot = 0; slot < max_devices; ++slot) {
    if (CachingAllocator* const allocator = open_allocators[slot].load())
      act(*allocator, Device::at_slot(slot));
  }
}

void give_hooks(CachingAllocator& allocator, Device device) {
  allocator.set_garbage_collector(shared_hooks().collect);
  MemoryHooks::Holders holders;
  if (shared_hooks().holders)
    holders = [device, of = shared_hooks().holders] { return of(device); };
  allocator.set_holders_report(std::move(holders));
}

// Under `opening`.
CachingAllocator& make_allocator(MemorySource& source, Device device) {
  auto* const allocator = new CachingAllocator(source, AllocationPolicy::of(device));
  allocator->record_history(history_request.level, history_request.most_entries);
  give_hooks(*allocator, device);
  return *allocator;
}

// Held over the fork: `opening` first, so that no allocator appears between the two halves.
void before_fork() {
  opening.lock();
  for_each_open([](CachingAllocator& allocator, Device) { allocator.before_fork(); });
}

void after_fork_in_parent() {
  for_each_open([](CachingAllocator& allocator, Device) { allocator.after_fork_in_parent(); });
  opening.unlock();
}

void after_fork_in_child() {
  for_each_open([](CachingAllocator& allocator, Device) { allocator.after_fork_in_child(); });
  opening.unlock();
}

void hold_locks_over_forks() {
  static const bool is_watching =
      watch_forks<before_fork, after_fork_in_parent, after_fork_in_child>();
  (void)is_watching;
}

bool is_a_device(Device device) noexcept {
  return device.number >= 0 && device.number < most_devices(device.kind);
}

ScratchGate& gate_of_cpu() { return open_allocators[Device{}.slot()].load()->scratch_gate(); }

constexpr ScratchKeeper::Ways scratch_ways{
    .take = [](std::size_t bytes) { gate_of_cpu().take(bytes); },
    .give_back = [](std::size_t bytes) noexcept { gate_of_cpu().give_back(bytes); }};

CachingAllocator& open_cpu() {
  const std::lock_guard guard(opening);
  auto& slot = open_allocators[Device{}.slot()];
  if (CachingAllocator* const opened = slot.load()) return *opened;
  CachingAllocator& allocator = make_allocator(*new CpuSource, Device{});
  allocator.set_limit(default_cpu_limit_bytes(), is_control_group_tighter()
                                                     ? LimitOrigin::control_group
                                                     : LimitOrigin::machine);
  hold_locks_over_forks();
  slot.store(&allocator);
  ScratchKeeper::declare(scratch_ways);
  return allocator;
}

}  // namespace

CachingAllocator* find_allocator(Device device) noexcept {
  if (!is_a_device(device)) return nullptr;
  return open_allocators[device.slot()].load(std::memory_order_acquire);
}

CachingAllocator& detail::opened_allocator_of(Device device) {
  if (CachingAllocator* const allocator = find_allocator(device)) return *allocator;
  if (device == Device{}) return open_cpu();
  throw DeviceError(text("allocator_of: device ", device, " given; it has no source of memory"));
}

std::size_t default_cpu_limit_bytes() { return host_memory_bytes() / 10 * 8; }

void register_source(Device device, MemorySource* source) {
  if (!is_a_device(device)) {
    throw DeviceError(
        text("register_source: device ", device, " given; one of ", device_names(), " is needed"));
  }
  const std::lock_guard guard(opening);
  auto& slot = open_allocators[device.slot()];
  if (slot.load()) {
    throw DeviceError(text("register_source: device ", device, " given; it has a source already"));
  }
  hold_locks_over_forks();
  slot.store(&make_allocator(*source, device));
}

void record_history_everywhere(HistoryLevel level, std::size_t most_entries) {
  const std::lock_guard guard(opening);
  history_request = {level, most_entries};
  for_each_open([&](CachingAllocator& each, Device) { each.record_history(level, most_entries); });
}

void set_hooks_everywhere(SharedHooks hooks) {
  const std::lock_guard guard(opening);
  shared_hooks() = std::move(hooks);
  for_each_open(give_hooks);
}

}  // namespace garboard
