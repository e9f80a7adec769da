#include "tests/support/device_memory.h"

#include "kernels/cuda/launch/lanes.h"

#include <gtest/gtest.h>

#include <vector>

namespace garboard::kernels::cuda {
namespace {

/// A stretch of numbers, or none. Only what continues it may be merged with it.
struct Stretch {
  std::int32_t first, end, breaks;

  static Stretch none() { return {0, 0, 0}; }
  void merge(const Stretch& later) {
    if (later.first == later.end) return;
    breaks += later.breaks + (first != end && end != later.first);
    if (first == end) first = later.first;
    end = later.end;
  }
  friend bool operator==(const Stretch&, const Stretch&) = default;
};

struct Met {
  std::vector<Stretch> met{threads}, so_far{threads}, elsewhere{threads};
};

__global__ void bring_together(Met* found, int lanes, bool is_across) {
  __shared__ Stretch shared[threads];
  const int t = static_cast<int>(threadIdx.x);
  const Seat seat(t, 0, lanes, is_across);
  const Stretch mine{seat.lane, seat.lane + 1, 0};
  found->met[t] = meet(shared, mine, seat, lanes);
  found->so_far[t] = scan_lanes(shared, mine, seat, lanes);
  found->elsewhere[t] = of_lane(Stretch{t, t, t}, (t + 1) % warp_threads);
}

TEST(Lanes, MergeInTheirOrderHoweverTheySit) {
  for (const bool is_across : {false, true}) {
    for (int lanes = 1; lanes <= threads; lanes *= 2) {
      Met found;

      launch(bring_together, {1, {}}, &found, lanes, is_across);

      for (int t = 0; t < threads; ++t) {
        const int lane = Seat(t, 0, lanes, is_across).lane;
        EXPECT_EQ(found.met[t].first, 0) << lanes << " lanes";
        EXPECT_EQ(found.met[t].end, lanes);
        EXPECT_EQ(found.so_far[t], (Stretch{0, lane + 1, 0})) << lanes << " lanes";
      }
    }
  }
}

TEST(Lanes, TellWhatAnotherOneOfTheWarpHas) {
  Met found;

  launch(bring_together, {1, {}}, &found, 1, false);

  for (int t = 0; t < threads; ++t) {
    const int other = t / warp_threads * warp_threads + (t + 1) % warp_threads;
    EXPECT_EQ(found.elsewhere[t], (Stretch{other, other, other}));
  }
}

}  // namespace
}  // namespace garboard::kernels::cuda
