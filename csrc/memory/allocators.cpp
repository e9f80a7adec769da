#include "csrc/memory/allocators.h"

#include <pthread.h>

#include <array>
#include <atomic>
#include <mutex>

#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "csrc/memory/cpu_source.h"
#include "csrc/memory/limits.h"

namespace garboard {

constinit std::array<std::atomic<CachingAllocator*>, max_devices> detail::open_allocators{};

namespace {

using detail::open_allocators;

constinit std::mutex opening;

// What record_history_everywhere() asked for last; under `opening`.
struct Recording {
  HistoryLevel level = HistoryLevel::off;
  std::size_t most_entries = 0;
};
constinit Recording recording;

template <class Act>
void for_each_open(Act act) {
  for (auto& slot : open_allocators) {
    if (CachingAllocator* const allocator = slot.load()) act(*allocator);
  }
}

// Held over the fork: `opening` first, so that no allocator appears between the two halves.
void before_fork() {
  opening.lock();
  for_each_open([](CachingAllocator& allocator) { allocator.before_fork(); });
}

void after_fork_in_parent() {
  for_each_open([](CachingAllocator& allocator) { allocator.after_fork_in_parent(); });
  opening.unlock();
}

void after_fork_in_child() {
  for_each_open([](CachingAllocator& allocator) { allocator.after_fork_in_child(); });
  opening.unlock();
}

// Under `opening`.
void watch_forks() {
  static bool is_watching = false;
  if (is_watching) return;
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  is_watching = true;
}

bool is_a_device(Device device) noexcept {
  const int most = device.is_cpu()         ? 1
                   : device.is_simulated() ? max_simulated_devices
                                           : max_cuda_devices;
  return device.number >= 0 && device.number < most;
}

CachingAllocator& open_cpu() {
  const std::lock_guard guard(opening);
  auto& slot = open_allocators[Device{}.slot()];
  if (CachingAllocator* const opened = slot.load()) return *opened;
  auto* const allocator = new CachingAllocator(*new CpuSource);
  allocator->record_history(recording.level, recording.most_entries);
  allocator->set_limit(default_cpu_limit_bytes());
  watch_forks();
  slot.store(allocator);
  return *allocator;
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

void register_source(Device device, MemorySource* source) {
  if (!is_a_device(device)) {
    throw DeviceError(text(
        "register_source: device ", device, " given; cpu, cuda:0 to cuda:", max_cuda_devices - 1,
        " or simulated:0 to simulated:", max_simulated_devices - 1, " is needed"));
  }
  const std::lock_guard guard(opening);
  auto& slot = open_allocators[device.slot()];
  if (slot.load()) {
    throw DeviceError(text("register_source: device ", device, " given; it has a source already"));
  }
  watch_forks();
  auto* const allocator = new CachingAllocator(*source);
  allocator->record_history(recording.level, recording.most_entries);
  slot.store(allocator);
}

void record_history_everywhere(HistoryLevel level, std::size_t most_entries) {
  const std::lock_guard guard(opening);
  recording = {level, most_entries};
  for_each_open([&](CachingAllocator& each) { each.record_history(level, most_entries); });
}

}  // namespace garboard
