#include "csrc/lifetime/borrowing.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace garboard {

constinit thread_local Borrowing::Own Borrowing::own_;
int Borrowing::depth_ = 0;
int Borrowing::absent_depth_ = 0;
bool Borrowing::has_waiting_ = false;
std::uint64_t Borrowing::next_number_ = 0;

namespace {

/// What was disposed while an op borrowed, numbered in that order.
struct Waiting {
  std::uint64_t number;
  Share share;
  bool is_after_all = false;
};

// Leaked on purpose: shares are dropped after static destruction, too.
std::vector<Waiting>& waiting() {
  static auto* const it = new std::vector<Waiting>;
  return *it;
}

constinit Borrowing::Absence* absent = nullptr;

}  // namespace

Borrowing::Absence::Absence() noexcept
    : depth_(own_.depth), began_(own_.began), left_(next_number_), next_(absent) {
  absent = this;
  absent_depth_ += depth_;
}

Borrowing::Absence::~Absence() {
  Absence** link = &absent;
  while (*link != this) link = &(*link)->next_;
  *link = next_;
  absent_depth_ -= depth_;
}

void Borrowing::drop(const Share& share) noexcept {
  if (!share.drop) return;
  if (depth_ == 0) return share.drop(share.object);
  waiting().push_back({next_number_++, share});
  has_waiting_ = true;
}

void Borrowing::drop_after_all(const Share& share) noexcept {
  if (depth_ == 0 && !absent) return share.drop(share.object);
  waiting().push_back({next_number_++, share, true});
  has_waiting_ = true;
}

// Nobody borrows but who is absent, and needs what was disposed since its op began.
void Borrowing::settle() noexcept {
  std::uint64_t needed = std::numeric_limits<std::uint64_t>::max(), needed_by_any = needed;
  for (const Absence* it = absent; it; it = it->next_) {
    needed_by_any = std::min(needed_by_any, it->left_);
    if (it->depth_ > 0) needed = std::min(needed, it->began_);
  }
  std::vector<Waiting> over;
  std::erase_if(waiting(), [&](const Waiting& it) {
    if (it.number >= (it.is_after_all ? std::min(needed, needed_by_any) : needed)) return false;
    over.push_back(it);
    return true;
  });
  has_waiting_ = !waiting().empty();
  for (const Waiting& it : over) it.share.drop(it.share.object);  // may run anything
}

void Borrowing::forget_others() noexcept {
  absent = nullptr;
  absent_depth_ = 0;
  depth_ = own_.depth;
}

}  // namespace garboard
