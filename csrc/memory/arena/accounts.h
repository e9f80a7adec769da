// What the memory of one device comes to: live, reserved, on its way, and the limit on all that.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "csrc/memory/heap/heap.h"
#include "csrc/memory/record/books.h"
#include "csrc/memory/record/memory_stats.h"
#include "csrc/memory/record/out_of_memory_report.h"
#include "csrc/memory/record/peaked_sum.h"
#include "csrc/memory/sources/memory_source.h"

namespace garboard {

/// Counts what the heap cannot: booked bytes, what is on its way to or from the source, peaks of
/// both. Not thread-safe, `books` apart: its arena locks.
class Accounts {
 public:
  /// Both outlive them.
  Accounts(const Heap& heap, const MemorySource& source) noexcept : heap_(heap), source_(source) {}

  /// What is live, of blocks and booked.
  Books& books() noexcept { return books_; }
  const Books& books() const noexcept { return books_; }

  /// What kernels have taken beside all that, for the time that they run.
  PeakedSum& scratch() noexcept { return scratch_; }
  const PeakedSum& scratch() const noexcept { return scratch_; }

  void set_limit(std::optional<std::size_t> bytes, LimitOrigin origin) noexcept {
    limit_bytes_.store(bytes.value_or(SIZE_MAX), std::memory_order_relaxed);
    limit_origin_ = origin;
  }
  std::optional<std::size_t> limit() const noexcept {
    const std::size_t bytes = limit_bytes();
    return bytes == SIZE_MAX ? std::nullopt : std::optional(bytes);
  }
  LimitOrigin limit_origin() const noexcept { return limit_origin_; }
  /// SIZE_MAX without any. Needs no lock.
  std::size_t limit_bytes() const noexcept { return limit_bytes_.load(std::memory_order_relaxed); }
  /// The limit, or what the device has where that is less.
  std::size_t ceiling_bytes() const noexcept {
    return std::min(limit_bytes(), source_.capacity_bytes());
  }
  /// Whether so much more may be live.
  bool allows(std::size_t bytes) const noexcept {
    return books_.live_bytes() + bytes <= limit_bytes();
  }

  std::size_t booked_bytes() const noexcept {
    return books_.live_bytes() - heap_.current(&PoolCounts::requested_bytes);
  }
  /// What is being unmapped is still there.
  std::size_t reserved_bytes() const noexcept {
    return heap_.current(&PoolCounts::reserved_bytes) + unmapping_bytes_;
  }
  /// Free, and in no pending block.
  std::size_t cached_bytes() const noexcept {
    return heap_.current(&PoolCounts::reserved_bytes) - heap_.current(&PoolCounts::occupied_bytes);
  }
  /// What counts against the limit: also what is booked, what is being mapped, and scratch.
  std::size_t charged_bytes() const noexcept {
    return reserved_bytes() + mapping_bytes_ + booked_bytes() + scratch_.bytes();
  }
  /// How far that and `bytes` more go beyond the limit.
  std::size_t lacking_bytes(std::size_t bytes) const noexcept {
    const std::size_t charged = charged_bytes() + bytes;
    const std::size_t limit = limit_bytes();
    return charged > limit ? charged - limit : 0;
  }

  void begin_mapping(std::size_t bytes) noexcept { mapping_bytes_ += bytes; }
  void end_mapping(std::size_t bytes) noexcept { mapping_bytes_ -= bytes; }
  void begin_unmapping(std::size_t bytes) noexcept { unmapping_bytes_ += bytes; }
  void end_unmapping(std::size_t bytes) noexcept { unmapping_bytes_ -= bytes; }
  bool is_unmapping() const noexcept { return unmapping_bytes_ > 0; }
  /// Whoever was mapping and unmapping does not exist any more.
  void forget_transfers() noexcept { mapping_bytes_ = unmapping_bytes_ = 0; }

  /// After memory has come.
  void note_reserved() noexcept { peak_reserved_ = std::max(peak_reserved_, reserved_bytes()); }
  /// What is live and reserved now becomes the peak.
  void reset_peaks() noexcept {
    books_.reset_peak();
    scratch_.reset_peak();
    peak_reserved_ = reserved_bytes();
  }

  void fill_in(MemoryStats& stats) const noexcept {
    const PoolCounts all = heap_.counts().summed().all;
    stats.live_bytes = books_.live_bytes();
    stats.peak_live_bytes = books_.peak_bytes();
    stats.booked_bytes = booked_bytes();
    stats.reserved_bytes = reserved_bytes();
    stats.peak_reserved_bytes = peak_reserved_;
    stats.pending_bytes = all.pending_bytes.current();
    stats.cached_bytes = cached_bytes();
    stats.largest_free_block = heap_.largest_free_bytes();
    stats.foreign_bytes = books_.foreign_bytes();
    stats.scratch_bytes = scratch_.bytes();
    stats.peak_scratch_bytes = scratch_.peak_bytes();
    stats.allocation_count = all.blocks.ever_allocated();
    stats.free_count = all.blocks.ever_freed();
    stats.segment_count = all.segments.current();
  }

 private:
  alignas(
      64) Books books_;  // booking takes no lock, so the line is theirs, and what a hit compares
  std::atomic<std::size_t> limit_bytes_ = SIZE_MAX;
  LimitOrigin limit_origin_ = LimitOrigin::program;
  const Heap& heap_;
  const MemorySource& source_;
  std::size_t mapping_bytes_ = 0;
  std::size_t unmapping_bytes_ = 0;
  std::size_t peak_reserved_ = 0;
  alignas(64) PeakedSum scratch_;  // which worker threads enter
};

}  // namespace garboard
