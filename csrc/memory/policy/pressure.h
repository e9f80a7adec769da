// Whether to look for garbage before memory runs out, in a small share of the time.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

#include "csrc/memory/policy/allocation_policy.h"

namespace garboard {

/// Garbage in reference cycles holds memory until Python's collector happens to run, and that
/// counts objects, not bytes. So the allocator asks for it when memory gets short; how often is
/// decided here. Not thread-safe: its allocator locks.
class Pressure {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::steady_clock::duration;

  explicit Pressure(const CollectionPolicy& policy) noexcept : policy_(policy) {}

  /// What weighs on the limit, in bytes.
  struct Load {
    std::size_t live;
    std::size_t request;
    std::size_t limit;

    double share() const noexcept {
      return limit ? (static_cast<double>(live) + static_cast<double>(request)) /
                         static_cast<double>(limit)
                   : 1;
    }
  };

  /// Whether memory is short, enough has come since the last collection, and the time since then
  /// pays for another one.
  bool allows_collection(const Load& load, Time now) const noexcept;
  /// Whether old objects are worth a look.
  bool is_urgent(const Load& load) const noexcept { return load.share() > policy_.urgent_from; }
  /// A collection ran, whoever asked for it, freed so much, and left so much live.
  void record_collection(Time ended, Duration cost, std::size_t freed, std::size_t live) noexcept;

 private:
  struct Collection {
    Time ended;
    std::chrono::duration<double> usual_cost;  // the younger, the more it counts
    std::size_t freed;
    std::size_t live;
  };
  CollectionPolicy policy_;
  std::optional<Collection> last_;
};

}  // namespace garboard
