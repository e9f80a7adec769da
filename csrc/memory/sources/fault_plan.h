// When a simulated device refuses memory that it has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>

namespace garboard {

/// What putting memory behind addresses consists of, as the virtual-memory calls of CUDA have it.
enum class MapPhase { create, map, set_access };

/// Calls are counted from 1, those that fail too. What was asked for adds up: a call fails if any
/// of it says so. Not thread-safe: its device locks.
class FaultPlan {
 public:
  /// The call of this number fails.
  void fail_call(std::size_t number) { numbers_.insert(number); }
  /// Every call for at least `bytes` fails; SIZE_MAX ends that.
  void fail_from(std::size_t bytes) { least_bytes_ = bytes; }
  /// Every call fails with this probability, the same ones for the same seed; 0 ends that.
  void fail_randomly(double probability, std::uint64_t seed) {
    chance_ = probability;
    random_.seed(seed);
  }
  /// In which phase calls fail from now on; at first while creating.
  void fail_in(MapPhase phase) { phase_ = phase; }
  /// At that call somebody else has taken so much of the device, and no longer what was taken
  /// before.
  void take_elsewhere_at(std::size_t number, std::size_t bytes) { elsewhere_at_[number] = bytes; }

  /// The next call is for `bytes`. Where it fails, if it does.
  std::optional<MapPhase> next(std::size_t bytes) {
    ++count_;
    const bool by_number = numbers_.erase(count_) > 0;
    const bool by_chance = chance_ > 0 && std::uniform_real_distribution()(random_) < chance_;
    if (by_number || by_chance || bytes >= least_bytes_) return phase_;
    return std::nullopt;
  }
  /// What somebody else takes from the call on that was the last.
  std::optional<std::size_t> taken_elsewhere() {
    const auto found = elsewhere_at_.extract(count_);
    return found ? std::optional(found.mapped()) : std::nullopt;
  }
  std::size_t call_count() const { return count_; }

 private:
  std::set<std::size_t> numbers_;
  std::map<std::size_t, std::size_t> elsewhere_at_;
  std::size_t least_bytes_ = SIZE_MAX;
  double chance_ = 0;
  std::mt19937_64 random_;
  MapPhase phase_ = MapPhase::create;
  std::size_t count_ = 0;
};

}  // namespace garboard
