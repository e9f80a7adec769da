// What an allocator calls when memory runs out: whoever knows more than bytes registers it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "csrc/memory/holders.h"

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

}  // namespace garboard
