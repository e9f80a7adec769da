// Tells whether one outer lock, Python's GIL, keeps every other thread out just now. Then counts
// and short locks need no atomic read-modify-write, which costs as much as the rest of a small op.
#pragma once

#include <atomic>
#include <cassert>

namespace garboard {

/// Without `declare`, always "no": C++ programs pay for atomics and need no outer lock.
class Exclusive {
 public:
  using IsHeld = bool (*)() noexcept;

  /// From here on, whoever uses the library holds the outer lock, or has a Leave. Called before a
  /// second thread. `is_held` tells whether the calling thread holds that lock: where assertions
  /// are compiled in, as under the sanitizers, each use of the library by another one ends the
  /// program.
  static void declare(IsHeld is_held = nullptr) noexcept {
    is_held_ = is_held;
    others_.store(0, std::memory_order_relaxed);
  }

  /// Cannot change while the caller holds the outer lock, or has a Leave of its own.
  static bool now() noexcept {
    const bool is_alone = others_.load(std::memory_order_relaxed) == 0;
    assert((!is_alone || may_enter()) && "neither the outer lock nor a Leave");
    return is_alone;
  }

  /// Whether the calling thread holds the outer lock, or there is none. Slower than `now`.
  static bool may_enter() noexcept { return !is_held_ || is_held_(); }

  /// Whether the calling thread, a worker that helps one of those perhaps, may use what only `now`
  /// keeps others from: a lock is a lock then, or nobody else is there.
  static bool allows_this_thread() noexcept {
    return others_.load(std::memory_order_relaxed) != 0 || may_enter();
  }

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
  static constinit IsHeld is_held_;
};

inline constinit std::atomic<int> Exclusive::others_{1};
inline constinit Exclusive::IsHeld Exclusive::is_held_ = nullptr;

}  // namespace garboard
