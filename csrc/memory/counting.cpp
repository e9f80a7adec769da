// What the allocator has counted, and how it starts to count anew.
#include <mutex>

#include "csrc/memory/caching_allocator.h"

namespace garboard {
CountsByPool CachingAllocator::counts_by_pool() const {
  const std::lock_guard guard(lock_);
  return heap_.counts_by_pool();
}

void CachingAllocator::reset_peaks() noexcept {
  const std::lock_guard guard(lock_);
  books_.reset_peak();
  peak_reserved_bytes_ = reserved_bytes();
  heap_.counts().reset_peaks();
}

void CachingAllocator::reset_accumulated() noexcept {
  const std::lock_guard guard(lock_);
  heap_.counts().reset_accumulated();
}

}  // namespace garboard
