// The blocks of one stream and size class: bins over segments that are split and merged at once.
#pragma once

#include <cstddef>

#include "csrc/core/rounding.h"
#include "csrc/memory/heap/bins.h"
#include "csrc/memory/heap/block_supply.h"
#include "csrc/memory/heap/segment.h"

namespace garboard {

/// Neighbours that a growth holds for itself while it has memory put behind those without any.
struct Held {
  Block* first = nullptr;  // null: nothing is held
  Block* last = nullptr;
  std::size_t missing_bytes = 0;  // to be mapped
  bool by_granules = false;       // without large handles
};

/// Where memory is to grow.
enum class Fit {
  lowest,   // at the lowest addresses: holes are filled first
  least,    // where the least is to be mapped
  highest,  // at the end, mostly: behind addresses that were never needed
};

/// To take and to give is constant-time pointer work. The free block below the addresses of a range
/// that were never needed, its wilderness, is used only where nothing else fits: it is what can
/// still grow. Not thread-safe: its allocator locks.
class Pool {
 public:
  /// Blocks are multiples of `quantum_bytes`, and aligned to it, as segments are.
  Pool(Stream stream, std::size_t quantum_bytes, BlockSupply& supply) noexcept
      : stream_(stream), quantum_bytes_(quantum_bytes), bins_(quantum_bytes), supply_(supply) {}
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// What a request occupies.
  std::size_t rounded(std::size_t bytes) const noexcept {
    return rounded_up(bytes, quantum_bytes_);
  }

  /// A block for `bytes`, or null. What it does not need stays free. The supply is not empty.
  Block* take(std::size_t bytes) noexcept;
  /// Frees a block of this pool, and merges it with its free neighbours.
  void give(Block& block) noexcept;

  /// Adds a new segment as one free block, a range as one gap. The supply is not empty.
  void add(Segment& segment) noexcept;
  /// Takes a wholly free segment, or a wholly unmapped range, out.
  void remove(Segment& segment) noexcept;

  /// Holds neighbours for `bytes` in `range`, where `granularity` bytes and multiples of them can
  /// be mapped. Where there is more without memory, it asks for `most_bytes` of it. Stocked supply.
  Held hold(Segment& range, std::size_t bytes, std::size_t most_bytes, std::size_t granularity,
            Fit fit) noexcept;
  /// What is held has memory: a block for `bytes` out of it. The supply is not empty.
  Block* settle(const Held& held, std::size_t bytes) noexcept;
  /// It has none, and is given up.
  void cancel(const Held& held) noexcept;

  /// Takes the upper granules out of a free block of a range, `bytes` or all, and more of them only
  /// with a large handle; null where it has no whole one. Stocked supply.
  Block* carve(Block& free, std::size_t bytes, std::size_t granularity) noexcept;
  /// What was carved out has no memory any more.
  void drop(Block& carved) noexcept;

  Stream stream() const noexcept { return stream_; }
  std::size_t quantum_bytes() const noexcept { return quantum_bytes_; }
  const Bins& bins() const noexcept { return bins_; }
  Block* wilderness() const noexcept { return wilderness_; }

 private:
  Block* cut(Block& free, std::size_t needed, std::size_t bytes) noexcept;
  void insert(Block& free) noexcept;
  void detach(Block& free) noexcept;
  void move(Block& free, std::size_t old_bytes) noexcept;
  Block* split(Block& block, std::size_t lower_bytes) noexcept;
  void open_gap(Block& block) noexcept;
  void link_below(Block& block) noexcept;
  void swallow_above(Block& block, Block& above) noexcept;
  static bool touches_the_end(const Block& block) noexcept {
    return block.after && block.after->is_unmapped() && !block.after->after;
  }

  Stream stream_;
  std::size_t quantum_bytes_;
  Bins bins_;
  Block* wilderness_ = nullptr;  // free, and in no bin
  BlockSupply& supply_;
};

// Here, as in bins.h.

inline Block* Pool::take(std::size_t bytes) noexcept {
  const std::size_t needed = rounded(bytes);
  Block* found = bins_.find(needed);
  if (!found) {
    if (!wilderness_ || wilderness_->bytes < needed) return nullptr;
    found = wilderness_;
  }
  return cut(*found, needed, bytes);
}

// What is cut off is the lower end, and it gets the new descriptor: the free block keeps its own,
// and mostly its bin. Always cut: what is handed out uncut is lost to everybody else.
inline Block* Pool::cut(Block& free, std::size_t needed, std::size_t bytes) noexcept {
  if (free.bytes == needed) {
    detach(free);
    free.requested_bytes = bytes;
    free.state = BlockState::live;
    return &free;
  }
  Block* const block = supply_.take();
  block->address = free.address;
  block->bytes = needed;
  block->requested_bytes = bytes;
  block->state = BlockState::live;
  block->before = free.before;
  block->after = &free;
  block->segment = free.segment;
  block->stream = stream_;
  link_below(*block);
  free.before = block;
  free.address += needed;
  free.bytes -= needed;
  if (&free != wilderness_) bins_.move(free, free.bytes + needed);
  return block;
}

inline void Pool::link_below(Block& block) noexcept {
  (block.before ? block.before->after : block.segment->first) = &block;
}

inline void Pool::detach(Block& free) noexcept {
  if (&free == wilderness_) {
    wilderness_ = nullptr;
  } else {
    bins_.remove(free);
  }
}

}  // namespace garboard
