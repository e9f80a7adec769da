#include "csrc/memory/caching_allocator.h"

#include <algorithm>
#include <cassert>
#include <mutex>
#include <numeric>
#include <utility>

#include "csrc/memory/poison.h"

namespace garboard {
namespace {

std::uint64_t microseconds(std::chrono::steady_clock::duration time) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(time).count());
}

}  // namespace

CachingAllocator::CachingAllocator(MemorySource& source)
    : source_(source),
      heap_(source.quantum_bytes(), source.granularity_bytes()),
      thrift_(source.granularity_bytes()),
      hooks_(std::make_shared<const MemoryHooks>()) {}

CachingAllocator::~CachingAllocator() {
  empty_cache();
  return_ranges();
  assert(heap_.current(&PoolCounts::segments) == 0 && "an allocator ended before its blocks");
}

Block* CachingAllocator::allocate(std::size_t bytes, Stream stream) {
  if (is_attentive_.load(std::memory_order_relaxed)) [[unlikely]]
    return allocate_attentively(bytes, stream);
  return allocate_for_anyone(bytes, stream);
}

Block* CachingAllocator::allocate_for_anyone(std::size_t bytes, Stream stream) {
  Block* block = nullptr;
  if (bytes - 1 < largest_request_bytes) [[likely]] {  // 0 is beyond it too: one comparison
    const std::lock_guard guard(lock_);
    block = take(bytes, stream);
  } else if (bytes == 0) {
    return nullptr;
  }
  if (!block) block = allocate_slowly(bytes, stream);
  if (poisons_memory && source_.is_on_host()) unpoison(block->address, bytes);
  return block;
}

void CachingAllocator::release(Block* block) noexcept {
  if (!block) return;
  if (is_attentive_.load(std::memory_order_relaxed) || block->uses) [[unlikely]]
    return release_attentively(*block);
  if (poisons_memory && source_.is_on_host()) poison(block->address, block->bytes);
  const std::lock_guard guard(lock_);
  give(*block);
}

void CachingAllocator::give(Block& block) noexcept {
  books_.subtract(block.requested_bytes);
  heap_.give(block);
}

Block* CachingAllocator::take(std::size_t bytes, Stream stream) noexcept {
  if (!allows(bytes)) [[unlikely]]
    return nullptr;
  return counted(heap_.take(bytes, stream));
}

Block* CachingAllocator::counted(Block* block) noexcept {
  if (!block) return nullptr;
  books_.add(block->requested_bytes);
  if (history_.is_on()) [[unlikely]]
    record_alloc(*block);
  return block;
}

void CachingAllocator::set_limit(std::optional<std::size_t> bytes, LimitOrigin origin) noexcept {
  {
    const std::lock_guard guard(lock_);
    limit_ = bytes;
    limit_origin_ = origin;
    most_live_bytes_ = bytes.value_or(SIZE_MAX);
  }
  trim_to_limit();
}

std::optional<std::size_t> CachingAllocator::limit() const noexcept {
  const std::lock_guard guard(lock_);
  return limit_;
}

LimitOrigin CachingAllocator::limit_origin() const noexcept {
  const std::lock_guard guard(lock_);
  return limit_origin_;
}

std::size_t CachingAllocator::booked_bytes() const noexcept {
  return books_.live_bytes() - heap_.current(&PoolCounts::requested_bytes);
}

std::size_t CachingAllocator::cached_bytes() const noexcept {
  return heap_.current(&PoolCounts::reserved_bytes) - heap_.current(&PoolCounts::occupied_bytes);
}

// What is being unmapped is still there.
std::size_t CachingAllocator::reserved_bytes() const noexcept {
  return heap_.current(&PoolCounts::reserved_bytes) + unmapping_bytes_;
}

std::size_t CachingAllocator::charged_bytes() const noexcept {
  return reserved_bytes() + mapping_bytes_ + booked_bytes();
}

std::size_t CachingAllocator::ceiling_bytes() const noexcept {
  const std::size_t capacity = source_.capacity_bytes();
  return std::min(limit_.value_or(capacity), capacity);
}

MemoryStats CachingAllocator::stats() const {
  const std::lock_guard guard(lock_);
  const CountsByPool counts = heap_.counts().summed();
  const std::uint64_t served =
      std::accumulate(saved_by_.begin(), saved_by_.end(), std::uint64_t{0});
  return {
      .live_bytes = books_.live_bytes(),
      .peak_live_bytes = books_.peak_bytes(),
      .booked_bytes = booked_bytes(),
      .reserved_bytes = reserved_bytes(),
      .peak_reserved_bytes = peak_reserved_bytes_,
      .pending_bytes = counts.all.pending_bytes.current(),
      .cached_bytes = cached_bytes(),
      .largest_free_block = heap_.largest_free_bytes(),
      .foreign_bytes = books_.foreign_bytes(),
      .allocation_count = counts.all.blocks.ever_allocated(),
      .free_count = counts.all.blocks.ever_freed(),
      .segment_count = counts.all.segments.current(),
      .cache_hits = counts.all.blocks.ever_allocated() - served,
      .cache_misses = miss_count_,
      .saved_by = saved_by_,
      .map_count = maps_.count(),
      .map_time_us = maps_.time_us(),
      .unmap_count = unmaps_.count(),
      .unmap_time_us = unmaps_.time_us(),
      .stream_wait_count = stream_wait_count_,
      .moved_bytes = thrift_.moved_bytes(),
      .stolen_bytes = stolen_bytes_,
      .retry_count = retry_count_,
      .gc_runs = gc_.runs,
      .gc_freed_bytes = gc_.freed_bytes,
      .gc_time_us = microseconds(gc_.time),
      .out_of_memory_count = out_of_memory_count_,
  };
}

std::string CachingAllocator::fault() const {
  const std::lock_guard guard(lock_);
  return heap_.fault();
}

// Other threads do not exist in the child: what they were mapping or unmapping will never arrive.
void CachingAllocator::after_fork_in_child() noexcept {
  history_.clear();
  mapping_bytes_ = 0;
  unmapping_bytes_ = 0;
  for (StreamPools* pools = heap_.streams(); pools; pools = pools->next.get())
    pools->pending.abandon_sealing();
  lock_.unlock();
}

std::shared_ptr<const MemoryHooks> CachingAllocator::hooks() const noexcept {
  const std::lock_guard guard(lock_);
  return hooks_;
}

// The copy is changed outside the lock, and the old one goes outside it: the functions in it are
// foreign code. If somebody was faster, once more.
template <class Change>
void CachingAllocator::change_hooks(Change change) {
  for (;;) {
    const std::shared_ptr<const MemoryHooks> old = hooks();
    auto changed = std::make_shared<MemoryHooks>(*old);
    change(*changed);
    const std::lock_guard guard(lock_);
    if (hooks_ != old) continue;
    hooks_ = std::move(changed);
    return;
  }
}

int CachingAllocator::add_reclaim_callback(MemoryHooks::Reclaim callback) {
  const auto shared = std::make_shared<const MemoryHooks::Reclaim>(std::move(callback));
  int number = 0;
  change_hooks([&](MemoryHooks& hooks) {
    number = hooks.next_number++;
    hooks.reclaim.push_back({number, shared});
  });
  return number;
}

void CachingAllocator::remove_reclaim_callback(int number) {
  change_hooks([&](MemoryHooks& hooks) {
    std::erase_if(hooks.reclaim, [&](const auto& entry) { return entry.number == number; });
  });
}

void CachingAllocator::set_garbage_collector(MemoryHooks::Collect collect) {
  std::shared_ptr<const MemoryHooks::Collect> shared;
  if (collect) shared = std::make_shared<const MemoryHooks::Collect>(std::move(collect));
  change_hooks([&](MemoryHooks& hooks) { hooks.collect = shared; });
}

void CachingAllocator::set_holders_report(MemoryHooks::Holders holders) {
  std::shared_ptr<const MemoryHooks::Holders> shared;
  if (holders) shared = std::make_shared<const MemoryHooks::Holders>(std::move(holders));
  change_hooks([&](MemoryHooks& hooks) { hooks.holders = shared; });
}

}  // namespace garboard
