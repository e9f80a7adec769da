#include "csrc/memory/policy/pressure.h"

namespace garboard {

bool Pressure::allows_collection(const Load& load, Time now) const noexcept {
  if (load.share() < policy_.short_from) return false;
  const std::size_t before = last_ ? last_->live : 0;
  const std::size_t candidates = load.live > before ? load.live - before : 0;
  const auto limit = static_cast<double>(load.limit);
  if (static_cast<double>(candidates) < policy_.candidate_share * limit) return false;
  if (!last_) return true;

  double allowed = policy_.time_share;
  if (static_cast<double>(last_->freed) >= policy_.rich_share * limit) allowed *= 2;
  if (is_urgent(load)) allowed *= 2;
  if (load.share() > policy_.dire_from) allowed *= 2;
  const std::chrono::duration<double> since = now - last_->ended;
  return last_->usual_cost <= since * allowed;
}

void Pressure::record_collection(Time ended, Duration cost, std::size_t freed,
                                 std::size_t live) noexcept {
  const std::chrono::duration<double> now = cost;
  const double news = policy_.news_share;
  last_ = {.ended = ended,
           .usual_cost = last_ ? last_->usual_cost * (1 - news) + now * news : now,
           .freed = freed,
           .live = live};
}

}  // namespace garboard
