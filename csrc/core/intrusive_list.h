// A doubly linked list through the objects themselves: joining and leaving allocate nothing.
#pragma once

namespace garboard {

/// What an object of an IntrusiveList carries; `Tag` tells several lists of one object apart.
template <class Tag>
struct Links {
  Links* before = nullptr;
  Links* after = nullptr;

  bool is_linked() const noexcept { return after != nullptr; }
  /// Leaves the list it is in, if any.
  void unlink() noexcept {
    if (!after) return;
    before->after = after;
    after->before = before;
    before = after = nullptr;
  }
};

/// Youngest last. T derives from `Links<Tag>`. Not thread-safe: its owner locks.
template <class T, class Tag>
class IntrusiveList {
 public:
  constexpr IntrusiveList() noexcept { head_.before = head_.after = &head_; }
  IntrusiveList(const IntrusiveList&) = delete;
  IntrusiveList& operator=(const IntrusiveList&) = delete;

  bool empty() const noexcept { return head_.after == &head_; }
  void push_back(T& object) noexcept {
    Links<Tag>& links = object;
    links.before = head_.before;
    links.after = &head_;
    head_.before->after = &links;
    head_.before = &links;
  }
  T& back() noexcept { return *static_cast<T*>(head_.before); }
  T& front() noexcept { return *static_cast<T*>(head_.after); }

  /// Oldest first. `visit` may unlink the object it is given, and no other.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (Links<Tag>* at = head_.after; at != &head_;) {
      Links<Tag>* next = at->after;
      visit(*static_cast<T*>(at));
      at = next;
    }
  }

 private:
  Links<Tag> head_;
};

}  // namespace garboard
