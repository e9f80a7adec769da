// When memory that lies free elsewhere is moved to where it is wanted, instead of asking for more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "csrc/memory/policy/allocation_policy.h"

namespace garboard {

/// What is free lies in pieces. Who asks for more whenever no piece fits ends with a tenth or a
/// fifth more than was ever live; who moves at every miss may do so for ever. So there may be a
/// little more than was ever live, and the more has been moved, the more there may be: a program
/// that repeats itself comes to rest; one that does not is let alone. Not thread-safe: its
/// allocator locks.
class Thrift {
 public:
  Thrift(const MovingPolicy& policy, std::size_t granularity_bytes) noexcept
      : policy_(policy), least_bytes_(policy.least_granules * granularity_bytes) {}

  /// Memory after a growth, and the most that was ever live, what is asked for included.
  struct Outlook {
    std::size_t reserved;
    std::size_t most_live;
    std::uint64_t handed_out;  // ever, or since somebody began to count anew
  };
  /// How much of a growth is too much: 0 where there is room for it.
  std::size_t excess_bytes(const Outlook& outlook) noexcept {
    if (!policy_.is_on) return 0;
    most_live_ = std::max(most_live_, outlook.most_live);
    look_at_window(outlook.handed_out);
    const double share = policy_.slack + policy_.slack_per_turn * turns(moved_bytes_);
    const auto free = static_cast<std::size_t>(static_cast<double>(most_live_) * share);
    const std::size_t enough = most_live_ + std::max(least_bytes_, free);
    return outlook.reserved > enough ? outlook.reserved - enough : 0;
  }
  /// Whether some of it may be moved.
  bool allows_moves() const noexcept {
    return policy_.is_on && !is_in_vain_ && turns(moved_bytes_) < policy_.most_turns;
  }
  void record_move(std::size_t bytes) noexcept {
    moved_bytes_ += bytes;
    window_.moved_bytes += bytes;
    is_in_vain_ = is_in_vain_ || turns(window_.moved_bytes) > policy_.vain_turns;
  }
  /// Ever.
  std::size_t moved_bytes() const noexcept { return moved_bytes_; }

 private:
  double turns(std::uint64_t bytes) const noexcept {
    if (most_live_ == 0) return 0;
    return static_cast<double>(bytes) / static_cast<double>(most_live_);
  }
  void look_at_window(std::uint64_t handed_out) noexcept {
    const bool is_over =
        handed_out < window_.began || turns(handed_out - window_.began) >= policy_.window_turns;
    if (is_over) window_ = {.began = handed_out, .moved_bytes = 0};
  }

  MovingPolicy policy_;
  std::size_t least_bytes_;
  std::size_t most_live_ = 0;  // known here: a look at the peak may reset it elsewhere
  std::size_t moved_bytes_ = 0;
  struct {
    std::uint64_t began = 0;  // what had been handed out then
    std::size_t moved_bytes = 0;
  } window_;
  bool is_in_vain_ = false;
};

}  // namespace garboard
