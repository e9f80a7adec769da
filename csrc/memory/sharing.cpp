// What CachingAllocator does about streams: a block that another stream uses is handed out again
// only when that stream has passed all it was given before the release. Releasing records no event:
// many uses of one stream share one. The driver is asked without the lock.
#include <mutex>
#include <thread>

#include "csrc/core/outer_lock.h"
#include "csrc/memory/allocation_request.h"
#include "csrc/memory/caching_allocator.h"
#include "csrc/memory/poison.h"

namespace garboard {
namespace {

/// While blocks are pending, so many allocations have one look at the oldest of them.
constexpr std::uint32_t allocations_per_look = 64;
/// Nobody knows how long a stream takes; and what it waits for may need Python.
constexpr double unknown_wait_ns = 1e9;

}  // namespace

void CachingAllocator::used_on(Block* block, Stream stream) {
  if (!block || !source_.timeline()) return;
  {
    const std::lock_guard guard(lock_);
    if (heap_.share(*block, stream)) return;
  }
  Heap::Stock stock = heap_.make_sharing_stock(stream);
  const std::lock_guard guard(lock_);
  heap_.put(stock);
  heap_.share(*block, stream);
}

// Its bytes are no longer live, as far as its user goes.
void CachingAllocator::release_shared(Block& block, std::uint32_t thread) noexcept {
  bool is_due = false;
  {
    const std::lock_guard guard(lock_);
    if (history_.is_on()) record_free(block, thread, HistoryAction::free_requested);
    books_.subtract(block.requested_bytes);
    is_due = heap_.suspend(block);
    attend();
  }
  if (is_due) seal([](const PendingFrees& pending) { return pending.is_due(); });
}

template <class Wanted>
void CachingAllocator::seal(Wanted is_wanted) noexcept {
  for (StreamPools* user = streams_with_pending(); user; user = user->next.get()) {
    {
      const std::lock_guard guard(lock_);
      if (!is_wanted(user->pending) || !user->pending.begin_sealing()) continue;
    }
    const Ticket ticket = source_.timeline()->ticket(user->stream());
    const std::lock_guard guard(lock_);
    user->pending.end_sealing(ticket);
  }
}

// The chain grows at its head and never shrinks.
StreamPools* CachingAllocator::streams_with_pending() const noexcept {
  const std::lock_guard guard(lock_);
  return heap_.current(&PoolCounts::pending_blocks) > 0 ? heap_.streams() : nullptr;
}

void CachingAllocator::seal_all() noexcept {
  seal([](const PendingFrees&) { return true; });
}

// Of each stream the oldest batch, and the next one only if that was passed.
std::size_t CachingAllocator::retire_passed() noexcept {
  std::size_t freed = 0;
  for (StreamPools* user = streams_with_pending(); user; user = user->next.get()) {
    for (;;) {
      Ticket ticket = 0;
      {
        const std::lock_guard guard(lock_);
        const ForeignUse* const oldest = user->pending.oldest_sealed();
        if (!oldest) break;
        ticket = oldest->ticket;
      }
      if (!source_.timeline()->is_passed(user->stream(), ticket)) break;
      freed += retire(*user, ticket);
    }
  }
  return freed;
}

std::size_t CachingAllocator::retire(StreamPools& user, Ticket ticket) noexcept {
  const std::lock_guard guard(lock_);
  std::size_t freed = 0;
  while (Block* const block = heap_.end_use(user, ticket)) {
    if (!block->is_live()) continue;  // another stream uses it still
    freed += block->bytes;
    if (history_.is_on()) record_free(*block, 0, HistoryAction::free_completed);
    if (poisons_memory && source_.is_on_host()) poison(block->address, block->bytes);
    heap_.put_back(*block);
  }
  attend();
  return freed;
}

void CachingAllocator::attend() noexcept {
  has_pending_.store(heap_.current(&PoolCounts::pending_blocks) > 0, std::memory_order_relaxed);
  is_over_limit_.store(charged_bytes() > most_live_bytes_, std::memory_order_relaxed);
  is_attentive_.store(history_.is_on() || has_pending_.load(std::memory_order_relaxed) ||
                          is_over_limit_.load(std::memory_order_relaxed),
                      std::memory_order_relaxed);
}

// After an allocation: only then it can have become more than ever.
void CachingAllocator::note_active() noexcept {
  const std::lock_guard guard(lock_);
  heap_.counts().note_active();
}

void CachingAllocator::look_at_pending() noexcept {
  if (looks_.fetch_add(1, std::memory_order_relaxed) % allocations_per_look == 0) retire_passed();
}

// The one that was released first, among all streams. What another thread is sealing has its
// ticket in a moment.
std::size_t CachingAllocator::await_oldest() noexcept {
  for (;;) {
    seal_all();
    StreamPools* oldest_user = nullptr;
    ForeignUse oldest;
    for (StreamPools* user = streams_with_pending(); user; user = user->next.get()) {
      const std::lock_guard guard(lock_);
      const ForeignUse* const use = user->pending.oldest_sealed();
      if (!use || (oldest_user && use->order > oldest.order)) continue;
      oldest = *use;
      oldest_user = user;
    }
    if (oldest_user) {
      {
        const OuterLock::Away away(unknown_wait_ns);
        source_.timeline()->await(oldest_user->stream(), oldest.ticket);
      }
      if (const std::size_t freed = retire(*oldest_user, oldest.ticket)) return freed;
    } else {
      const std::lock_guard guard(lock_);
      if (heap_.current(&PoolCounts::pending_blocks) == 0) return 0;
    }
    std::this_thread::yield();
  }
}

// The owner's work up to now may use the block, and the block's new user must come after it. That
// is one event, and only for a block that is taken.
Block* CachingAllocator::take_from_other_streams(Request& request) {
  if (!source_.timeline()) return nullptr;
  Heap::Stock stock = heap_.make_sharing_stock(request.stream);
  Block* block = nullptr;
  {
    const std::lock_guard guard(lock_);
    heap_.put(stock);
    if (!allows(request.bytes)) return nullptr;
    block = counted(heap_.take_from_others(request.bytes, request.stream));
    if (block) stolen_bytes_ += block->bytes;
  }
  if (!block) return nullptr;
  Timeline& timeline = *source_.timeline();
  timeline.let_wait(request.stream, block->stream, timeline.ticket(block->stream));
  return block;
}

}  // namespace garboard
