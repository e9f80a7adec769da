// Whether ops are recorded in one context, and by which block's will.
#pragma once

#include <cstddef>
#include <cstdint>

#include "csrc/core/pool.h"

namespace garboard::python {

/// The blocks that set grad mode, as they were entered. They may be left in any order: the mode is
/// that of the innermost one that is left. Outside of all it is true, until it is set.
class GradModes {
 public:
  bool is_enabled() const noexcept { return is_enabled_; }
  /// Of the innermost block, or of what lies outside of all.
  void set(bool enabled) noexcept {
    is_enabled_ = enabled;
    (blocks_.empty() ? outside_ : blocks_.back().is_enabled) = enabled;
  }
  /// How many blocks are open.
  std::size_t depth() const noexcept { return blocks_.size(); }

  /// Throws std::bad_alloc.
  void enter(std::uint64_t block, bool enabled) {
    blocks_.push_back({block, enabled});
    is_enabled_ = enabled;
  }
  /// Leaves the innermost block of this number, if one is open here.
  void leave(std::uint64_t block) noexcept {
    for (auto it = blocks_.end(); it != blocks_.begin();) {
      if ((--it)->number != block) continue;
      blocks_.erase(it);
      break;
    }
    is_enabled_ = blocks_.empty() ? outside_ : blocks_.back().is_enabled;
  }

 private:
  struct OpenBlock {
    std::uint64_t number;  // a block that is entered again within itself has the same
    bool is_enabled;
  };
  bool is_enabled_ = true;
  bool outside_ = true;
  pool::Vector<OpenBlock> blocks_;
};

}  // namespace garboard::python
