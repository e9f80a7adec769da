#include "csrc/memory/allocator/caching_allocator.h"

#include <cassert>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace garboard {
namespace {

template <class Function>
std::shared_ptr<const Function> shared_or_null(Function function) {
  return function ? std::make_shared<const Function>(std::move(function)) : nullptr;
}

}  // namespace

CachingAllocator::CachingAllocator(MemorySource& source, const AllocationPolicy& policy)
    : arena_(source),
      mapper_(source),
      sharing_(arena_, mapper_, policy),
      grower_(arena_, mapper_, trimmer_, policy),
      ladder_({arena_, mapper_, trimmer_, grower_, sharing_, hooks_}, policy.collection) {}

CachingAllocator::~CachingAllocator() {
  empty_cache();
  trimmer_.return_ranges();
  assert(arena_.heap().current(&PoolCounts::segments) == 0 &&
         "an allocator ended before its blocks");
}

Block* CachingAllocator::allocate(std::size_t bytes, Stream stream) {
  if (arena_.is_attentive()) [[unlikely]]
    return allocate_attentively(bytes, stream);
  return allocate_for_anyone(bytes, stream);
}

Block* CachingAllocator::allocate_for_anyone(std::size_t bytes, Stream stream) {
  Block* block = nullptr;
  if (bytes - 1 < largest_request_bytes) [[likely]] {  // 0 is beyond it too: one comparison
    const std::lock_guard guard(arena_);
    block = arena_.take(bytes, stream);
  } else if (bytes == 0) {
    return nullptr;
  }
  if (!block) block = ladder_.allocate(bytes, stream);
  mapper_.show(block->address, bytes);
  return block;
}

Block* CachingAllocator::allocate_attentively(std::size_t bytes, Stream stream) {
  if (arena_.has_pending()) sharing_.look();
  if (arena_.is_over_limit()) trimmer_.trim_to_limit();
  if (arena_.is_captured()) stream = capture_pools_.key_for(stream);
  const Recorder::Asking asking(arena_.recorder());
  Block* const block = allocate_for_anyone(bytes, stream);
  // Only after an allocation more can be active than ever.
  if (arena_.has_pending()) arena_.locked([&] { arena_.heap().counts().note_active(); });
  return block;
}

void CachingAllocator::used_on(Block* block, Stream stream) {
  if (block) sharing_.share(*block, stream);
}

void CachingAllocator::release(Block* block) noexcept {
  if (!block) return;
  if (arena_.is_attentive() || block->uses) [[unlikely]]
    return release_attentively(*block);
  mapper_.hide(block->address, block->bytes);
  const std::lock_guard guard(arena_);
  arena_.give(*block);
}

// The thread is asked for before the lock.
void CachingAllocator::release_attentively(Block& block) noexcept {
  const std::uint32_t thread = arena_.recorder().this_thread();
  if (block.uses) return sharing_.release(block, thread);
  mapper_.hide(block.address, block.bytes);
  arena_.locked([&] { arena_.give(block, thread); });
  // Whoever releases must not wait for a device.
  if (arena_.is_over_limit() && !mapper_.source().timeline()) trimmer_.trim_to_limit();
}

void CachingAllocator::record_booking(HistoryAction action, std::size_t bytes,
                                      const void* payload) noexcept {
  if (bytes == 0 || !payload) return;
  Recorder& recorder = arena_.recorder();
  const Origin origin = action == HistoryAction::alloc ? History::ask(recorder.level())
                                                       : Origin{.thread = recorder.this_thread()};
  arena_.locked([&] { recorder.booked(action, bytes, payload, origin); });
}

std::size_t CachingAllocator::empty_cache() noexcept {
  while (sharing_.await_oldest() > 0) {
  }
  return trimmer_.trim(SIZE_MAX);
}

void CachingAllocator::set_limit(std::optional<std::size_t> bytes, LimitOrigin origin) noexcept {
  arena_.locked([&] { arena_.accounts().set_limit(bytes, origin); });
  trimmer_.trim_to_limit();
}

MemoryStats CachingAllocator::stats() const {
  MemoryStats stats;
  mapper_.fill_in(stats);
  const std::lock_guard guard(arena_);
  arena_.accounts().fill_in(stats);
  grower_.fill_in(stats);
  sharing_.fill_in(stats);
  ladder_.fill_in(stats);
  scratch_gate_.fill_in(stats);
  return stats;
}

void CachingAllocator::reset_peaks() noexcept {
  const std::lock_guard guard(arena_);
  arena_.accounts().reset_peaks();
  arena_.heap().counts().reset_peaks();
}

int CachingAllocator::add_reclaim_callback(MemoryHooks::Reclaim callback) {
  const auto shared = std::make_shared<const MemoryHooks::Reclaim>(std::move(callback));
  int number = 0;
  hooks_.change([&](MemoryHooks& hooks) {
    number = hooks.next_number++;
    hooks.reclaim.push_back({number, shared});
  });
  return number;
}

void CachingAllocator::remove_reclaim_callback(int number) {
  hooks_.change([&](MemoryHooks& hooks) {
    std::erase_if(hooks.reclaim, [&](const auto& entry) { return entry.number == number; });
  });
}

void CachingAllocator::set_garbage_collector(MemoryHooks::Collect collect) {
  const auto shared = shared_or_null(std::move(collect));
  hooks_.change([&](MemoryHooks& hooks) { hooks.collect = shared; });
}

void CachingAllocator::set_holders_report(MemoryHooks::Holders holders) {
  const auto shared = shared_or_null(std::move(holders));
  hooks_.change([&](MemoryHooks& hooks) { hooks.holders = shared; });
}

void CachingAllocator::record_history(HistoryLevel level, std::size_t most_entries) {
  History::Ring ring(level == HistoryLevel::off ? 0 : most_entries);  // the old one goes with it
  const std::lock_guard guard(arena_);
  arena_.recorder().restart(level, ring, arena_.heap());
  arena_.attend();
}

// Others go on while there is room made for the rows, without the lock: hence the margin.
MemorySnapshot CachingAllocator::snapshot() {
  MemorySnapshot taken;
  for (;;) {
    const Recorder::Extent extent =
        arena_.locked([&] { return arena_.recorder().copy(arena_.heap(), taken); });
    const bool is_taken = extent.fits(taken);
    (is_taken ? extent : extent.with_margin()).resize(taken);
    if (is_taken) return taken;
  }
}

std::string CachingAllocator::fault() const {
  const std::lock_guard guard(arena_);
  return arena_.heap().fault();
}

void CachingAllocator::after_fork_in_child() noexcept {
  arena_.forget_others();
  scratch_gate_.forget_others();
  arena_.unlock();
}

}  // namespace garboard
