#include "csrc/memory/arena/recorder.h"

#include <iterator>
#include <utility>

namespace garboard {
namespace {

constinit thread_local std::uint32_t own_number [[gnu::tls_model("initial-exec")]] = 0;

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

// What is on its way to or from the source is in no segment: its entry says when it was.
bool has_memory(const Block& block) noexcept {
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

// A growth in the middle of a request is booked to the same.
constinit thread_local Origin Recorder::Asking::now_ = {};

// It never changes, so the floors above are asked once.
std::uint32_t Recorder::this_thread() const noexcept {
  if (!is_on()) return 0;
  if (own_number == 0) own_number = History::ask(HistoryLevel::off).thread;
  return own_number;
}

inline void Recorder::record(HistoryAction action, const void* address, std::size_t bytes,
                             Stream stream, Origin origin) noexcept {
  history_.record({.address = number(address),
                   .bytes = bytes,
                   .origin = origin,
                   .action = action,
                   .stream = number(stream.handle)});
}

void Recorder::record_alloc(Block& block) noexcept {
  block.caller = Asking::now().caller;
  record(HistoryAction::alloc, block.address, block.requested_bytes, block.stream, Asking::now());
}

void Recorder::freed(Block& block, std::uint32_t thread, HistoryAction action) noexcept {
  if (!is_on()) return;
  const Origin origin{.caller = block.caller, .thread = thread};
  record(action, block.address, block.requested_bytes, block.stream, origin);
  if (action != HistoryAction::free_requested) block.caller = 0;
}

void Recorder::moved(HistoryAction action, const Block& piece) noexcept {
  if (is_on()) record(action, piece.address, piece.bytes, piece.stream, Asking::now());
}

void Recorder::mapped(const Held& held) noexcept {
  for (const Block* piece = held.first;; piece = piece->after) {
    if (piece->state == BlockState::moving) moved(HistoryAction::segment_map, *piece);
    if (piece == held.last) return;
  }
}

void Recorder::returned(const Segment& segment) noexcept {
  if (!is_on()) return;
  const Stream stream = segment.pool->stream();
  record(HistoryAction::segment_free, segment.address, segment.bytes, stream, Asking::now());
}

void Recorder::refused(std::size_t bytes, Stream stream, std::size_t left_bytes) noexcept {
  if (!is_on()) return;
  const void* const left = reinterpret_cast<const void*>(left_bytes);  // see HistoryEntry
  record(HistoryAction::oom, left, bytes, stream, Asking::now());
}

void Recorder::booked(HistoryAction action, std::size_t bytes, const void* payload,
                      Origin origin) noexcept {
  history_.record({.address = number(payload),
                   .bytes = bytes,
                   .origin = origin,
                   .action = action,
                   .is_booked = true});
}

void Recorder::restart(HistoryLevel level, History::Ring& ring, const Heap& heap) noexcept {
  for (Segment* segment = heap.segments().highest(); segment; segment = segment->below) {
    for (Block* block = segment->first; block; block = block->after) block->caller = 0;
  }
  history_.restart(level, ring);
}

bool Recorder::Extent::fits(const MemorySnapshot& snapshot) const noexcept {
  return segments <= snapshot.segments.size() && blocks <= snapshot.blocks.size() &&
         entries <= snapshot.entries.size();
}

void Recorder::Extent::resize(MemorySnapshot& snapshot) const {
  snapshot.segments.resize(segments);
  snapshot.blocks.resize(blocks);
  snapshot.entries.resize(entries);
}

Recorder::Extent Recorder::copy(const Heap& heap, MemorySnapshot& snapshot) noexcept {
  Extent needed{.entries = history_.size() + is_on()};
  for_each_block(
      heap, [&](const Block&) { ++needed.segments; }, [&](const Block&) { ++needed.blocks; });
  if (!needed.fits(snapshot)) return needed;
  auto segment = snapshot.segments.begin();  // the next one
  auto block = snapshot.blocks.begin();
  for_each_block(
      heap,
      [&](const Block& first) {
        const Segment& around = *first.segment;
        *segment++ = {.address = number(first.address),
                      .bytes = 0,
                      .stream = number(around.pool->stream().handle),
                      .is_small = heap.is_small(around),
                      .is_range = around.is_range};
      },
      [&](const Block& at) {
        std::prev(segment)->bytes += at.bytes;
        ++std::prev(segment)->block_count;
        *block++ = seen(at);
      });
  if (is_on())
    history_.record(
        {.bytes = heap.current(&PoolCounts::reserved_bytes), .action = HistoryAction::snapshot});
  history_.copy(snapshot.entries.data());
  snapshot.lost_entry_count = history_.lost_count();
  needed.entries = history_.size();
  return needed;
}

}  // namespace garboard
