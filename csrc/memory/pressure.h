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

  /// Above this share of the limit memory is short.
  static constexpr double short_from = 0.8;
  /// The most of the time that collecting may take.
  static constexpr double time_share = 0.05;

  /// What may be taken of `limit` before memory is short.
  static std::size_t comfortable_bytes(std::size_t limit) noexcept {
    return static_cast<std::size_t>(static_cast<double>(limit) * short_from);
  }

  /// Whether the time since the last collection pays for another one that takes as long. The first
  /// is free.
  bool allows_collection(Time now) const noexcept;
  /// A collection ran, whoever asked for it.
  void record_collection(Time ended, Duration cost) noexcept { last_ = Collection{ended, cost}; }

 private:
  struct Collection {
    Time ended;
    Duration cost;
  };
  std::optional<Collection> last_;
};

}  // namespace garboard
