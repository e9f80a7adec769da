// Members in the order of their addresses, chained through links of their own.
#pragma once

namespace garboard {

/// `T` has an `address`, and two pointers to its neighbours: inserting and removing allocate
/// nothing. Inserting is linear in the members above: what is kept here has cost a call of the
/// source each, so there are few. Owns nothing. Not thread-safe.
template <class T, T* T::*below, T* T::*above>
class AddressList {
 public:
  void insert(T& member) noexcept {
    T* upper = nullptr;
    T* lower = highest_;
    while (lower && lower->address > member.address) {
      upper = lower;
      lower = lower->*below;
    }
    member.*below = lower;
    member.*above = upper;
    (upper ? upper->*below : highest_) = &member;
    (lower ? lower->*above : lowest_) = &member;
  }
  /// Its links stay as they are.
  void remove(T& member) noexcept {
    T* const lower = member.*below;
    T* const upper = member.*above;
    (upper ? upper->*below : highest_) = lower;
    (lower ? lower->*above : lowest_) = upper;
  }
  T* lowest() const noexcept { return lowest_; }
  T* highest() const noexcept { return highest_; }

 private:
  T* lowest_ = nullptr;
  T* highest_ = nullptr;
};

}  // namespace garboard
