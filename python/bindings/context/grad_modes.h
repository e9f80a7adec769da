// How ops run in one context, recorded or not, and by which block's will.
#pragma once

#include <cstddef>
#include <cstdint>

#include "csrc/core/pool.h"
#include "csrc/tensor/grad_mode.h"

namespace garboard::python {

/// The blocks that set bits of the mode (csrc/tensor/grad_mode.h), as they were entered. They may
/// be left in any order: each bit is that of the innermost block left that sets it. Outside of all,
/// ops are recorded, until that is set.
class GradModes {
 public:
  std::uint8_t bits() const noexcept { return bits_; }
  bool is_enabled() const noexcept { return bits_ & mode::records; }
  /// Sets the bits of `mask`: of the innermost block that sets them, or of what lies outside of
  /// all. Returns what they were there.
  std::uint8_t set(std::uint8_t mask, std::uint8_t bits) noexcept {
    std::uint8_t* place = &outside_;
    for (Block& block : blocks_) {
      if (block.mask & mask) place = &block.bits;
    }
    const std::uint8_t before = *place & mask;
    *place = static_cast<std::uint8_t>((*place & ~mask) | (bits & mask));
    bits_ = effective();
    return before;
  }
  /// How many blocks are open that set a bit of `mask`.
  std::size_t depth(std::uint8_t mask) const noexcept {
    std::size_t count = 0;
    for (const Block& block : blocks_) count += (block.mask & mask) != 0;
    return count;
  }

  /// Sets the bits of `mask`. Throws std::bad_alloc.
  void enter(std::uint64_t block, std::uint8_t mask, std::uint8_t bits) {
    blocks_.push_back({block, mask, bits});
    bits_ = effective();
  }
  /// Leaves the innermost block of this number, if one is open here.
  void leave(std::uint64_t block) noexcept {
    for (auto it = blocks_.end(); it != blocks_.begin();) {
      if ((--it)->number != block) continue;
      blocks_.erase(it);
      break;
    }
    bits_ = effective();
  }

 private:
  struct Block {
    std::uint64_t number;  // a block that is entered again within itself has the same
    std::uint8_t mask, bits;
  };
  std::uint8_t effective() const noexcept {
    std::uint8_t bits = outside_;
    for (const Block& block : blocks_)
      bits = static_cast<std::uint8_t>((bits & ~block.mask) | block.bits);
    return bits & mode::inference ? bits & ~mode::records : bits;
  }

  std::uint8_t bits_ = mode::records;
  std::uint8_t outside_ = mode::records;
  pool::Vector<Block> blocks_;
};

}  // namespace garboard::python
