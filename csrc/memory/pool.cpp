#include "csrc/memory/pool.h"

#include <cassert>

namespace garboard {

// What is cut off is the lower end, and it gets the new descriptor: the free block keeps its own,
// and mostly its bin. Always cut: what is handed out uncut is lost to everybody else.
Block* Pool::take(std::size_t bytes) noexcept {
  const std::size_t needed = rounded(bytes);
  Block* const found = bins_.find(needed);
  if (!found) return nullptr;
  if (found->bytes == needed) {
    bins_.remove(*found);
    found->requested_bytes = bytes;
    found->is_free = false;
    return found;
  }
  Block* const block = supply_.take();
  block->address = found->address;
  block->bytes = needed;
  block->requested_bytes = bytes;
  block->is_free = false;
  block->before = found->before;
  block->after = found;
  block->segment = found->segment;
  block->stream = stream_;
  link_below(*block);
  found->before = block;
  found->address += needed;
  found->bytes -= needed;
  bins_.move(*found, found->bytes + needed);
  return block;
}

// A free neighbour takes the block in, and mostly stays in its bin; of two, the lower takes both.
void Pool::give(Block& block) noexcept {
  assert(!block.is_free && "a block was released twice");
  Block* const before = block.before && block.before->is_free ? block.before : nullptr;
  Block* const after = block.after && block.after->is_free ? block.after : nullptr;
  if (before) {
    const std::size_t old_bytes = before->bytes;
    if (after) {
      bins_.remove(*after);
      swallow_above(*before, block);
      swallow_above(*before, *after);
    } else {
      swallow_above(*before, block);
    }
    bins_.move(*before, old_bytes);
  } else if (after) {
    const std::size_t old_bytes = after->bytes;
    after->address = block.address;
    after->bytes += block.bytes;
    after->before = block.before;
    link_below(*after);
    supply_.give(&block);
    bins_.move(*after, old_bytes);
  } else {
    block.requested_bytes = 0;
    block.is_free = true;
    bins_.insert(block);
  }
}

void Pool::link_below(Block& block) noexcept {
  (block.before ? block.before->after : block.segment->first) = &block;
}

void Pool::swallow_above(Block& block, Block& above) noexcept {
  block.bytes += above.bytes;
  block.after = above.after;
  if (block.after) block.after->before = &block;
  supply_.give(&above);
}

void Pool::add(Segment& segment) noexcept {
  Block& block = *supply_.take();
  block.address = segment.address;
  block.bytes = segment.bytes;
  block.requested_bytes = 0;
  block.stream = stream_;
  block.is_free = true;
  block.segment = &segment;
  block.before = block.after = nullptr;
  segment.pool = this;
  segment.first = &block;
  bins_.insert(block);
}

void Pool::remove(Segment& segment) noexcept {
  assert(segment.is_free() && "a segment with a live block was trimmed");
  bins_.remove(*segment.first);
  supply_.give(segment.first);
  segment.first = nullptr;
}

}  // namespace garboard
