// What small and large requests have taken: the figures of PyTorch's `memory_stats`.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace garboard {

/// A quantity that comes and goes.
class Tally {
 public:
  /// Returns what is there then.
  std::uint64_t add(std::uint64_t amount) noexcept {
    allocated_ += amount;
    const std::uint64_t now = current();
    raise_peak(now);
    return now;
  }
  void subtract(std::uint64_t amount) noexcept { freed_ += amount; }

  std::uint64_t current() const noexcept { return allocated_ - freed_; }
  std::uint64_t peak() const noexcept { return peak_; }
  /// Since the last reset.
  std::uint64_t allocated() const noexcept { return allocated_ - allocated_before_; }
  std::uint64_t freed() const noexcept { return freed_ - freed_before_; }
  /// Since the beginning.
  std::uint64_t ever_allocated() const noexcept { return allocated_; }
  std::uint64_t ever_freed() const noexcept { return freed_; }

  void reset_peak() noexcept { peak_ = current(); }
  void reset_accumulated() noexcept {
    allocated_before_ = allocated_;
    freed_before_ = freed_;
  }

  // Of a sum only the peak is kept: it is not the sum of the parts' peaks.
  void raise_peak(std::uint64_t now) noexcept { peak_ = std::max(peak_, now); }
  void add_up(const Tally& a, const Tally& b) noexcept {
    allocated_ = a.allocated_ + b.allocated_;
    freed_ = a.freed_ + b.freed_;
    allocated_before_ = a.allocated_before_ + b.allocated_before_;
    freed_before_ = a.freed_before_ + b.freed_before_;
  }

 private:
  std::uint64_t allocated_ = 0, freed_ = 0, peak_ = 0;
  std::uint64_t allocated_before_ = 0, freed_before_ = 0;
};

struct PoolCounts {
  Tally blocks;           // handed out
  Tally requested_bytes;  // that were asked for
  Tally occupied_bytes;   // that the blocks have, pending ones too
  Tally segments;         // with memory
  Tally reserved_bytes;
  Tally pending_blocks;  // given back, and still used by another stream
  Tally pending_bytes;
  std::uint64_t most_active_blocks = 0;  // handed out or pending
  // Free memory that cannot be returned, for what lies around it is in use; walked at the look.
  std::uint64_t split_blocks = 0;
  std::uint64_t split_bytes = 0;
  double free_squared = 0;  // the sum of the squares of all free blocks' bytes; walked too

  std::uint64_t active_blocks() const noexcept {
    return blocks.current() + pending_blocks.current();
  }
  /// Blocks that nobody uses any more, ever or since the last reset.
  std::uint64_t ended_blocks() const noexcept {
    return blocks.freed() + pending_blocks.freed() - pending_blocks.allocated();
  }
};

/// Of small and of large requests, every amount counted once. What `all` has is added up at the
/// look; its peaks, which are not the sum of theirs, are kept.
struct CountsByPool {
  using Quantity = Tally PoolCounts::*;
  static constexpr std::array<Quantity, 7> quantities{
      &PoolCounts::blocks,       &PoolCounts::requested_bytes, &PoolCounts::occupied_bytes,
      &PoolCounts::segments,     &PoolCounts::reserved_bytes,  &PoolCounts::pending_blocks,
      &PoolCounts::pending_bytes};

  PoolCounts all, small, large;

  PoolCounts& of(bool is_small) noexcept { return is_small ? small : large; }
  std::uint64_t current(Quantity which) const noexcept {
    return (small.*which).current() + (large.*which).current();
  }

  void add(bool is_small, Quantity which, std::uint64_t amount) noexcept {
    const std::uint64_t now = (of(is_small).*which).add(amount);
    (all.*which).raise_peak(now + (of(!is_small).*which).current());
  }
  void add_block(bool is_small, std::uint64_t requested, std::uint64_t occupied) noexcept {
    add(is_small, &PoolCounts::blocks, 1);
    add(is_small, &PoolCounts::requested_bytes, requested);
    add(is_small, &PoolCounts::occupied_bytes, occupied);
  }
  void remove_block(bool is_small, std::uint64_t requested, std::uint64_t occupied) noexcept {
    PoolCounts& pool = of(is_small);
    pool.blocks.subtract(1);
    pool.requested_bytes.subtract(requested);
    pool.occupied_bytes.subtract(occupied);
  }
  /// A block is given back, and its bytes are occupied until `end_pending`.
  void suspend_block(bool is_small, std::uint64_t requested, std::uint64_t occupied) noexcept {
    of(is_small).blocks.subtract(1);
    of(is_small).requested_bytes.subtract(requested);
    add(is_small, &PoolCounts::pending_blocks, 1);
    add(is_small, &PoolCounts::pending_bytes, occupied);
  }
  void end_pending(bool is_small, std::uint64_t occupied) noexcept {
    PoolCounts& pool = of(is_small);
    pool.occupied_bytes.subtract(occupied);
    pool.pending_blocks.subtract(1);
    pool.pending_bytes.subtract(occupied);
  }
  void add_memory(bool is_small, std::uint64_t bytes, bool is_first) noexcept {
    add(is_small, &PoolCounts::reserved_bytes, bytes);
    if (is_first) add(is_small, &PoolCounts::segments, 1);
  }
  void remove_memory(bool is_small, std::uint64_t bytes, bool is_last) noexcept {
    of(is_small).reserved_bytes.subtract(bytes);
    if (is_last) of(is_small).segments.subtract(1);
  }
  /// To be called after `add_block` while something is pending.
  void note_active() noexcept {
    for (PoolCounts* pool : {&small, &large})
      pool->most_active_blocks = std::max(pool->most_active_blocks, pool->active_blocks());
    all.most_active_blocks =
        std::max(all.most_active_blocks, small.active_blocks() + large.active_blocks());
  }

  CountsByPool summed() const noexcept {
    CountsByPool counts = *this;
    for (const Quantity which : quantities) (counts.all.*which).add_up(small.*which, large.*which);
    counts.all.split_blocks = small.split_blocks + large.split_blocks;
    counts.all.split_bytes = small.split_bytes + large.split_bytes;
    counts.all.free_squared = small.free_squared + large.free_squared;
    return counts;
  }
  void reset_peaks() noexcept {
    *this = summed();
    for (PoolCounts* pool : {&all, &small, &large}) {
      for (const Quantity which : quantities) (pool->*which).reset_peak();
      pool->most_active_blocks = pool->active_blocks();
    }
  }
  void reset_accumulated() noexcept {
    for (const Quantity which : quantities)
      for (PoolCounts* pool : {&small, &large}) (pool->*which).reset_accumulated();
  }
};

}  // namespace garboard
