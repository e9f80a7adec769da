#include "csrc/lifetime/borrowing.h"

#include <deque>
#include <limits>
#include <utility>

namespace garboard {

int Borrowing::depth_ = 0;
bool Borrowing::has_waiting_ = false;

namespace {

/// Disposed while somebody was absent, numbered in that order.
struct Late {
  std::uint64_t number;
  Share share;
};

// Leaked on purpose: shares are dropped after static destruction, too.
std::vector<Share>& waiting() {
  static auto* const it = new std::vector<Share>;
  return *it;
}
std::deque<Late>& late() {
  static auto* const it = new std::deque<Late>;
  return *it;
}

constinit std::uint64_t first_late = 0, next_late = 0;
constinit Borrowing::Absence* absent = nullptr;

}  // namespace

Borrowing::Absence::Absence()
    : since_(next_late),
      depth_(std::exchange(Borrowing::depth_, 0)),
      waiting_(std::exchange(waiting(), {})),
      next_(std::exchange(absent, this)) {
  has_waiting_ = false;
}

Borrowing::Absence::~Absence() {
  Absence** link = &absent;
  while (*link && *link != this) link = &(*link)->next_;
  if (*link) *link = next_;
  drop_late();
  Borrowing::depth_ = depth_;
  waiting() = std::move(waiting_);
  has_waiting_ = !waiting().empty();
}

void Borrowing::drop(const Share& share) noexcept {
  if (!share.drop) return;
  if (depth_ == 0) return drop_unless_absent(share);
  waiting().push_back(share);
  has_waiting_ = true;
}

void Borrowing::drop_waiting() noexcept {
  const std::vector<Share> all = std::exchange(waiting(), {});
  has_waiting_ = false;
  for (const Share& share : all) drop_unless_absent(share);
}

void Borrowing::drop_unless_absent(const Share& share) noexcept {
  if (absent) {
    late().push_back({next_late++, share});
    return;
  }
  if (next_late != first_late) [[unlikely]]
    drop_late();
  share.drop(share.object);
}

void Borrowing::forget_absent() noexcept { absent = nullptr; }

// In order of their numbers, so that the first one somebody absent may still use ends the search.
void Borrowing::drop_late() noexcept {
  std::uint64_t oldest = std::numeric_limits<std::uint64_t>::max();
  for (const Absence* it = absent; it; it = it->next_) oldest = std::min(oldest, it->since_);
  while (!late().empty() && late().front().number < oldest) {
    const Share share = late().front().share;
    late().pop_front();
    ++first_late;
    share.drop(share.object);  // may run anything
  }
}

}  // namespace garboard
