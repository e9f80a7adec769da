// How a heap gets memory and gives it up.
#include <utility>

#include "csrc/memory/heap/granules.h"
#include "csrc/memory/heap/heap.h"

namespace garboard {

std::size_t Heap::mapped_bytes(std::size_t bytes, Stream stream) const noexcept {
  const StreamPools* const pools = pools_of(stream);
  const Pool* const pool = bytes <= largest_small_bytes ? &pools->small : &pools->large;
  std::size_t mapped = 0;
  for (const Segment* segment = segments_.highest(); segment; segment = segment->below) {
    if (segment->pool == pool) mapped += segment->mapped_bytes;
  }
  return mapped;
}

Held Heap::hold(std::size_t bytes, Stream stream, std::size_t most_bytes, Fit fit) noexcept {
  Pool& pool = pools_of(stream)->of_size(bytes);
  for (Segment* range = segments_.lowest(); range; range = range->above) {
    if (range->pool != &pool || !range->is_range) continue;
    const Held held = pool.hold(*range, bytes, most_bytes, granularity_bytes_, fit);
    if (held.first) return held;
  }
  return {};
}

Block* Heap::settle(const Held& held, std::size_t bytes) noexcept {
  count_settled(held);
  return counted(held.first->segment->pool->settle(held, bytes));
}

void Heap::absorb(const Held& held) noexcept {
  count_settled(held);
  Pool& pool = *held.first->segment->pool;
  pool.give(*pool.settle(held, pool.quantum_bytes()));
}

void Heap::count_settled(const Held& held) noexcept {
  const Segment& range = *held.first->segment;
  if (held.missing_bytes == 0) return;
  counts_.add_memory(is_small(range), held.missing_bytes, range.mapped_bytes == 0);
}

template <class Act>
void Heap::for_each_free_block_with_granules(Act act) const {
  const auto look = [&](Block& block) {
    const std::size_t whole = granules_of(block, granularity_bytes_).bytes();
    if (whole > 0) act(block, whole);
  };
  for (const StreamPools* pools = pools_.get(); pools; pools = pools->next.get()) {
    if (pools->is_reserved) continue;
    for (const Pool* pool : {&pools->small, &pools->large}) {
      pool->bins().for_each_of_at_least(granularity_bytes_, look);
      if (pool->wilderness()) look(*pool->wilderness());
    }
  }
}

Block* Heap::carve(std::size_t bytes, End end) noexcept {
  Block* outermost = nullptr;
  for_each_free_block_with_granules([&](Block& block, std::size_t) {
    const bool is_higher = outermost && block.address > outermost->address;
    if (!outermost || is_higher == (end == End::highest)) outermost = &block;
  });
  if (!outermost) return nullptr;
  Segment& range = *outermost->segment;
  Block* const carved = range.pool->carve(*outermost, bytes, granularity_bytes_);
  counts_.remove_memory(is_small(range), carved->bytes, range.mapped_bytes == 0);
  return carved;
}

std::size_t Heap::trimmable_bytes() const noexcept {
  std::size_t sum = 0;
  for (const Segment* segment = segments_.highest(); segment; segment = segment->below) {
    if (!segment->is_range && may_go(*segment)) sum += segment->bytes;
  }
  for_each_free_block_with_granules([&](const Block&, std::size_t whole) { sum += whole; });
  return sum;
}

Segment* Heap::take_free_segments(std::size_t bytes) noexcept {
  return take_segments(
      bytes, [this](const Segment& segment) { return !segment.is_range && may_go(segment); });
}

Segment* Heap::take_empty_ranges() noexcept {
  return take_segments(SIZE_MAX, [](const Segment& segment) {
    return segment.is_range && segment.first->is_unmapped() && !segment.first->after;
  });
}

bool Heap::may_go(const Segment& segment) const noexcept {
  return segment.is_free() && !pools_with(*segment.pool)->is_reserved;
}

template <class Chosen>
Segment* Heap::take_segments(std::size_t bytes, Chosen is_chosen) noexcept {
  Segment* taken = nullptr;
  Segment* segment = segments_.highest();
  for (std::size_t sum = 0; segment && sum < bytes;) {
    Segment* const below = segment->below;
    if (is_chosen(*segment)) {
      segments_.remove(*segment);
      segment->pool->remove(*segment);
      if (!segment->is_range) counts_.remove_memory(is_small(*segment), segment->bytes, true);
      sum += segment->bytes;
      segment->below = std::exchange(taken, segment);
    }
    segment = below;
  }
  return taken;
}

}  // namespace garboard
