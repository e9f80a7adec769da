#include "csrc/memory/pressure.h"

namespace garboard {
namespace {

/// How much a collection's cost counts beside what the earlier ones have cost.
constexpr double news_share = 0.25;

}  // namespace

bool Pressure::allows_collection(const Load& load, Time now) const noexcept {
  if (load.share() < short_from) return false;
  const std::size_t before = last_ ? last_->live : 0;
  const std::size_t candidates = load.live > before ? load.live - before : 0;
  const auto limit = static_cast<double>(load.limit);
  if (static_cast<double>(candidates) < candidate_share * limit) return false;
  if (!last_) return true;

  double allowed = time_share;
  if (static_cast<double>(last_->freed) >= rich_share * limit) allowed *= 2;
  if (load.is_urgent()) allowed *= 2;
  if (load.share() > dire_from) allowed *= 2;
  const std::chrono::duration<double> since = now - last_->ended;
  return last_->usual_cost <= since * allowed;
}

void Pressure::record_collection(Time ended, Duration cost, std::size_t freed,
                                 std::size_t live) noexcept {
  const std::chrono::duration<double> now = cost;
  last_ = {.ended = ended,
           .usual_cost = last_ ? last_->usual_cost * (1 - news_share) + now * news_share : now,
           .freed = freed,
           .live = live};
}

}  // namespace garboard
