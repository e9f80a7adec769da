#include "csrc/core/outer_lock.h"

#include <chrono>

namespace garboard {
namespace {

constexpr double worth_ns = 1e6;  // giving a lock up and waiting for it costs up to 5 ms

constinit OuterLock::Ways ways{};

std::int64_t now_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

void OuterLock::declare(Ways given) noexcept { ways = given; }

OuterLock::Away::Away(double cost_ns) noexcept {
  if (cost_ns >= worth_ns && ways.leave) left_ = ways.leave();
}

OuterLock::Away::~Away() {
  if (left_) ways.come_back(left_);
}

void OuterLock::Turns::offer_by_clock() {
  if (!ways.leave) return;
  const std::int64_t now = now_ns();
  if (last_ns_ == 0) last_ns_ = now;
  if (static_cast<double>(now - last_ns_) < worth_ns) return;
  { const Away away(worth_ns); }
  last_ns_ = now_ns();
}

}  // namespace garboard
