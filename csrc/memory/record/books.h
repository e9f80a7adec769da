// The counters of live bytes: exact, peaks too, at one atomic addition an entry.
#pragma once

#include <atomic>
#include <cstddef>

#include "csrc/core/exclusive.h"
#include "csrc/memory/record/peaked_sum.h"

namespace garboard {

/// Thread-safe without a lock.
class Books {
 public:
  void add(std::size_t bytes) noexcept {
    return Exclusive::now() ? live_.add_alone(bytes) : live_.add(bytes);
  }
  void subtract(std::size_t bytes) noexcept {
    return Exclusive::now() ? live_.subtract_alone(bytes) : live_.subtract(bytes);
  }
  std::size_t live_bytes() const noexcept { return live_.bytes(); }

  /// Never less than what is live.
  std::size_t peak_bytes() const noexcept { return live_.peak_bytes(); }
  /// What is live now becomes the peak.
  void reset_peak() noexcept { live_.reset_peak(); }

  void add_foreign(std::size_t bytes) noexcept { foreign_.fetch_add(bytes); }
  void subtract_foreign(std::size_t bytes) noexcept { foreign_.fetch_sub(bytes); }
  std::size_t foreign_bytes() const noexcept { return foreign_.load(); }

 private:
  PeakedSum live_;
  std::atomic<std::size_t> foreign_{0};
};

}  // namespace garboard
