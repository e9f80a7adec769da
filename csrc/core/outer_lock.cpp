#include "csrc/core/outer_lock.h"

#include <chrono>
#include <utility>

#include "csrc/core/machine.h"
#include "csrc/core/thread_pool.h"

namespace garboard {
namespace {

constinit OuterLock::Ways ways{};
constinit thread_local OuterLock::Away* away [[gnu::tls_model("initial-exec")]] = nullptr;

std::int64_t now_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

void OuterLock::declare(Ways given) noexcept { ways = given; }

OuterLock::Away::Away(double cost_ns) noexcept {
  if (cost_ns < machine().outer_lock_ns || !ways.leave) return;
  left_ = ways.leave();
  if (left_) away = this;
}

OuterLock::Away::~Away() {
  if (!left_) return;
  away = nullptr;
  ways.come_back(left_);
}

void OuterLock::look_up() {
  Away* const mine = away;
  if (!mine || !ways.end_if_asked || !ways.can_be_ended()) return;
  const std::int64_t now = now_ns();
  if (now < mine->next_look_ns_) return;
  const bool is_first = mine->next_look_ns_ == 0;
  mine->next_look_ns_ = now + ways.look_ns;
  if (is_first && ways.look_ns > 0) return;
  // What throws from here on finds the lock taken.
  away = nullptr;
  ways.come_back(std::exchange(mine->left_, nullptr));
  {
    const OutsideChunk any_code;
    ways.end_if_asked();
  }
  mine->left_ = ways.leave();
  if (mine->left_) away = mine;
}

void OuterLock::Turns::offer_by_clock() {
  if (!ways.leave) return;
  const std::int64_t now = now_ns();
  if (last_ns_ == 0) last_ns_ = now;
  if (static_cast<double>(now - last_ns_) < machine().outer_lock_ns) return;
  { const Away turn(machine().outer_lock_ns); }
  if (ways.end_if_asked) ways.end_if_asked();
  last_ns_ = now_ns();
}

}  // namespace garboard
