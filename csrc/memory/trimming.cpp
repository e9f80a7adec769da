// How CachingAllocator gives memory back to its source, which is asked without the lock.
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>

#include "csrc/core/outer_lock.h"
#include "csrc/memory/allocation_request.h"
#include "csrc/memory/caching_allocator.h"
#include "csrc/memory/poison.h"

namespace garboard {
namespace {

using Clock = std::chrono::steady_clock;

/// A device that works is waited for before its memory goes, however long that takes.
constexpr double device_wait_ns = 1e9;
/// How long to wait for memory that other threads are returning right now.
constexpr auto longest_wait = std::chrono::milliseconds(200);

}  // namespace

std::size_t CachingAllocator::empty_cache() noexcept {
  while (await_oldest() > 0) {
  }
  return trim(SIZE_MAX);
}

// What is live, or shares its granule with what is, cannot be returned: then what is released next
// is looked at.
void CachingAllocator::trim_to_limit() noexcept {
  std::size_t excess = 0;
  {
    const std::lock_guard guard(lock_);
    const std::size_t charged = charged_bytes();
    if (charged > most_live_bytes_) excess = charged - most_live_bytes_;
  }
  if (excess > 0) trim(excess);
  const std::lock_guard guard(lock_);
  attend();
}

// Not a granule more than is asked for.
std::size_t CachingAllocator::trim(std::size_t bytes, End end) noexcept {
  {
    const std::lock_guard guard(lock_);
    if (cached_bytes() == 0) return 0;
  }
  const OuterLock::Away away(source_.timeline() ? device_wait_ns : 0);
  std::size_t freed = 0;
  while (freed < bytes) {
    const std::size_t piece = trim_piece(bytes - freed, end);
    if (piece == 0) break;
    freed += piece;
  }
  return freed < bytes ? freed + trim_segments(bytes - freed) : freed;
}

std::size_t CachingAllocator::trim(Request& request, std::size_t bytes) {
  const auto began = Clock::now();
  const std::size_t freed = trim(bytes);
  if (freed == 0) return 0;
  request.note("free segments", freed, Clock::now() - began);
  const std::lock_guard guard(lock_);
  ++retry_count_;
  return freed;
}

// A piece at a time: each is found by a look at all large free blocks, and hits of other threads
// shall not wait for all of those looks.
std::size_t CachingAllocator::trim_piece(std::size_t bytes, End end) noexcept {
  Heap::Stock stock;
  Block* carved = nullptr;
  for (bool is_stocked = false; !carved;) {
    {
      const std::lock_guard guard(lock_);
      if (stock.slab) heap_.put(stock);
      is_stocked = heap_.has_descriptors();
      carved = is_stocked ? heap_.carve(bytes, end) : nullptr;
      if (carved) {
        unmapping_bytes_ += carved->bytes;
        if (history_.is_on()) record_memory(HistoryAction::segment_unmap, *carved);
      }
    }
    if (carved) break;
    if (is_stocked) return 0;
    stock = Heap::make_spare();
    if (!stock.slab) return 0;
  }
  const std::size_t freed = carved->bytes;
  unmap_piece(*carved);
  const std::lock_guard guard(lock_);
  heap_.drop(*carved);
  unmapping_bytes_ -= freed;
  return freed;
}

void CachingAllocator::unmap_piece(const Block& piece) noexcept {
  if (poisons_memory && source_.is_on_host()) unpoison(piece.address, piece.bytes);
  unmaps_.timed([&] { source_.unmap_at(piece.address, piece.bytes); });
}

std::size_t CachingAllocator::trim_segments(std::size_t bytes) noexcept {
  Segment* segment = nullptr;
  std::size_t sum = 0;
  {
    const std::lock_guard guard(lock_);
    segment = heap_.take_free_segments(bytes);
    for (const Segment* s = segment; s; s = s->below) {
      sum += s->bytes;
      if (history_.is_on()) record_segment_free(*s);
    }
    unmapping_bytes_ += sum;
  }
  while (segment) {
    const std::unique_ptr<Segment> owned(segment);
    segment = owned->below;
    if (poisons_memory && source_.is_on_host()) unpoison(owned->address, owned->bytes);
    unmaps_.timed([&] { source_.unmap(owned->address, owned->bytes); });
  }
  const std::lock_guard guard(lock_);
  unmapping_bytes_ -= sum;
  return sum;
}

// As much as the request lacks, and nothing where all that is free would not suffice.
bool CachingAllocator::trim_for_segment(Request& request) {
  const std::size_t needed = segment_bytes_for(request.bytes);
  std::size_t lacking = needed;  // where the limit has room, it was the source that had none
  {
    const std::lock_guard guard(lock_);
    const std::size_t charged = charged_bytes() + needed;
    if (limit_ && charged > *limit_) {
      lacking = charged - *limit_;
      if (heap_.trimmable_bytes() < lacking) return false;
    }
  }
  return trim(request, lacking) > 0;
}

// Other threads' returns would be room for us in a moment: giving up now would be too early.
void CachingAllocator::await_unmapping() const noexcept {
  const auto give_up = Clock::now() + longest_wait;
  for (;;) {
    {
      const std::lock_guard guard(lock_);
      if (unmapping_bytes_ == 0) return;
    }
    if (Clock::now() > give_up) return;
    std::this_thread::yield();
  }
}

// Only when the allocator ends: a range costs addresses, and growing again would need a new one.
void CachingAllocator::return_ranges() noexcept {
  Segment* range = heap_.take_empty_ranges();
  while (range) {
    const std::unique_ptr<Segment> owned(range);
    range = owned->below;
    source_.unreserve(owned->address, owned->bytes);
  }
}

}  // namespace garboard
