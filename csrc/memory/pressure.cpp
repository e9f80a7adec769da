#include "csrc/memory/pressure.h"

namespace garboard {

bool Pressure::allows_collection(Time now) const noexcept {
  if (!last_) return true;
  const std::chrono::duration<double> since = now - last_->ended;
  const std::chrono::duration<double> cost = last_->cost;
  return cost <= since * time_share;
}

}  // namespace garboard
