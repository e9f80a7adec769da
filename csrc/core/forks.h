// What runs around a fork: locks are held over it, and what a child does not have is forgotten.
#pragma once

#include <pthread.h>

#include "csrc/core/exclusive.h"

namespace garboard {

using AroundFork = void (*)();

namespace detail {

template <AroundFork run>
void run_with_outer_lock() {
  if (Exclusive::may_enter()) run();
}

template <AroundFork run>
constexpr AroundFork guarded() {
  if constexpr (run == nullptr) {
    return nullptr;
  } else {
    return run_with_outer_lock<run>;
  }
}

}  // namespace detail

/// From now on each fork runs these, the first and the second in this process. Not where the thread
/// that forks may not enter the library: the outer lock is then held by a thread that the child
/// does not have, so that all it can do is become another program. CPython forks so for
/// `subprocess` where a sanitizer makes a fork of its vfork. False without memory for that.
template <AroundFork before, AroundFork in_parent, AroundFork in_child>
bool watch_forks() {
  return pthread_atfork(detail::guarded<before>(), detail::guarded<in_parent>(),
                        detail::guarded<in_child>()) == 0;
}
template <AroundFork in_child>
bool watch_forks() {
  return watch_forks<nullptr, nullptr, in_child>();
}

}  // namespace garboard
