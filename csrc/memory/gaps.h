// The stretches of an address range that have no memory.
#pragma once

#include "csrc/memory/block.h"

namespace garboard {

/// Lowest address first; chained through the blocks' own links. Each has cost a call of the source,
/// so there are few, and inserting is linear in those below. Not thread-safe.
class Gaps {
 public:
  void insert(Block& gap) noexcept {
    Block* before = nullptr;
    Block* after = lowest_;
    while (after && after->address < gap.address) {
      before = after;
      after = after->bin_after;
    }
    gap.bin_before = before;
    gap.bin_after = after;
    (before ? before->bin_after : lowest_) = &gap;
    if (after) after->bin_before = &gap;
  }
  void remove(Block& gap) noexcept {
    (gap.bin_before ? gap.bin_before->bin_after : lowest_) = gap.bin_after;
    if (gap.bin_after) gap.bin_after->bin_before = gap.bin_before;
  }
  /// The next higher one is its `bin_after`.
  Block* lowest() const noexcept { return lowest_; }

 private:
  Block* lowest_ = nullptr;
};

}  // namespace garboard
