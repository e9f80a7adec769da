// A sum of bytes that come and go, and the most that it has been.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace garboard {

/// Thread-safe without a lock. All entries have one order, and the peak is the highest sum in it.
class PeakedSum {
 public:
  void add(std::size_t bytes) noexcept {
    const std::size_t now = now_.fetch_add(bytes) + bytes;
    if (now > peak_.load()) raise_peak(now);
  }
  void subtract(std::size_t bytes) noexcept { now_.fetch_sub(bytes); }
  /// Cheaper, while nobody else makes an entry.
  void add_alone(std::size_t bytes) noexcept {
    const std::size_t now = now_.load(relaxed) + bytes;
    set_alone(now);
    if (now > peak_.load(relaxed)) peak_.store(now, relaxed);
  }
  void subtract_alone(std::size_t bytes) noexcept { set_alone(now_.load(relaxed) - bytes); }
  void set_alone(std::size_t bytes) noexcept { now_.store(bytes, relaxed); }

  std::size_t bytes() const noexcept { return now_.load(); }
  /// Never less than what it is.
  std::size_t peak_bytes() const noexcept { return std::max(peak_.load(), now_.load()); }
  /// What it is now becomes the peak.
  void reset_peak() noexcept;

 private:
  static constexpr std::memory_order relaxed = std::memory_order_relaxed;
  void raise_peak(std::size_t now) noexcept;

  std::atomic<std::size_t> now_{0};
  std::atomic<std::size_t> peak_{0};
};

}  // namespace garboard
