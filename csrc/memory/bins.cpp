#include "csrc/memory/bins.h"

#include <algorithm>
#include <bit>

namespace garboard {

Bins::Bins(std::size_t quantum_bytes) noexcept : quantum_log2_(std::countr_zero(quantum_bytes)) {}

void Bins::insert(Block& block, Place place) noexcept {
  Block*& first = at(place);
  block.bin_before = nullptr;
  block.bin_after = first;
  if (first) first->bin_before = &block;
  first = &block;
  rows_in_use_ |= std::uint64_t{1} << place.row;
  steps_in_use_[place.row] |= static_cast<std::uint8_t>(1 << place.step);
}

void Bins::remove(Block& block, Place place) noexcept {
  if (block.bin_after) block.bin_after->bin_before = block.bin_before;
  if (block.bin_before) {
    block.bin_before->bin_after = block.bin_after;
    return;
  }
  at(place) = block.bin_after;
  if (block.bin_after) return;
  steps_in_use_[place.row] &= static_cast<std::uint8_t>(~(1 << place.step));
  if (!steps_in_use_[place.row]) rows_in_use_ &= ~(std::uint64_t{1} << place.row);
}

// First the youngest of the request's own bin: a loop that asks for the same sizes again gets the
// same blocks again. Then any block of the next bin in use: all of those are larger. Only then the
// rest of the own bin, whose blocks may be too small, and not all of it: no search is linear.
Block* Bins::find(std::size_t bytes) const noexcept {
  const Place own = place_of(bytes);
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

std::size_t Bins::largest_bytes() const noexcept {
  if (!rows_in_use_) return 0;
  const int row = static_cast<int>(std::bit_width(rows_in_use_)) - 1;
  const int step = static_cast<int>(std::bit_width(steps_in_use_[row])) - 1;
  std::size_t largest = 0;
  for (const Block* block = at({row, step}); block; block = block->bin_after) {
    largest = std::max(largest, block->bytes);
  }
  return largest;
}

bool Bins::holds(const Block& block) const noexcept {
  const Block* held = at(place_of(block.bytes));
  while (held && held != &block) held = held->bin_after;
  return held != nullptr;
}

std::size_t Bins::block_count() const noexcept {
  std::size_t count = 0;
  for (const Block* first : first_) {
    for (const Block* block = first; block; block = block->bin_after) ++count;
  }
  return count;
}

}  // namespace garboard
