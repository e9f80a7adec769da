// Addresses that came from one call of the source.
#pragma once

#include <cstddef>

#include "csrc/core/address_list.h"
#include "csrc/memory/heap/block.h"
#include "csrc/memory/heap/large_handles.h"

namespace garboard {

class Pool;

/// The stretches of a range that have no memory.
using Gaps = AddressList<Block, &Block::bin_before, &Block::bin_after>;

/// Cut into blocks without gaps between them. Either a range of addresses, most of them without
/// memory, that is mapped and unmapped by pages; or memory that came and goes as a whole.
struct Segment {
  std::byte* address = nullptr;
  std::size_t bytes = 0;
  bool is_range = false;
  std::size_t mapped_bytes = 0;  // what of it has memory
  Pool* pool = nullptr;
  Block* first = nullptr;      // the block at `address`
  Gaps gaps;                   // of a range
  LargeHandles large_handles;  // of a range
  Segment* below = nullptr;
  Segment* above = nullptr;

  bool is_free() const noexcept { return first->is_free() && !first->after; }
};

/// All of a heap.
using Segments = AddressList<Segment, &Segment::below, &Segment::above>;

}  // namespace garboard
