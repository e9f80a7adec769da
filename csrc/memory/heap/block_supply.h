// Where the descriptors of blocks come from: slabs that are made outside the allocator's lock.
#pragma once

#include <array>
#include <memory>

#include "csrc/memory/heap/block.h"

namespace garboard {

/// Unused descriptors. They go back to the system with the supply. Not thread-safe.
class BlockSupply {
 public:
  struct Slab {
    std::array<Block, 128> blocks;
    std::unique_ptr<Slab> next;
  };

  BlockSupply() = default;
  BlockSupply(const BlockSupply&) = delete;
  BlockSupply& operator=(const BlockSupply&) = delete;
  ~BlockSupply();

  bool is_empty() const noexcept { return !spare_; }
  /// Whether `take` can be called twice: the most that one step needs.
  bool is_stocked() const noexcept { return spare_ && spare_->bin_after; }
  void stock(std::unique_ptr<Slab> slab) noexcept;

  /// A descriptor whose fields are all to be set. There must be one.
  Block* take() noexcept {
    Block* const block = spare_;
    spare_ = block->bin_after;
    return block;
  }
  void give(Block* block) noexcept {
    block->state = BlockState::free;  // so that a second release can be told
    block->bin_after = spare_;
    spare_ = block;
  }

 private:
  Block* spare_ = nullptr;  // chained through bin_after
  std::unique_ptr<Slab> slabs_;
};

}  // namespace garboard
