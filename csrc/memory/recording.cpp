// What CachingAllocator does while a history is kept, and how it looks at itself.
#include <algorithm>
#include <mutex>
#include <utility>

#include "csrc/memory/caching_allocator.h"

namespace garboard {
namespace {

// Whose request this thread is busy with. A growth in the middle of it is booked to the same.
constinit thread_local Origin asking [[gnu::tls_model("initial-exec")]] = {};

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

std::uint64_t number(const void* address) noexcept {
  return reinterpret_cast<std::uintptr_t>(address);
}

MemorySnapshot::Block live(const Block& block) noexcept {
  return {.address = number(block.address),
          .bytes = block.bytes,
          .requested_bytes = block.requested_bytes,
          .caller = block.caller,
          .state = MemorySnapshot::State::live};
}

}  // namespace

Block* CachingAllocator::allocate_recorded(std::size_t bytes, Stream stream) {
  const Asking guard(History::ask(history_.level()));
  return allocate_for_anyone(bytes, stream);
}

void CachingAllocator::record_alloc(Block& block) noexcept {
  block.caller = asking.caller;
  history_.record({.address = number(block.address),
                   .bytes = block.requested_bytes,
                   .origin = asking,
                   .action = HistoryAction::alloc,
                   .stream = number(block.stream.handle)});
}

void CachingAllocator::record_free(Block& block, std::uint32_t thread) noexcept {
  history_.record({.address = number(block.address),
                   .bytes = block.requested_bytes,
                   .origin = {.caller = std::exchange(block.caller, 0), .thread = thread},
                   .action = HistoryAction::free,
                   .stream = number(block.stream.handle)});
}

void CachingAllocator::record_segment(HistoryAction action, const Segment& segment) noexcept {
  history_.record({.address = number(segment.address),
                   .bytes = segment.bytes,
                   .origin = asking,
                   .action = action,
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
  const Origin origin = History::ask(is_alloc ? history_.level() : HistoryLevel::off);
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
  for (Segment* segment = heap_.highest_segment(); segment; segment = segment->below) {
    for (Block* block = segment->first; block; block = block->after) block->caller = 0;
  }
  history_.restart(level, ring);
}

MemorySnapshot CachingAllocator::snapshot() {
  MemorySnapshot taken;
  for (;;) {
    {
      const std::lock_guard guard(lock_);
      const Heap::Counts& counts = heap_.counts();
      taken.segments.resize(counts.segment_count);
      // Two free neighbours are one: at most one free block follows each live one.
      taken.blocks.resize(2 * (counts.allocation_count - counts.free_count) + counts.segment_count);
      taken.entries.resize(history_.size() + 1);
    }
    const std::lock_guard guard(lock_);
    if (copy_into(taken)) return taken;
  }
}

// False, and nothing, where it has grown since `taken` was made.
bool CachingAllocator::copy_into(MemorySnapshot& taken) noexcept {
  if (taken.entries.size() <= history_.size() ||
      taken.segments.size() < heap_.counts().segment_count)
    return false;
  auto segment = taken.segments.begin() + static_cast<std::ptrdiff_t>(heap_.counts().segment_count);
  std::size_t block_count = 0;
  for (const Segment* at = heap_.highest_segment(); at; at = at->below) {
    *--segment = {.address = number(at->address),
                  .bytes = at->bytes,
                  .stream = number(at->pool->stream().handle),
                  .is_small = heap_.is_small(*at)};
    for (const Block* block = at->first; block; block = block->after) ++segment->block_count;
    block_count += segment->block_count;
  }
  if (taken.blocks.size() < block_count) return false;
  taken.segments.resize(heap_.counts().segment_count);
  taken.blocks.resize(block_count);
  segment = taken.segments.end();
  for (const Segment* at = heap_.highest_segment(); at; at = at->below) {
    block_count -= (--segment)->block_count;
    std::size_t next = block_count;
    for (const Block* block = at->first; block; block = block->after) {
      taken.blocks[next++] = block->is_free
                                 ? MemorySnapshot::Block{number(block->address), block->bytes}
                                 : live(*block);
    }
  }
  if (history_.is_on())
    history_.record({.bytes = heap_.counts().segment_bytes, .action = HistoryAction::snapshot});
  taken.entries.resize(history_.size());
  history_.copy(taken.entries.data());
  taken.lost_entry_count = history_.lost_count();
  return true;
}

}  // namespace garboard
