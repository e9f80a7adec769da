// What the allocator has counted, and how it starts to count anew.
#include <cstdint>
#include <mutex>

#include "csrc/core/rounding.h"
#include "csrc/memory/caching_allocator.h"

namespace garboard {
namespace {

// Of a free block, what trimming leaves: in a range all but whole granules.
std::size_t stuck_bytes(const Block& block, std::size_t granularity_bytes) {
  if (!block.segment->is_range) return block.segment->is_free() ? 0 : block.bytes;
  return block.bytes - whole_bytes(block.address, block.bytes, granularity_bytes);
}

}  // namespace

void CachingAllocator::count_mapped(const Segment& segment, std::size_t bytes) noexcept {
  if (bytes == 0) return;
  const bool is_new = !segment.is_range || segment.mapped_bytes == bytes;
  counts_.for_both(heap_.is_small(segment), [&](PoolCounts& pool) {
    pool.reserved_bytes.add(bytes);
    if (is_new) pool.segments.add(1);
  });
}

void CachingAllocator::count_unmapped(const Segment& segment, std::size_t bytes) noexcept {
  const bool is_gone = !segment.is_range || segment.mapped_bytes == 0;
  counts_.for_both(heap_.is_small(segment), [&](PoolCounts& pool) {
    pool.reserved_bytes.subtract(bytes);
    if (is_gone) pool.segments.subtract(1);
  });
}

CountsByPool CachingAllocator::counts_by_pool() const {
  const std::lock_guard guard(lock_);
  CountsByPool counts = counts_;
  for (const Segment* segment = heap_.segments().highest(); segment; segment = segment->below) {
    for (const Block* block = segment->first; block; block = block->after) {
      if (!block->is_free()) continue;
      const std::size_t stuck = stuck_bytes(*block, source_.granularity_bytes());
      const auto bytes = static_cast<double>(block->bytes);
      counts.for_both(heap_.is_small(*segment), [&](PoolCounts& pool) {
        pool.free_squared += bytes * bytes;
        pool.split_blocks += stuck > 0;
        pool.split_bytes += stuck;
      });
    }
  }
  return counts;
}

void CachingAllocator::reset_peaks() noexcept {
  const std::lock_guard guard(lock_);
  books_.reset_peak();
  peak_reserved_bytes_ = reserved_bytes();
  counts_.for_each([](Tally& tally) { tally.reset_peak(); });
  for (PoolCounts* pool : {&counts_.all, &counts_.small, &counts_.large})
    pool->most_active_blocks = pool->active_blocks();
}

void CachingAllocator::reset_accumulated() noexcept {
  const std::lock_guard guard(lock_);
  counts_.for_each([](Tally& tally) { tally.reset_accumulated(); });
}

}  // namespace garboard
