#include "csrc/memory/simulated_source.h"

#include <algorithm>

#include "csrc/memory/pages.h"

namespace garboard {

void* SimulatedSource::map(std::size_t bytes) noexcept {
  {
    const std::lock_guard guard(lock_);
    ++map_count_;
    if (failing_.erase(map_count_)) return nullptr;
    const std::size_t taken = mapped_bytes_ + elsewhere_bytes_;
    if (taken > device_.capacity_bytes || bytes > device_.capacity_bytes - taken) return nullptr;
    mapped_bytes_ += bytes;
  }
  void* const segment = map_pages(bytes, std::max(device_.granularity_bytes, 4_KiB));
  if (!segment) {
    const std::lock_guard guard(lock_);
    mapped_bytes_ -= bytes;
  }
  return segment;
}

void SimulatedSource::unmap(void* segment, std::size_t bytes) noexcept {
  unmap_pages(segment, bytes);
  const std::lock_guard guard(lock_);
  mapped_bytes_ -= bytes;
  ++unmap_count_;
}

void SimulatedSource::fail_map(std::size_t number) {
  const std::lock_guard guard(lock_);
  failing_.insert(map_count_ + number);
}

void SimulatedSource::take_elsewhere(std::size_t bytes) {
  const std::lock_guard guard(lock_);
  elsewhere_bytes_ = bytes;
}

std::size_t SimulatedSource::mapped_bytes() const {
  const std::lock_guard guard(lock_);
  return mapped_bytes_;
}

std::size_t SimulatedSource::map_count() const {
  const std::lock_guard guard(lock_);
  return map_count_;
}

std::size_t SimulatedSource::unmap_count() const {
  const std::lock_guard guard(lock_);
  return unmap_count_;
}

}  // namespace garboard
