#include "csrc/memory/arena/arena.h"

namespace garboard {

void Arena::attend() noexcept {
  const bool is_pending = heap_.current(&PoolCounts::pending_blocks) > 0;
  const bool is_over = accounts_.lacking_bytes(0) > 0;
  has_pending_.store(is_pending, std::memory_order_relaxed);
  is_over_limit_.store(is_over, std::memory_order_relaxed);
  is_attentive_.store(recorder_.is_on() || is_pending || is_over || is_captured(),
                      std::memory_order_relaxed);
}

Block* Arena::take_from_large(std::size_t bytes, Stream stream) noexcept {
  if (!accounts_.allows(bytes) || !heap_.is_stocked(stream)) return nullptr;
  return counted(heap_.take_from_large(bytes, stream));
}

Block* Arena::take_from_others(std::size_t bytes, Stream stream) noexcept {
  return accounts_.allows(bytes) ? counted(heap_.take_from_others(bytes, stream)) : nullptr;
}

bool Arena::suspend(Block& block, std::uint32_t thread) noexcept {
  recorder_.freed(block, thread, HistoryAction::free_requested);
  accounts_.books().subtract(block.requested_bytes);
  const bool is_due = heap_.suspend(block);
  attend();
  return is_due;
}

void Arena::end_pending(Block& block) noexcept {
  recorder_.freed(block, 0, HistoryAction::free_completed);
  heap_.put_back(block);
}

Block* Arena::settle(const Held& held, std::size_t bytes) noexcept {
  recorder_.mapped(held);
  Block* block = nullptr;
  if (accounts_.allows(bytes)) {
    block = counted(heap_.settle(held, bytes));
  } else {
    heap_.absorb(held);
  }
  accounts_.note_reserved();
  return block;
}

void Arena::add(Segment& segment, std::size_t bytes, Stream stream) noexcept {
  heap_.add(segment, bytes, stream);
  if (segment.is_range) return;
  recorder_.moved(HistoryAction::segment_alloc, *segment.first);
  accounts_.note_reserved();
}

Block* Arena::carve(std::size_t bytes, End end) noexcept {
  Block* const carved = heap_.carve(bytes, end);
  if (!carved) return nullptr;
  accounts_.begin_unmapping(carved->bytes);
  recorder_.moved(HistoryAction::segment_unmap, *carved);
  return carved;
}

void Arena::drop(Block& carved) noexcept {
  accounts_.end_unmapping(carved.bytes);
  heap_.drop(carved);
}

Segment* Arena::take_free_segments(std::size_t bytes) noexcept {
  Segment* const taken = heap_.take_free_segments(bytes);
  for (const Segment* segment = taken; segment; segment = segment->below) {
    accounts_.begin_unmapping(segment->bytes);
    recorder_.returned(*segment);
  }
  return taken;
}

void Arena::forget_others() noexcept {
  recorder_.clear();
  accounts_.forget_transfers();
  for (StreamPools* pools = heap_.streams(); pools; pools = pools->next.get())
    pools->pending.abandon_sealing();
}

}  // namespace garboard
