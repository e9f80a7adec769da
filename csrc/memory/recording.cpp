// What CachingAllocator does while a history is kept, and how it looks at itself.
#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>

#include "csrc/memory/caching_allocator.h"
#include "csrc/memory/poison.h"

namespace garboard {
namespace {

// Whose request this thread is busy with. A growth in the middle of it is booked to the same.
constinit thread_local Origin asking [[gnu::tls_model("initial-exec")]] = {};

constinit thread_local std::uint32_t own_number [[gnu::tls_model("initial-exec")]] = 0;

// Callbacks and finalizers that ask for memory meanwhile ask for themselves.
class Asking {
 public:
  explicit Asking(Origin origin) noexcept : before_(std::exchange(asking, origin)) {}
  ~Asking() { asking = before_; }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;

 private:
  Origin before_;
};

// The number that the floors above gave this thread: it never changes, so they are asked once.
std::uint32_t this_thread() noexcept {
  if (own_number == 0) own_number = History::ask(HistoryLevel::off).thread;
  return own_number;
}

std::uint64_t number(const void* address) noexcept {
  return reinterpret_cast<std::uintptr_t>(address);
}

MemorySnapshot::BlockRow seen(const Block& block) noexcept {
  const bool is_live = block.is_live(), is_pending = block.state == BlockState::pending;
  if (!is_live && !is_pending) return {.address = number(block.address), .bytes = block.bytes};
  return {.address = number(block.address),
          .bytes = block.bytes,
          .requested_bytes = block.requested_bytes,
          .caller = block.caller,
          .state = is_live ? MemorySnapshot::State::live : MemorySnapshot::State::pending};
}

}  // namespace

Block* CachingAllocator::allocate_attentively(std::size_t bytes, Stream stream) {
  if (has_pending_.load(std::memory_order_relaxed)) look_at_pending();
  if (is_over_limit_.load(std::memory_order_relaxed)) trim_to_limit();
  const Asking guard(history_.is_on() ? History::ask(history_.level()) : asking);
  Block* const block = allocate_for_anyone(bytes, stream);
  if (has_pending_.load(std::memory_order_relaxed)) note_active();
  return block;
}

void CachingAllocator::record_alloc(Block& block) noexcept {
  block.caller = asking.caller;
  history_.record({.address = number(block.address),
                   .bytes = block.requested_bytes,
                   .origin = asking,
                   .action = HistoryAction::alloc,
                   .stream = number(block.stream.handle)});
}

// The thread is asked for before the lock.
void CachingAllocator::release_attentively(Block& block) noexcept {
  const std::uint32_t thread = history_.is_on() ? this_thread() : std::uint32_t{0};
  if (block.uses) return release_shared(block, thread);
  if (poisons_memory && source_.is_on_host()) poison(block.address, block.bytes);
  {
    const std::lock_guard guard(lock_);
    if (history_.is_on()) record_free(block, thread, HistoryAction::free);
    give(block);
  }
  // Whoever releases must not wait for a device.
  if (is_over_limit_.load(std::memory_order_relaxed) && !source_.timeline()) trim_to_limit();
}

void CachingAllocator::record_free(Block& block, std::uint32_t thread,
                                   HistoryAction action) noexcept {
  const bool is_over = action != HistoryAction::free_requested;
  history_.record({.address = number(block.address),
                   .bytes = block.requested_bytes,
                   .origin = {.caller = is_over ? std::exchange(block.caller, 0) : block.caller,
                              .thread = thread},
                   .action = action,
                   .stream = number(block.stream.handle)});
}

void CachingAllocator::record_memory(HistoryAction action, const Block& piece) noexcept {
  history_.record({.address = number(piece.address),
                   .bytes = piece.bytes,
                   .origin = asking,
                   .action = action,
                   .stream = number(piece.stream.handle)});
}

void CachingAllocator::record_growth(const Held& held) noexcept {
  for (const Block* piece = held.first;; piece = piece->after) {
    if (piece->state == BlockState::moving) record_memory(HistoryAction::segment_map, *piece);
    if (piece == held.last) return;
  }
}

void CachingAllocator::record_segment_free(const Segment& segment) noexcept {
  history_.record({.address = number(segment.address),
                   .bytes = segment.bytes,
                   .origin = asking,
                   .action = HistoryAction::segment_free,
                   .stream = number(segment.pool->stream().handle)});
}

void CachingAllocator::record_out_of_memory(std::size_t bytes, Stream stream) noexcept {
  const std::size_t ceiling = ceiling_bytes();
  history_.record({.address = ceiling - std::min(ceiling, charged_bytes()),
                   .bytes = bytes,
                   .origin = asking,
                   .action = HistoryAction::oom,
                   .stream = number(stream.handle)});
}

void CachingAllocator::record_booking(HistoryAction action, std::size_t bytes,
                                      const void* payload) noexcept {
  if (bytes == 0 || !payload) return;
  const bool is_alloc = action == HistoryAction::alloc;
  const Origin origin = is_alloc ? History::ask(history_.level()) : Origin{.thread = this_thread()};
  const std::lock_guard guard(lock_);
  history_.record({.address = number(payload),
                   .bytes = bytes,
                   .origin = origin,
                   .action = action,
                   .is_booked = true});
}

void CachingAllocator::record_history(HistoryLevel level, std::size_t most_entries) {
  History::Ring ring(level == HistoryLevel::off ? 0 : most_entries);  // the old one goes with it
  const std::lock_guard guard(lock_);
  // What a block was told before may mean nothing, or another caller, now.
  for (Segment* segment = heap_.segments().highest(); segment; segment = segment->below) {
    for (Block* block = segment->first; block; block = block->after) block->caller = 0;
  }
  history_.restart(level, ring);
  attend();
}

MemorySnapshot CachingAllocator::snapshot() {
  MemorySnapshot taken;
  for (;;) {
    {
      const std::lock_guard guard(lock_);
      const SnapshotSize size = snapshot_size();
      taken.segments.resize(size.segments);
      taken.blocks.resize(size.blocks);
      taken.entries.resize(history_.size() + 1);
    }
    const std::lock_guard guard(lock_);
    if (copy_into(taken)) return taken;
  }
}

namespace {

// What is on its way to or from the source is in no segment: its entry says when it was.
bool has_memory(const Block& block) {
  return !block.is_unmapped() && block.state != BlockState::moving;
}

// Calls `begin` for the first block of each stretch of memory, lowest first, and `act` for all.
template <class Begin, class Act>
void for_each_block(const Heap& heap, Begin begin, Act act) {
  const Segment* segment = heap.segments().lowest();
  for (; segment; segment = segment->above) {
    bool is_inside = false;
    for (const Block* block = segment->first; block; block = block->after) {
      if (has_memory(*block)) {
        if (!is_inside) begin(*block);
        act(*block);
      }
      is_inside = has_memory(*block);
    }
  }
}

}  // namespace

CachingAllocator::SnapshotSize CachingAllocator::snapshot_size() const noexcept {
  SnapshotSize size;
  for_each_block(
      heap_, [&](const Block&) { ++size.segments; }, [&](const Block&) { ++size.blocks; });
  return size;
}

// False, and nothing, where it has grown since `taken` was made.
bool CachingAllocator::copy_into(MemorySnapshot& taken) noexcept {
  const SnapshotSize size = snapshot_size();
  if (taken.entries.size() <= history_.size() || taken.segments.size() < size.segments ||
      taken.blocks.size() < size.blocks) {
    return false;
  }
  taken.segments.resize(size.segments);
  taken.blocks.resize(size.blocks);
  auto segment = taken.segments.begin();  // the next one
  auto block = taken.blocks.begin();
  for_each_block(
      heap_,
      [&](const Block& first) {
        const Segment& around = *first.segment;
        *segment++ = {.address = number(first.address),
                      .bytes = 0,
                      .stream = number(around.pool->stream().handle),
                      .is_small = heap_.is_small(around),
                      .is_range = around.is_range};
      },
      [&](const Block& at) {
        std::prev(segment)->bytes += at.bytes;
        ++std::prev(segment)->block_count;
        *block++ = seen(at);
      });
  if (history_.is_on())
    history_.record(
        {.bytes = heap_.current(&PoolCounts::reserved_bytes), .action = HistoryAction::snapshot});
  taken.entries.resize(history_.size());
  history_.copy(taken.entries.data());
  taken.lost_entry_count = history_.lost_count();
  return true;
}

}  // namespace garboard
