// What an allocator calls when memory runs out: whoever knows more than bytes registers it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "csrc/memory/arena/arena.h"
#include "csrc/memory/record/holders.h"

namespace garboard {

/// Never changed once made: a change makes another one, so they can be called without a lock.
/// Copying shares the functions; their owners' code runs only when the last copy goes.
struct MemoryHooks {
  using Reclaim = std::function<void(std::size_t bytes)>;
  /// `is_first`: of the request, which may collect under pressure and again as a last resort.
  using Collect = std::function<void(int generation, bool is_first)>;
  using Holders = std::function<HoldersReport()>;

  struct Numbered {
    int number;
    std::shared_ptr<const Reclaim> callback;
  };
  std::vector<Numbered> reclaim;  // in the order of registration
  int next_number = 0;
  std::shared_ptr<const Collect> collect;  // null: none
  std::shared_ptr<const Holders> holders;
};

/// The hooks of one allocator. Thread-safe.
class HookBoard {
 public:
  /// The lock of `arena` guards them: a fork waits for that one alone.
  explicit HookBoard(Arena& arena) : arena_(arena) {}

  std::shared_ptr<const MemoryHooks> now() const noexcept {
    return arena_.locked([&] { return hooks_; });
  }
  /// Puts up a copy that `act` has changed; if somebody was faster, of his. Copies are made and
  /// ended outside the lock: the functions in them are foreign code. Throws std::bad_alloc.
  template <class Act>
  void change(Act act) {
    for (bool is_done = false; !is_done;) {
      const std::shared_ptr<const MemoryHooks> old = now();
      auto changed = std::make_shared<MemoryHooks>(*old);
      act(*changed);
      is_done = arena_.locked([&] {
        if (hooks_ != old) return false;
        hooks_ = std::move(changed);
        return true;
      });
    }
  }

 private:
  Arena& arena_;
  std::shared_ptr<const MemoryHooks> hooks_ = std::make_shared<const MemoryHooks>();
};

}  // namespace garboard
