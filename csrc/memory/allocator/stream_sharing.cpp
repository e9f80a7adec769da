#include "csrc/memory/allocator/stream_sharing.h"

#include <mutex>
#include <optional>
#include <thread>

#include "csrc/core/outer_lock.h"
#include "csrc/device/capture.h"

namespace garboard {
namespace {

/// Nobody knows how long a stream takes; and what it waits for may need Python.
constexpr double unknown_wait_ns = 1e9;

}  // namespace

void StreamSharing::share(Block& block, Stream stream) {
  if (!mapper_.source().timeline()) return;
  if (arena_.locked([&] { return arena_.heap().share(block, stream); })) return;
  Heap::Stock stock = arena_.heap().make_sharing_stock(stream);
  const std::lock_guard guard(arena_);
  arena_.heap().put(stock);
  arena_.heap().share(block, stream);
}

void StreamSharing::release(Block& block, std::uint32_t thread) noexcept {
  const bool is_due = arena_.locked([&] { return arena_.suspend(block, thread); });
  if (is_due) seal([](const PendingFrees& pending) { return pending.is_due(); });
}

// What captured work uses waits for the end of the capture: a ticket in it is never passed. Whether
// there was nothing of that kind.
// The chain grows at its head and never shrinks.
template <class Act>
void StreamSharing::for_each_stream(Act act) const {
  for (StreamPools* pools = arena_.locked([&] { return arena_.heap().streams(); }); pools;
       pools = pools->next.get())
    if (pools->key == pools->stream()) act(pools->stream());
}

template <class Wanted>
bool StreamSharing::seal(Wanted is_wanted) noexcept {
  bool is_complete = true;
  for (StreamPools* user = streams_with_pending(); user; user = user->next.get()) {
    PendingFrees& pending = user->pending;
    if (capture_of(user->stream()) != 0) {
      is_complete = false;
      continue;
    }
    if (!arena_.locked([&] { return is_wanted(pending) && pending.begin_sealing(); })) continue;
    const Ticket ticket = timeline().ticket(user->stream());
    arena_.locked([&] { pending.end_sealing(ticket); });
  }
  return is_complete;
}

StreamPools* StreamSharing::streams_with_pending() const noexcept {
  const std::lock_guard guard(arena_);
  const bool is_pending = arena_.heap().current(&PoolCounts::pending_blocks) > 0;
  return is_pending ? arena_.heap().streams() : nullptr;
}

bool StreamSharing::seal_all() noexcept {
  return seal([](const PendingFrees&) { return true; });
}

void StreamSharing::search() noexcept {
  seal_all();
  retire_passed();
}

void StreamSharing::look() noexcept {
  if (looks_.fetch_add(1, std::memory_order_relaxed) % allocations_per_look_ == 0) retire_passed();
}

// Of each stream the oldest batch, and the next one only if that was passed.
void StreamSharing::retire_passed() noexcept {
  for (StreamPools* user = streams_with_pending(); user; user = user->next.get()) {
    for (;;) {
      const std::optional<Ticket> ticket = arena_.locked([&] {
        const ForeignUse* const oldest = user->pending.oldest_sealed();
        return oldest ? std::optional(oldest->ticket) : std::nullopt;
      });
      if (!ticket || !timeline().is_passed(user->stream(), *ticket)) break;
      retire(*user, *ticket);
    }
  }
}

std::size_t StreamSharing::retire(StreamPools& user, Ticket ticket) noexcept {
  const std::lock_guard guard(arena_);
  std::size_t freed = 0;
  while (Block* const block = arena_.heap().end_use(user, ticket)) {
    if (!block->is_live()) continue;  // another stream uses it still
    freed += block->bytes;
    mapper_.hide(block->address, block->bytes);
    arena_.end_pending(*block);
  }
  arena_.attend();
  return freed;
}

// What another thread is sealing has its ticket in a moment.
std::size_t StreamSharing::await_oldest() noexcept {
  for (;;) {
    const bool is_complete = seal_all();
    StreamPools* oldest_user = nullptr;
    ForeignUse oldest;
    for (StreamPools* user = streams_with_pending(); user; user = user->next.get()) {
      const std::lock_guard guard(arena_);
      const ForeignUse* const use = user->pending.oldest_sealed();
      if (!use || (oldest_user && use->order > oldest.order)) continue;
      oldest = *use;
      oldest_user = user;
    }
    if (oldest_user) {
      {
        const OuterLock::Away away(unknown_wait_ns);
        timeline().await(oldest_user->stream(), oldest.ticket);
      }
      if (const std::size_t freed = retire(*oldest_user, oldest.ticket)) return freed;
    } else if (!is_complete || !streams_with_pending()) {
      return 0;
    }
    std::this_thread::yield();
  }
}

// The owner's work up to now may use the block, and the block's new user must come after it. That
// is one event, and only for a block that is taken. What captured work has left was used by
// whatever stream it was played on. While there is any, it cannot come behind what is done, nor the
// other way round.
Block* StreamSharing::take_from_others(std::size_t bytes, Stream stream) {
  if (!mapper_.source().timeline() || arena_.is_captured()) return nullptr;
  Heap::Stock stock = arena_.heap().make_sharing_stock(stream);
  Block* block = nullptr;
  bool is_of_captured_work = false;
  {
    const std::lock_guard guard(arena_);
    arena_.heap().put(stock);
    block = arena_.take_from_others(bytes, stream);
    if (!block) return nullptr;
    stolen_bytes_ += block->bytes;
    is_of_captured_work = arena_.heap().is_of_captured_work(*block);
  }
  if (is_of_captured_work)
    for_each_stream([&](Stream user) { let_wait(stream, user); });
  else
    let_wait(stream, block->stream);
  return block;
}

void StreamSharing::let_wait(Stream waiter, Stream stream) noexcept {
  if (waiter != stream) timeline().let_wait(waiter, stream, timeline().ticket(stream));
}

void StreamSharing::await_every_stream() noexcept {
  if (!mapper_.source().timeline()) return;
  const OuterLock::Away away(unknown_wait_ns);
  for_each_stream([&](Stream stream) {
    if (capture_of(stream) == 0) timeline().await(stream, timeline().ticket(stream));
  });
}

}  // namespace garboard
