// Where random numbers come from: a seed, and how many have been drawn. Philox makes the numbers of
// them, so the same seed gives the same numbers on every device and with any number of threads.
#pragma once

#include <cstdint>

#include "csrc/core/spin_lock.h"
#include "csrc/device/device.h"
#include "kernels/arguments.h"

namespace garboard {

struct GeneratorState {
  std::uint64_t seed;
  std::uint64_t offset;  // of Philox's counter

  bool operator==(const GeneratorState&) const = default;
};

/// Thread-safe: each call gets counters of its own.
class Generator {
 public:
  Generator() noexcept = default;
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;

  /// The one that is drawn from where none is given: the process's, or this thread's own.
  static Generator& standard() noexcept;
  /// Lets this thread draw from a standard generator of its own, begun at `seed`, until it ends.
  static void part_from_others(std::uint64_t seed);

  void manual_seed(std::uint64_t seed) noexcept { set_state({seed, 0}); }
  GeneratorState state() const noexcept;
  void set_state(GeneratorState state) noexcept;

  /// Numbers for `count` elements: four come from one step of the counter. They are drawn on
  /// `device`, and where its work is captured, anew each time it is played: of the standard
  /// generator alone, or DeviceError is raised.
  kernels::RandomStream numbers_for(std::int64_t count, Device device = {});
  /// Numbers for `rows`, each of which takes so many counters, four numbers a counter.
  kernels::RandomStream numbers_for_rows(std::int64_t rows, std::int64_t counters_each,
                                         Device device);
  /// Numbers behind so many steps of the counter are next.
  kernels::RandomStream advance(std::uint64_t counters) noexcept;

 private:
  kernels::RandomStream advance_on(Device device, std::uint64_t counters);

  mutable SpinLock lock_;
  GeneratorState state_{.seed = 67280421310721, .offset = 0};
};

}  // namespace garboard
