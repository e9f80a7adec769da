#include "csrc/lifetime/borrowing.h"

#include <utility>
#include <vector>

namespace garboard {

int Borrowing::depth_ = 0;
bool Borrowing::has_waiting_ = false;

namespace {
// Leaked on purpose: shares are dropped after static destruction, too.
std::vector<Share>& waiting() {
  static auto* const it = new std::vector<Share>;
  return *it;
}
}  // namespace

void Borrowing::drop(const Share& share) noexcept {
  if (!share.drop) return;
  if (depth_ == 0) return share.drop(share.object);
  waiting().push_back(share);
  has_waiting_ = true;
}

void Borrowing::drop_waiting() noexcept {
  const std::vector<Share> all = std::exchange(waiting(), {});
  has_waiting_ = false;
  for (const Share& share : all) share.drop(share.object);
}

}  // namespace garboard
