// Addresses that came from one call of the source, and the list of all of them.
#pragma once

#include <cstddef>

#include "csrc/memory/block.h"
#include "csrc/memory/gaps.h"

namespace garboard {

class Pool;

/// Cut into blocks without gaps between them. Either a range of addresses, most of them without
/// memory, that is mapped and unmapped by pages; or memory that came and goes as a whole.
struct Segment {
  std::byte* address = nullptr;
  std::size_t bytes = 0;
  bool is_range = false;
  std::size_t mapped_bytes = 0;  // what of it has memory
  Pool* pool = nullptr;
  Block* first = nullptr;  // the block at `address`
  Gaps gaps;               // of a range
  Segment* below = nullptr;
  Segment* above = nullptr;

  bool is_free() const noexcept { return first->is_free() && !first->after; }
};

/// Lowest address first. Owns nothing. Not thread-safe.
class SegmentList {
 public:
  /// Linear in the segments above: they are few, and each has cost a call of the source.
  void insert(Segment& segment) noexcept {
    Segment* above = nullptr;
    Segment* below = highest_;
    while (below && below->address > segment.address) {
      above = below;
      below = below->below;
    }
    segment.below = below;
    segment.above = above;
    (above ? above->below : highest_) = &segment;
    if (below) below->above = &segment;
  }
  void remove(Segment& segment) noexcept {
    (segment.above ? segment.above->below : highest_) = segment.below;
    if (segment.below) segment.below->above = segment.above;
  }
  Segment* highest() const noexcept { return highest_; }

 private:
  Segment* highest_ = nullptr;
};

}  // namespace garboard
