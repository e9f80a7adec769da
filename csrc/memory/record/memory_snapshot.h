// One look at all segments and blocks of a device, and at what led there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "csrc/memory/record/history.h"

namespace garboard {

/// Taken at one moment, under one lock: played backwards from the last one, the entries undo what
/// made these segments and blocks. Addresses are numbers here: nothing is kept alive.
struct MemorySnapshot {
  enum class State : std::uint8_t { free, live, pending };

  struct BlockRow {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::uint64_t requested_bytes = 0;  // 0 while it is free
    std::uint32_t caller = 0;           // 0: it is older than the recording
    State state = State::free;
  };
  /// A stretch of memory: a segment, or, of a range, addresses that touch and have memory.
  struct SegmentRow {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::uint64_t stream = 0;
    bool is_small = false;  // for requests up to `largest_small_bytes`
    bool is_range = false;  // it may grow and shrink, by segment_map and segment_unmap
    std::size_t block_count = 0;
  };

  std::vector<SegmentRow> segments;   // lowest address first
  std::vector<BlockRow> blocks;       // of the first segment, then of the second, without gaps
  std::vector<HistoryEntry> entries;  // oldest first
  std::uint64_t lost_entry_count = 0;
};

}  // namespace garboard
