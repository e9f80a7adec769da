#include "csrc/memory/heap/pool.h"

#include <cassert>

namespace garboard {

// A free neighbour takes the block in, and mostly stays in its bin; of two, the lower takes both.
void Pool::give(Block& block) noexcept {
  assert(block.is_live() && "a block was released twice");
  Block* const before = block.before && block.before->is_free() ? block.before : nullptr;
  Block* const after = block.after && block.after->is_free() ? block.after : nullptr;
  if (before) {
    const std::size_t old_bytes = before->bytes;
    if (after) {
      if (after == wilderness_) {
        bins_.remove(*before);
        wilderness_ = before;
      } else {
        bins_.remove(*after);
      }
      swallow_above(*before, block);
      swallow_above(*before, *after);
      if (before == wilderness_) return;
    } else {
      swallow_above(*before, block);
    }
    move(*before, old_bytes);
  } else if (after) {
    const std::size_t old_bytes = after->bytes;
    after->address = block.address;
    after->bytes += block.bytes;
    after->before = block.before;
    link_below(*after);
    supply_.give(&block);
    if (after != wilderness_) bins_.move(*after, old_bytes);
  } else {
    block.requested_bytes = 0;
    block.state = BlockState::free;
    insert(block);
  }
}

void Pool::insert(Block& free) noexcept {
  if (touches_the_end(free) && !wilderness_) {
    wilderness_ = &free;
  } else {
    bins_.insert(free);
  }
}

// It is in the bin of its old size, and may have come to touch the end.
void Pool::move(Block& free, std::size_t old_bytes) noexcept {
  bins_.move(free, old_bytes);
  if (!touches_the_end(free) || wilderness_) return;
  bins_.remove(free);
  wilderness_ = &free;
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
  block.segment = &segment;
  block.before = block.after = nullptr;
  segment.pool = this;
  segment.first = &block;
  if (segment.is_range) {
    block.state = BlockState::unmapped;
    segment.gaps.insert(block);
  } else {
    segment.mapped_bytes = segment.bytes;
    block.state = BlockState::free;
    bins_.insert(block);
  }
}

void Pool::remove(Segment& segment) noexcept {
  assert(!segment.first->after && "a segment with a live block was trimmed");
  if (segment.is_range) {
    assert(segment.first->is_unmapped());
    segment.gaps.remove(*segment.first);
  } else {
    assert(segment.is_free());
    bins_.remove(*segment.first);
  }
  supply_.give(segment.first);
  segment.first = nullptr;
}

}  // namespace garboard
