// How many tensors and packed sequences a thread has made and ended, in scopes and outside.
#pragma once

#include <cstdint>
#include <string>

namespace garboard {

struct ScopeCounters {
  std::int64_t created_outside_scope_count = 0;
  std::int64_t disposed_outside_scope_count = 0;
  std::int64_t created_in_scope_count = 0;
  std::int64_t disposed_in_scope_count = 0;
  std::int64_t attached_to_scope_count = 0;
  std::int64_t detached_from_scope_count = 0;
  /// A gauge, not a counter: `reset` leaves it.
  std::int64_t thread_total_live_count = 0;

  ScopeCounters operator+(const ScopeCounters& other) const noexcept;
  /// Zeroes the counters.
  void reset() noexcept;
  /// TorchSharp's line: `ThreadTotalLiveCount: 1; CreatedOutsideScopeCount: 0; ...`.
  std::string line() const;
};

/// Counters belong to the thread that made the thing, whoever ends it. Guarded by the LifetimeLock.
struct ThreadStatistics {
  ScopeCounters tensors;
  ScopeCounters packed_sequences;
  int reader_count = 0;  // who keeps a reference for later
};

namespace detail {
extern constinit thread_local ThreadStatistics* my_statistics [[gnu::tls_model("initial-exec")]];
ThreadStatistics& start_statistics();
}  // namespace detail

/// The calling thread's. They outlive the thread for as long as something that it made lives, or
/// somebody reads them; a later thread may then start over with them.
inline ThreadStatistics& thread_statistics() {
  return detail::my_statistics ? *detail::my_statistics : detail::start_statistics();
}

}  // namespace garboard
