// How often a source was called, and how long that took.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace garboard {

/// Calls of one kind, those that fail too. Thread-safe.
class SourceCalls {
 public:
  /// Makes `call`, and returns what it does.
  template <class Call>
  auto timed(Call call) noexcept {
    const Stopwatch stopwatch(*this);
    return call();
  }
  std::uint64_t count() const noexcept { return count_.load(std::memory_order_relaxed); }
  std::uint64_t time_us() const noexcept { return ns_.load(std::memory_order_relaxed) / 1000; }

 private:
  using Clock = std::chrono::steady_clock;

  class Stopwatch {
   public:
    explicit Stopwatch(SourceCalls& calls) noexcept : calls_(calls) {}
    ~Stopwatch() {
      const std::chrono::nanoseconds took = Clock::now() - began_;
      calls_.ns_.fetch_add(static_cast<std::uint64_t>(took.count()), std::memory_order_relaxed);
      calls_.count_.fetch_add(1, std::memory_order_relaxed);
    }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

   private:
    SourceCalls& calls_;
    const Clock::time_point began_ = Clock::now();
  };

  std::atomic<std::uint64_t> count_{0};
  std::atomic<std::uint64_t> ns_{0};
};

}  // namespace garboard
