#include "csrc/lifetime/scope_statistics.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "csrc/core/text.h"
#include "csrc/lifetime/lifetime_lock.h"

namespace garboard {

ScopeCounters ScopeCounters::operator+(const ScopeCounters& other) const noexcept {
  return {created_outside_scope_count + other.created_outside_scope_count,
          disposed_outside_scope_count + other.disposed_outside_scope_count,
          created_in_scope_count + other.created_in_scope_count,
          disposed_in_scope_count + other.disposed_in_scope_count,
          attached_to_scope_count + other.attached_to_scope_count,
          detached_from_scope_count + other.detached_from_scope_count,
          thread_total_live_count + other.thread_total_live_count};
}

void ScopeCounters::reset() noexcept {
  *this = ScopeCounters{.thread_total_live_count = thread_total_live_count};
}

std::string ScopeCounters::line() const {
  return text("ThreadTotalLiveCount: ", thread_total_live_count,
              "; CreatedOutsideScopeCount: ", created_outside_scope_count,
              "; DisposedOutsideScopeCount: ", disposed_outside_scope_count,
              "; CreatedInScopeCount: ", created_in_scope_count,
              "; DisposedInScopeCount: ", disposed_in_scope_count,
              "; AttachedToScopeCount: ", attached_to_scope_count,
              "; DetachedFromScopeCount: ", detached_from_scope_count);
}

namespace {

// Statistics of ended threads, to be used again once nothing of theirs lives. Leaked on purpose:
// threads may end after static destruction.
struct Retired {
  std::mutex mutex;
  std::vector<ThreadStatistics*> all;
};
Retired& retired() {
  static auto* const it = new Retired;
  return *it;
}

ThreadStatistics* reused_or_new() {
  Retired& pool = retired();
  const std::lock_guard guard(pool.mutex);
  const auto is_over = [](const ThreadStatistics* it) {
    const LifetimeLock lock;
    return it->reader_count == 0 &&
           (it->tensors + it->packed_sequences).thread_total_live_count == 0;
  };
  const auto found = std::ranges::find_if(pool.all, is_over);
  if (found == pool.all.end()) return new ThreadStatistics;
  ThreadStatistics* const reused = *found;
  pool.all.erase(found);
  *reused = {};
  return reused;
}

struct OfThread {
  ThreadStatistics* statistics = nullptr;
  ~OfThread() {
    if (!statistics) return;
    Retired& pool = retired();
    const std::lock_guard guard(pool.mutex);
    pool.all.push_back(std::exchange(statistics, nullptr));
  }
};

}  // namespace

namespace detail {

constinit thread_local ThreadStatistics* my_statistics [[gnu::tls_model("initial-exec")]] = nullptr;

ThreadStatistics& start_statistics() {
  thread_local OfThread owner;
  my_statistics = owner.statistics = reused_or_new();
  return *my_statistics;
}

}  // namespace detail
}  // namespace garboard
