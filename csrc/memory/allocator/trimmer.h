// Gives free memory back to the source.
#pragma once

#include <cstddef>

#include "csrc/memory/allocator/mapper.h"
#include "csrc/memory/arena/arena.h"

namespace garboard {

/// Thread-safe, and called without the arena's lock, which it takes for single steps: a device may
/// be waited for. Knows nobody but arena and source.
class Trimmer {
 public:
  /// Both outlive it.
  Trimmer(Arena& arena, Mapper& mapper) noexcept : arena_(arena), mapper_(mapper) {}

  /// Returns free granules, outermost first, and then free segments, until they come to `bytes` or
  /// none is left: not a granule more than is asked for, but with a large handle. Says how much
  /// that was; nothing while work of the device is captured.
  std::size_t trim(std::size_t bytes, End end = End::highest) noexcept;
  /// As much as is charged beyond the limit.
  void trim_to_limit() noexcept;
  /// Waits for what other threads are returning right now, but not for ever.
  void await_others() const noexcept;
  /// When the allocator ends: a range costs addresses, and growing again would need a new one.
  void return_ranges() noexcept;

 private:
  std::size_t trim_piece(std::size_t bytes, End end) noexcept;
  std::size_t trim_segments(std::size_t bytes) noexcept;

  Arena& arena_;
  Mapper& mapper_;
};

}  // namespace garboard
