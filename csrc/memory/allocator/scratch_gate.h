// Keeps what kernels take for the time that they run within the limit of a device.
#pragma once

#include <atomic>
#include <cstddef>

#include "csrc/memory/allocator/trimmer.h"
#include "csrc/memory/arena/arena.h"
#include "csrc/memory/record/memory_stats.h"

namespace garboard {

/// Thread-safe: a kernel's worker threads come too, which may take no lock where an outer lock
/// keeps others out. Knows arena and trimmer.
class ScratchGate {
 public:
  /// Both outlive it.
  ScratchGate(Arena& arena, Trimmer& trimmer) noexcept : arena_(arena), trimmer_(trimmer) {}

  /// Counts them. Throws OutOfMemoryError where they and what is live go beyond the limit; free
  /// memory that stands in their way is returned.
  void take(std::size_t bytes);
  void give_back(std::size_t bytes) noexcept;
  /// In a forked child, which has no scratch but its one thread's.
  void forget_others() noexcept;

  void fill_in(MemoryStats& stats) const noexcept { stats.out_of_memory_count += refused_.load(); }

 private:
  PeakedSum& counted() noexcept { return arena_.accounts().scratch(); }

  Arena& arena_;
  Trimmer& trimmer_;
  std::atomic<std::size_t> refused_{0};
};

}  // namespace garboard
