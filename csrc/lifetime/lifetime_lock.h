// Guards scopes and aliases.
#pragma once

#include <mutex>

#include "csrc/core/spin_lock.h"

namespace garboard {

inline constinit SpinLock lifetime_spin_lock;

/// Held while a scope's or the alias registry's lists change; a leaf, for a few instructions. In a
/// Python process the GIL does that already, and the lock is free.
class LifetimeLock {
 public:
  LifetimeLock() noexcept { lifetime_spin_lock.lock(); }
  ~LifetimeLock() { lifetime_spin_lock.unlock(); }
  LifetimeLock(const LifetimeLock&) = delete;
  LifetimeLock& operator=(const LifetimeLock&) = delete;
};

}  // namespace garboard
