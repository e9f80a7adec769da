// The blocks of one stream and size class: bins over segments that are split and merged at once.
#pragma once

#include <cstddef>

#include "csrc/memory/bins.h"
#include "csrc/memory/block_supply.h"
#include "csrc/memory/segment.h"

namespace garboard {

/// Everything is constant-time pointer work. Not thread-safe: its allocator locks.
class Pool {
 public:
  /// Blocks are multiples of `quantum_bytes`, and aligned to it, as segments are.
  Pool(Stream stream, std::size_t quantum_bytes, BlockSupply& supply) noexcept
      : stream_(stream), quantum_bytes_(quantum_bytes), bins_(quantum_bytes), supply_(supply) {}
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// What a request occupies.
  std::size_t rounded(std::size_t bytes) const noexcept {
    return (bytes + quantum_bytes_ - 1) & ~(quantum_bytes_ - 1);
  }

  /// A block for `bytes`, or null. What it does not need stays free. The supply is not empty.
  Block* take(std::size_t bytes) noexcept;
  /// Frees a block of this pool, and merges it with its free neighbours.
  void give(Block& block) noexcept;

  /// Adds a new segment as one free block. The supply is not empty.
  void add(Segment& segment) noexcept;
  /// Takes a wholly free segment out.
  void remove(Segment& segment) noexcept;

  Stream stream() const noexcept { return stream_; }
  std::size_t quantum_bytes() const noexcept { return quantum_bytes_; }
  const Bins& bins() const noexcept { return bins_; }

 private:
  void link_below(Block& block) noexcept;
  void swallow_above(Block& block, Block& above) noexcept;

  Stream stream_;
  std::size_t quantum_bytes_;
  Bins bins_;
  BlockSupply& supply_;
};

}  // namespace garboard
