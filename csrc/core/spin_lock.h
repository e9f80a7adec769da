// A one-byte lock for sections of a few instructions.
#pragma once

#include <atomic>
#include <thread>

#include "csrc/core/exclusive.h"

namespace garboard {

/// Taking it is one exchange, leaving it a plain store. Under it: no allocation, no callback, no
/// system call. Works with std::lock_guard. Free where an outer lock keeps everybody else out.
class SpinLock {
 public:
  void lock() noexcept {
    if (!Exclusive::now()) [[unlikely]]
      take();
  }
  void unlock() noexcept { locked_.store(false, std::memory_order_release); }

 private:
  [[gnu::noinline]] void take() noexcept {
    for (int tries = 0; locked_.exchange(true, std::memory_order_acquire); ++tries) {
      if (tries > 64) std::this_thread::yield();  // its holder has lost the core
    }
  }

  std::atomic<bool> locked_{false};
};

}  // namespace garboard
