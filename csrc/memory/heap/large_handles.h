// Which chunks of a range are one handle of its source, and so cannot be cut.
#pragma once

#include <cstddef>
#include <vector>

#include "csrc/core/rounding.h"

namespace garboard {

/// A bit for each aligned chunk of the size of a large handle. Only making it allocates. Not
/// thread-safe: the allocator of its range locks.
class LargeHandles {
 public:
  /// None, ever: all granules can go alone.
  LargeHandles() = default;
  /// None yet, of a range of `bytes`; `handle_bytes` is MemorySource::large_handle_bytes. Throws
  /// std::bad_alloc.
  LargeHandles(std::size_t bytes, std::size_t handle_bytes)
      : handle_bytes_(handle_bytes), is_large_(handle_bytes ? bytes / handle_bytes + 2 : 0) {}
  /// Where that range is. To be told before anything else is asked.
  void place(std::byte* range) noexcept {
    if (handle_bytes_ > 0) first_ = rounded_down(range, handle_bytes_);
  }

  /// One call has mapped what lies between: by the rule of HandleSizes.
  void add(std::byte* begin, std::byte* end) noexcept { mark(begin, end, true); }
  /// What lies between is taken away. It cuts none.
  void remove(std::byte* begin, std::byte* end) noexcept { mark(begin, end, false); }

  /// The next place at or above `address` that is not inside a large handle, and at or below it.
  std::byte* edge_above(std::byte* address) const noexcept {
    return is_inside(address) ? rounded_up(address, handle_bytes_) : address;
  }
  std::byte* edge_below(std::byte* address) const noexcept {
    return is_inside(address) ? rounded_down(address, handle_bytes_) : address;
  }
  /// Whether a large handle has something of what lies between.
  bool reach_into(std::byte* begin, std::byte* end) const noexcept {
    if (handle_bytes_ == 0) return false;
    const std::size_t last = index_of(rounded_up(end, handle_bytes_));
    for (std::size_t i = index_of(begin); i < last; ++i)
      if (is_large_[i]) return true;
    return false;
  }

 private:
  bool is_inside(std::byte* address) const noexcept {
    return handle_bytes_ > 0 && rounded_down(address, handle_bytes_) != address &&
           is_large_[index_of(address)];
  }
  std::size_t index_of(std::byte* address) const noexcept {
    return static_cast<std::size_t>(address - first_) / handle_bytes_;
  }
  // Whole chunks alone: those at the ends came by granules.
  void mark(std::byte* begin, std::byte* end, bool is_large) noexcept {
    if (handle_bytes_ == 0) return;
    const std::size_t last = index_of(rounded_down(end, handle_bytes_));
    for (std::size_t i = index_of(rounded_up(begin, handle_bytes_)); i < last; ++i)
      is_large_[i] = is_large;
  }

  std::size_t handle_bytes_ = 0;
  std::byte* first_ = nullptr;  // the chunk in which the range begins
  std::vector<bool> is_large_;  // of two more than fit: a range may begin and end inside one
};

}  // namespace garboard
