// Tells whether one outer lock, Python's GIL, keeps every other thread out just now. Then counts
// and short locks need no atomic read-modify-write, which costs as much as the rest of a small op.
#pragma once

#include <atomic>

namespace garboard {

/// Without `declare`, always "no": C++ programs pay for atomics and need no outer lock.
class Exclusive {
 public:
  /// From here on, whoever uses the library holds the outer lock, or has a Leave. Called once,
  /// before a second thread.
  static void declare() noexcept { others_.store(0, std::memory_order_relaxed); }

  /// Cannot change while the caller holds the outer lock, or has a Leave of its own.
  static bool now() noexcept { return others_.load(std::memory_order_relaxed) == 0; }

  /// For a thread about to give the outer lock up and to go on inside the library. Made and ended
  /// with that lock held.
  class Leave {
   public:
    Leave() noexcept { others_.store(others_.load(std::memory_order_relaxed) + 1); }
    ~Leave() { others_.store(others_.load(std::memory_order_relaxed) - 1); }
    Leave(const Leave&) = delete;
    Leave& operator=(const Leave&) = delete;
  };

 private:
  static constinit std::atomic<int> others_;
};

inline constinit std::atomic<int> Exclusive::others_{1};

}  // namespace garboard
