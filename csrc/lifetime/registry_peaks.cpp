// The registry's peaks, and the mark that births are compared with.
#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include "csrc/lifetime/registry.h"

namespace garboard {
namespace {

constexpr std::size_t first_capacity = 64;

std::vector<SiteBytes> merged(const std::vector<SiteBytes>& parts) {
  std::vector<SiteBytes> by_site(parts);
  std::ranges::sort(by_site, {}, &SiteBytes::site);
  std::size_t end = 0;
  for (const SiteBytes& part : by_site) {
    if (end == 0 || by_site[end - 1].site != part.site) {
      by_site[end++] = part;
    } else {
      by_site[end - 1].count += part.count;
      by_site[end - 1].bytes += part.bytes;
    }
  }
  by_site.resize(end);
  std::ranges::stable_sort(by_site, std::ranges::greater{}, &SiteBytes::bytes);
  return by_site;
}

}  // namespace

void Registry::rise(DeviceBytes& device) noexcept {
  device.peak = device.arrived();
  device.peak_until = storages_.next_serial;
  device.peak_step = birth_step.load(std::memory_order_relaxed);
  set_marks(device);
  if (device.ended) device.ended->clear();
}

void Registry::set_marks(DeviceBytes& device) noexcept {
  device.alarm = watcher_count_.load(std::memory_order_relaxed) ? -1 : device.peak;
  device.slow_until =
      memory_watcher_.load(std::memory_order_relaxed) ? UINT64_MAX : device.peak_until;
}

// Where there is no memory for it, what ends is counted as born on an unknown line.
void Registry::enlarge_tally(DeviceBytes& device) noexcept try {
  std::size_t capacity = first_capacity;
  {
    const std::lock_guard guard(storages_.lock);
    if (device.ended) capacity = device.ended->capacity() * 2;
  }
  auto larger = std::make_unique<SiteTally>(capacity);
  {
    const std::lock_guard guard(storages_.lock);
    if (device.ended && device.ended->capacity() >= capacity) return;  // another thread was faster
    if (device.ended) larger->take(*device.ended);
    larger.reset(std::exchange(device.ended, larger.release()));
  }
} catch (const std::bad_alloc&) {
}

Peak Registry::peak(Device of) {
  Peak peak;
  std::vector<SiteBytes> parts;
  for (std::size_t needed = 0, room = 256;; room = needed + 256) {
    parts.reserve(room);  // outside the lock
    const DeviceBytes& device = bytes_on(of);
    const std::lock_guard guard(storages_.lock);
    needed = static_cast<std::size_t>(storages_.count) + (device.ended ? device.ended->size() : 0);
    if (needed > parts.capacity()) continue;
    peak.bytes = device.peak;
    peak.step = device.peak_step;
    storages_.list.for_each([&](Record& record) {
      const auto& it = static_cast<const StorageRecord&>(record);
      if (it.serial < device.peak_until && it.device == of && it.bytes > 0 && !it.is_foreign &&
          !it.is_waiting)
        parts.push_back({it.site, 1, it.bytes});
    });
    if (device.ended)
      device.ended->for_each([&](const SiteBytes& ended) { parts.push_back(ended); });
    break;
  }
  peak.by_site = merged(parts);
  return peak;
}

void Registry::reset_peak(Device of) noexcept {
  const std::lock_guard guard(storages_.lock);
  rise(bytes_on(of));
}

void Registry::watch_births() noexcept {
  const std::lock_guard guard(storages_.lock);
  watcher_count_.fetch_add(1, std::memory_order_relaxed);
  for (DeviceBytes& device : devices_) set_marks(device);
}

void Registry::unwatch_births() noexcept {
  const std::lock_guard guard(storages_.lock);
  watcher_count_.fetch_sub(1, std::memory_order_relaxed);
  for (DeviceBytes& device : devices_) set_marks(device);
}

void Registry::watch_memory(MemoryWatcher watcher) noexcept {
  const std::lock_guard guard(storages_.lock);
  const MemoryWatcher before = memory_watcher_.exchange(watcher, std::memory_order_relaxed);
  watcher_count_.fetch_add((watcher ? 1 : 0) - (before ? 1 : 0), std::memory_order_relaxed);
  for (DeviceBytes& device : devices_) set_marks(device);
}

}  // namespace garboard
