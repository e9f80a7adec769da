// Whether to look for garbage before memory runs out, in a small share of the time.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

namespace garboard {

/// Garbage in reference cycles holds memory until Python's collector happens to run, and that
/// counts objects, not bytes. So the allocator asks for it when memory gets short; how often is
/// decided here. Not thread-safe: its allocator locks.
class Pressure {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::steady_clock::duration;

  /// From this share of the limit on memory is short.
  static constexpr double short_from = 0.75;
  /// And from this on it is worth a look at old objects.
  static constexpr double urgent_from = 0.9;
  /// The most of the time that collecting may take. It is doubled when the last collection freed
  /// `rich_share` of the limit, when memory is urgently short, and at `dire_from`.
  static constexpr double time_share = 0.05;
  static constexpr double rich_share = 0.1;
  static constexpr double dire_from = 0.95;
  /// What has come since the last collection, and could be garbage, is at least this share.
  static constexpr double candidate_share = 0.05;

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
    bool is_urgent() const noexcept { return share() > urgent_from; }
  };

  /// What may be taken of `limit` for more than a request needs.
  static std::size_t comfortable_bytes(std::size_t limit) noexcept {
    return static_cast<std::size_t>(static_cast<double>(limit) * 0.8);
  }

  /// Whether memory is short, enough has come since the last collection, and the time since then
  /// pays for another one.
  bool allows_collection(const Load& load, Time now) const noexcept;
  /// A collection ran, whoever asked for it, freed so much, and left so much live.
  void record_collection(Time ended, Duration cost, std::size_t freed, std::size_t live) noexcept;

 private:
  struct Collection {
    Time ended;
    std::chrono::duration<double> usual_cost;  // the younger, the more it counts
    std::size_t freed;
    std::size_t live;
  };
  std::optional<Collection> last_;
};

}  // namespace garboard
