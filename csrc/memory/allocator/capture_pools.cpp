#include "csrc/memory/allocator/capture_pools.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace garboard {

CapturePools::Shares* CapturePools::shares_of(CapturePool pool) noexcept {
  const auto found = std::ranges::find(shares_, pool, &Shares::pool);
  return found == shares_.end() ? nullptr : &*found;
}

CapturePool CapturePools::open() {
  const std::lock_guard guard(mutex_);
  shares_.push_back({last_ + 1, 1});
  return ++last_;
}

bool CapturePools::share(CapturePool pool) {
  const std::lock_guard guard(mutex_);
  Shares* const shares = shares_of(pool);
  if (shares) ++shares->count;
  return shares;
}

void CapturePools::close(CapturePool pool) noexcept {
  const std::lock_guard guard(mutex_);
  Shares* const shares = shares_of(pool);
  if (!shares || --shares->count > 0) return;
  std::erase_if(shares_, [&](const Shares& it) { return it.pool == pool; });
  for (Line& line : lines_) {
    if (line.pool != pool) continue;
    line.pool = 0;
    arena_.locked([&] { line.pools->is_reserved = false; });
  }
}

void CapturePools::begin(CaptureId capture, CapturePool pool) {
  const std::lock_guard guard(mutex_);
  routes_.push_back({capture, pool});
  arena_.locked([&] { arena_.set_captured(true); });
}

void CapturePools::end(CaptureId capture) noexcept {
  const std::lock_guard guard(mutex_);
  std::erase_if(routes_, [&](const Route& route) { return route.capture == capture; });
  const bool is_captured = !routes_.empty();
  arena_.locked([&] { arena_.set_captured(is_captured); });
}

Stream CapturePools::key_for(Stream stream) {
  const CaptureId capture = capture_of(stream);
  if (capture == 0) return stream;
  Found found;
  {
    const std::lock_guard guard(mutex_);
    const auto route = std::ranges::find(routes_, capture, &Route::capture);
    if (route == routes_.end()) return stream;
    found = pools_for(route->pool, stream);
  }
  // Results of the last capture may have ended since, in use. The lock is given up first: whoever
  // waits lets Python run.
  if (found.is_taken_over) sharing_.await_every_stream();
  return found.pools->key;
}

CapturePools::Found CapturePools::pools_for(CapturePool pool, Stream stream) {
  const auto find = [&](CapturePool of) {
    return std::ranges::find_if(lines_, [&](const Line& line) {
      return line.pool == of && line.pools->stream() == stream;
    });
  };
  if (const auto own = find(pool); own != lines_.end()) return {own->pools};
  if (const auto left = find(0); left != lines_.end()) {
    left->pool = pool;
    arena_.locked([&] { left->pools->is_reserved = true; });
    return {left->pools, true};
  }
  lines_.reserve(lines_.size() + 1);
  std::unique_ptr<StreamPools> made = arena_.heap().make_pools(stream);
  made->make_own();
  made->is_reserved = true;
  StreamPools* const pools = made.get();
  arena_.locked([&] { arena_.heap().add(std::move(made)); });
  lines_.push_back({pool, pools});
  return {pools};
}

}  // namespace garboard
