// What small and large requests have taken: the figures of PyTorch's `memory_stats`.
#pragma once

#include <algorithm>
#include <cstdint>

namespace garboard {

/// A quantity that comes and goes.
class Tally {
 public:
  void add(std::uint64_t amount) noexcept {
    allocated_ += amount;
    peak_ = std::max(peak_, current());
  }
  void subtract(std::uint64_t amount) noexcept { freed_ += amount; }

  std::uint64_t current() const noexcept { return allocated_ - freed_; }
  std::uint64_t peak() const noexcept { return peak_; }
  /// Ever, or since the last reset.
  std::uint64_t allocated() const noexcept { return allocated_ - allocated_before_; }
  std::uint64_t freed() const noexcept { return freed_ - freed_before_; }

  void reset_peak() noexcept { peak_ = current(); }
  void reset_accumulated() noexcept {
    allocated_before_ = allocated_;
    freed_before_ = freed_;
  }

 private:
  std::uint64_t allocated_ = 0, freed_ = 0, peak_ = 0;
  std::uint64_t allocated_before_ = 0, freed_before_ = 0;
};

struct PoolCounts {
  Tally blocks;           // handed out
  Tally requested_bytes;  // that were asked for
  Tally occupied_bytes;   // that the blocks have, pending ones too
  Tally segments;
  Tally reserved_bytes;
  Tally pending_blocks;                  // given back, and still used by another stream
  std::uint64_t most_active_blocks = 0;  // handed out or pending
  // Free memory that cannot be returned, for what lies around it is in use; walked at the look.
  std::uint64_t split_blocks = 0;
  std::uint64_t split_bytes = 0;
  double free_squared = 0;  // the sum of the squares of all free blocks' bytes; walked too

  void add_block(std::uint64_t requested, std::uint64_t occupied) noexcept {
    blocks.add(1);
    requested_bytes.add(requested);
    occupied_bytes.add(occupied);
  }
  void remove_block(std::uint64_t requested, std::uint64_t occupied) noexcept {
    blocks.subtract(1);
    requested_bytes.subtract(requested);
    occupied_bytes.subtract(occupied);
  }
  /// A block is given back, and its bytes are occupied until `end_pending`.
  void suspend_block(std::uint64_t requested) noexcept {
    blocks.subtract(1);
    requested_bytes.subtract(requested);
    pending_blocks.add(1);
  }
  void end_pending(std::uint64_t occupied) noexcept {
    occupied_bytes.subtract(occupied);
    pending_blocks.subtract(1);
  }
  std::uint64_t active_blocks() const noexcept {
    return blocks.current() + pending_blocks.current();
  }
  /// Blocks that nobody uses any more, ever or since the last reset.
  std::uint64_t ended_blocks() const noexcept {
    return blocks.freed() + pending_blocks.freed() - pending_blocks.allocated();
  }
  /// To be called after `add_block` while something is pending.
  void note_active() noexcept {
    most_active_blocks = std::max(most_active_blocks, active_blocks());
  }

  template <class Act>
  void for_each(Act act) noexcept {
    for (Tally* it :
         {&blocks, &requested_bytes, &occupied_bytes, &segments, &reserved_bytes, &pending_blocks})
      act(*it);
  }
};

/// All, and the part of small and of large requests; those add up, but for the peaks.
struct CountsByPool {
  PoolCounts all, small, large;

  PoolCounts& of(bool is_small) noexcept { return is_small ? small : large; }
  template <class Act>
  void for_both(bool is_small, Act act) noexcept {
    act(all);
    act(of(is_small));
  }
  template <class Act>
  void for_each(Act act) noexcept {
    for (PoolCounts* it : {&all, &small, &large}) it->for_each(act);
  }
};

}  // namespace garboard
