// The counters of live bytes: exact, peaks too, at one atomic addition an entry.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "csrc/core/exclusive.h"

namespace garboard {

/// Thread-safe without a lock. All entries have one order, and the peak is the highest sum in it.
class Books {
 public:
  void add(std::size_t bytes) noexcept {
    if (Exclusive::now()) return add_exclusively(bytes);
    const std::size_t now = live_.fetch_add(bytes) + bytes;
    if (now > peak_.load()) raise_peak(now);
  }
  void subtract(std::size_t bytes) noexcept {
    if (Exclusive::now()) return set(live_, get(live_) - bytes);
    live_.fetch_sub(bytes);
  }
  std::size_t live_bytes() const noexcept { return live_.load(); }

  /// Never less than what is live.
  std::size_t peak_bytes() const noexcept { return std::max(peak_.load(), live_.load()); }
  /// What is live now becomes the peak.
  void reset_peak() noexcept;

  void add_foreign(std::size_t bytes) noexcept { foreign_.fetch_add(bytes); }
  void subtract_foreign(std::size_t bytes) noexcept { foreign_.fetch_sub(bytes); }
  std::size_t foreign_bytes() const noexcept { return foreign_.load(); }

 private:
  static std::size_t get(const std::atomic<std::size_t>& count) noexcept {
    return count.load(std::memory_order_relaxed);
  }
  static void set(std::atomic<std::size_t>& count, std::size_t bytes) noexcept {
    count.store(bytes, std::memory_order_relaxed);
  }
  void add_exclusively(std::size_t bytes) noexcept {
    const std::size_t now = get(live_) + bytes;
    set(live_, now);
    if (now > get(peak_)) set(peak_, now);
  }
  void raise_peak(std::size_t now) noexcept;

  std::atomic<std::size_t> live_{0};
  std::atomic<std::size_t> peak_{0};
  std::atomic<std::size_t> foreign_{0};
};

}  // namespace garboard
