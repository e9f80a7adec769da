#include "csrc/lifetime/borrowing.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace garboard {

int Borrowing::depth_ = 0;
bool Borrowing::must_settle_ = false;

namespace {

/// What was disposed while an op borrowed, numbered in that order.
struct Waiting {
  std::uint64_t number;
  Share share;
};

// Leaked on purpose: shares are dropped after static destruction, too.
std::vector<Waiting>& waiting() {
  static auto* const it = new std::vector<Waiting>;
  return *it;
}

constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

constinit std::uint64_t next_number = 0;
constinit std::uint64_t own_first = none;  // of what waits for the op that has the lock
constinit Borrowing::Absence* absent = nullptr;

}  // namespace

// An op that was away before keeps what it waited for then: it may still read that.
Borrowing::Absence::Absence() noexcept
    : since_(std::min(std::exchange(own_first, none), next_number)),
      depth_(std::exchange(Borrowing::depth_, 0)),
      next_(std::exchange(absent, this)) {
  must_settle_ = false;
}

Borrowing::Absence::~Absence() {
  Absence** link = &absent;
  while (*link && *link != this) link = &(*link)->next_;
  if (*link) *link = next_;
  Borrowing::depth_ = depth_;
  if (depth_ == 0) {
    settle();
  } else {
    own_first = since_;
    must_settle_ = true;
  }
}

void Borrowing::drop(const Share& share) noexcept {
  if (!share.drop) return;
  if (depth_ == 0 && !absent) return share.drop(share.object);
  const std::uint64_t number = next_number++;
  if (depth_ > 0) {
    own_first = std::min(own_first, number);
    must_settle_ = true;
  }
  waiting().push_back({number, share});
}

// Nobody borrows here any more; who is absent needs what was disposed since its op began.
void Borrowing::settle() noexcept {
  must_settle_ = false;
  own_first = none;
  std::uint64_t needed = none;
  for (const Absence* it = absent; it; it = it->next_) needed = std::min(needed, it->since_);
  std::vector<Waiting> over;
  std::erase_if(waiting(), [&](const Waiting& it) {
    if (it.number >= needed) return false;
    over.push_back(it);
    return true;
  });
  for (const Waiting& it : over) it.share.drop(it.share.object);  // may run anything
}

// What waited for them goes with the next op.
void Borrowing::forget_absent() noexcept {
  absent = nullptr;
  must_settle_ = true;
}

}  // namespace garboard
