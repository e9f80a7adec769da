#include "csrc/memory/simulated_source.h"

#include <gtest/gtest.h>

namespace garboard {
namespace {

TEST(SimulatedSource, HoldsItsCapacityAndNoMore) {
  SimulatedSource device({.capacity_bytes = 4_MiB});
  void* const a = device.map(2_MiB);
  void* const b = device.map(2_MiB);

  EXPECT_EQ(device.map(2_MiB), nullptr);
  EXPECT_EQ(device.mapped_bytes(), 4_MiB);
  device.unmap(a, 2_MiB);
  void* const again = device.map(2_MiB);
  EXPECT_NE(again, nullptr);
  device.unmap(b, 2_MiB);
  device.unmap(again, 2_MiB);
  EXPECT_EQ(device.unmap_count(), 3u);
}

TEST(SimulatedSource, FailsExactlyTheCallsItWasToldTo) {
  SimulatedSource device({.capacity_bytes = 64_MiB});
  device.fail_map(2);

  void* const first = device.map(2_MiB);
  EXPECT_NE(first, nullptr);
  EXPECT_EQ(device.map(2_MiB), nullptr);
  void* const third = device.map(2_MiB);
  EXPECT_NE(third, nullptr);

  EXPECT_EQ(device.map_count(), 3u);
  device.unmap(first, 2_MiB);
  device.unmap(third, 2_MiB);
}

TEST(SimulatedSource, HasLessWhenSomebodyElseTakesSome) {
  SimulatedSource device({.capacity_bytes = 4_MiB});
  device.take_elsewhere(3_MiB);

  EXPECT_EQ(device.map(2_MiB), nullptr);
  device.take_elsewhere(0);
  void* const segment = device.map(4_MiB);
  EXPECT_NE(segment, nullptr);
  device.take_elsewhere(8_MiB);
  EXPECT_EQ(device.map(2_MiB), nullptr);
  device.unmap(segment, 4_MiB);
}

}  // namespace
}  // namespace garboard
