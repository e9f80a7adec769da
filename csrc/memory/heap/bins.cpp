#include "csrc/memory/heap/bins.h"

#include <algorithm>
#include <bit>

namespace garboard {

Bins::Bins(std::size_t quantum_bytes) noexcept : quantum_log2_(std::countr_zero(quantum_bytes)) {}

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
  const Block* held = at(bin_of(block.bytes));
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
