// Free blocks by size, in two levels: powers of two, each cut into eight equal steps (Masmano and
// others, "TLSF: a new dynamic memory allocator for real-time systems", ECRTS 2004).
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "csrc/memory/heap/block.h"

namespace garboard {

/// Every call but `largest_bytes` takes constant time, however many blocks there are. A bin gives
/// the block that came last: its bytes are the likeliest to be in the caches. Not thread-safe.
class Bins {
  static constexpr int steps = 8;  // a search wastes at most an eighth
  static constexpr int rows = 44;

 public:
  /// Blocks and what is looked for have fewer.
  static constexpr std::size_t most_quanta = std::size_t{steps} << (rows - 1);
  static_assert(largest_request_bytes / least_quantum_bytes + 1 < most_quanta);

  /// All blocks are multiples of `quantum_bytes`, a power of two.
  explicit Bins(std::size_t quantum_bytes) noexcept;

  void insert(Block& block) noexcept { insert(block, bin_of(block.bytes)); }
  /// `block` is in.
  void remove(Block& block) noexcept { remove(block, bin_of(block.bytes)); }
  /// `block` is in, and had `old_bytes` until now.
  void move(Block& block, std::size_t old_bytes) noexcept {
    const Bin from = bin_of(old_bytes);
    const Bin to = bin_of(block.bytes);
    if (from == to) return;  // the usual case, when little is cut from much
    remove(block, from);
    insert(block, to);
  }
  /// A block of at least `bytes`, which stays in, or null. One that is less than an eighth larger
  /// than `bytes` may be missed, behind `longest_walk` younger ones.
  Block* find(std::size_t bytes) const noexcept;
  /// The size of the largest block; 0 without any.
  std::size_t largest_bytes() const noexcept;

  static constexpr int longest_walk = 32;

  /// Calls `act` with every block of at least `bytes`; linear in them and in those of their size.
  template <class Act>
  void for_each_of_at_least(std::size_t bytes, Act act) const {
    const Bin least = bin_of(bytes);
    for (int i = least.row * steps + least.step; i < rows * steps; ++i) {
      for (Block* block = first_[i]; block; block = block->bin_after) {
        if (block->bytes >= bytes) act(*block);
      }
    }
  }

  // For checks: they walk.
  bool holds(const Block& block) const noexcept;
  std::size_t block_count() const noexcept;

 private:
  // Row 0 holds 1 to 7 quanta, a size a step; row r holds 8 * 2^(r-1) and up to twice that.
  struct Bin {
    int row;
    int step;
    friend bool operator==(Bin, Bin) = default;
  };
  Bin bin_of(std::size_t bytes) const noexcept {
    const std::size_t quanta = bytes >> quantum_log2_;
    assert(quanta < most_quanta && "there is no bin for so much");
    if (quanta < steps) return {0, static_cast<int>(quanta)};
    const int log2 = static_cast<int>(std::bit_width(quanta)) - 1;
    return {log2 - 2, static_cast<int>((quanta >> (log2 - 3)) & (steps - 1))};
  }
  void insert(Block& block, Bin bin) noexcept;
  void remove(Block& block, Bin bin) noexcept;
  Block* at(Bin bin) const noexcept { return first_[bin.row * steps + bin.step]; }
  Block*& at(Bin bin) noexcept { return first_[bin.row * steps + bin.step]; }

  int quantum_log2_;
  std::uint64_t rows_in_use_ = 0;  // a bit for each row with a block
  std::array<std::uint8_t, rows> steps_in_use_{};
  std::array<Block*, rows * steps> first_{};
};

// Here, for a hit of the allocator is to become one run of instructions.

inline void Bins::insert(Block& block, Bin bin) noexcept {
  Block*& first = at(bin);
  block.bin_before = nullptr;
  block.bin_after = first;
  if (first) first->bin_before = &block;
  first = &block;
  rows_in_use_ |= std::uint64_t{1} << bin.row;
  steps_in_use_[bin.row] |= static_cast<std::uint8_t>(1 << bin.step);
}

inline void Bins::remove(Block& block, Bin bin) noexcept {
  if (block.bin_after) block.bin_after->bin_before = block.bin_before;
  if (block.bin_before) {
    block.bin_before->bin_after = block.bin_after;
    return;
  }
  at(bin) = block.bin_after;
  if (block.bin_after) return;
  steps_in_use_[bin.row] &= static_cast<std::uint8_t>(~(1 << bin.step));
  if (!steps_in_use_[bin.row]) rows_in_use_ &= ~(std::uint64_t{1} << bin.row);
}

// First the youngest of the request's own bin: a loop that asks for the same sizes again gets the
// same blocks again. Then any block of the next bin in use: all of those are larger. Only then the
// rest of the own bin, whose blocks may be too small, and not all of it: no search is linear.
inline Block* Bins::find(std::size_t bytes) const noexcept {
  const Bin own = bin_of(bytes);
  Block* const youngest = at(own);
  if (youngest && youngest->bytes >= bytes) return youngest;

  const unsigned later_steps = steps_in_use_[own.row] & (~1u << own.step);
  if (later_steps) return at({own.row, std::countr_zero(later_steps)});
  const std::uint64_t later_rows = rows_in_use_ & (~std::uint64_t{1} << own.row);
  if (later_rows) {
    const int row = std::countr_zero(later_rows);
    return at({row, std::countr_zero(steps_in_use_[row])});
  }

  Block* block = youngest;
  for (int i = 0; block && i < longest_walk; ++i, block = block->bin_after) {
    if (block->bytes >= bytes) return block;
  }
  return nullptr;
}

}  // namespace garboard
