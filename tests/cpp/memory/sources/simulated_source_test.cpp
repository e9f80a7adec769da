#include "csrc/memory/sources/simulated_source.h"

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

TEST(SimulatedSource, MapsAndUnmapsAnyGranulesOfARange) {
  SimulatedSource device({.capacity_bytes = 64_MiB});
  auto* const range = static_cast<std::byte*>(device.reserve(32_MiB));

  EXPECT_TRUE(device.map_at(range, 4_MiB));
  EXPECT_TRUE(device.map_at(range + 4_MiB, 4_MiB));
  range[6_MiB] = std::byte{7};
  device.unmap_at(range + 2_MiB, 4_MiB);  // of both

  EXPECT_EQ(device.mapped_bytes(), 4_MiB);
  EXPECT_EQ(range[6_MiB], std::byte{7});
  device.unmap_at(range, 2_MiB);
  device.unmap_at(range + 6_MiB, 2_MiB);
  device.unreserve(range, 32_MiB);
  EXPECT_EQ(device.misuse(), "");
}

TEST(SimulatedSource, TellsWhenALargeHandleIsCut) {
  SimulatedSource device(
      {.capacity_bytes = 64_MiB, .large_handle_bytes = 8_MiB, .is_backed = false});
  auto* const range = static_cast<std::byte*>(device.reserve(32_MiB));

  EXPECT_TRUE(device.map_at(range, 18_MiB));
  EXPECT_EQ(device.handle_count(), 3u);
  device.unmap_at(range + 8_MiB, 10_MiB);
  EXPECT_EQ(device.misuse(), "");
  device.unmap_at(range, 6_MiB);

  EXPECT_EQ(device.mapped_bytes(), 8_MiB);
  EXPECT_NE(device.misuse().find("a part of a handle"), std::string::npos);
}

TEST(SimulatedSource, ReservesWithoutUsingMemory) {
  SimulatedSource device({.capacity_bytes = 4_MiB});

  void* const range = device.reserve(1_GiB);

  ASSERT_NE(range, nullptr);
  EXPECT_EQ(device.mapped_bytes(), 0u);
  device.unreserve(range, 1_GiB);
  EXPECT_EQ(device.range_count(), 0u);
}

TEST(SimulatedSource, HasNoRangesWhereItIsToldSo) {
  SimulatedSource device({.capacity_bytes = 4_MiB, .has_ranges = false});

  EXPECT_EQ(device.reserve(4_MiB), nullptr);
}

TEST(SimulatedSource, LeavesNothingBehindWhicheverPhaseFails) {
  for (const MapPhase phase : {MapPhase::create, MapPhase::map, MapPhase::set_access}) {
    SimulatedSource device({.capacity_bytes = 4_MiB});
    device.plan([&](FaultPlan& faults) { faults.fail_in(phase); });
    device.fail_map(1);
    void* const range = device.reserve(4_MiB);

    EXPECT_FALSE(device.map_at(range, 4_MiB));
    EXPECT_EQ(device.mapped_bytes(), 0u);
    EXPECT_TRUE(device.map_at(range, 4_MiB));
    device.unmap_at(range, 4_MiB);
    device.unreserve(range, 4_MiB);
    EXPECT_EQ(device.misuse(), "");
  }
}

TEST(SimulatedSource, NamesTheFirstMisuse) {
  const auto misuse_after = [](auto act) {
    SimulatedSource device({.capacity_bytes = 64_MiB, .is_backed = false});
    auto* const range = static_cast<std::byte*>(device.reserve(32_MiB));
    act(device, range);
    return device.misuse().substr(0, device.misuse().find(" 0x"));
  };

  EXPECT_EQ(misuse_after([](auto& device, auto* range) {
              device.map_at(range, 4_MiB);
              device.map_at(range + 2_MiB, 4_MiB);
            }),
            "mapped twice:");
  EXPECT_EQ(misuse_after([](auto& device, auto* range) { device.unmap_at(range, 2_MiB); }),
            "unmapped, but not mapped:");
  EXPECT_EQ(misuse_after([](auto& device, auto* range) { device.map_at(range + 1_MiB, 2_MiB); }),
            "no whole granules of one range:");
  EXPECT_EQ(misuse_after([](auto& device, auto* range) { device.map_at(range + 31_MiB, 2_MiB); }),
            "no whole granules of one range:");
  EXPECT_EQ(misuse_after(
                [](auto& device, auto*) { device.map_at(reinterpret_cast<void*>(2_MiB), 2_MiB); }),
            "nobody has reserved");
  EXPECT_EQ(misuse_after([](auto& device, auto* range) {
              device.map_at(range, 4_MiB);
              device.unreserve(range, 32_MiB);
            }),
            "given back while mapped:");
  EXPECT_EQ(misuse_after([](auto& device, auto* range) { device.unreserve(range, 16_MiB); }),
            "given back, but not what was given:");
}

TEST(SimulatedSource, TellsByItsContentsWhatIsNewAndWhatIsDead) {
  SimulatedSource device({.capacity_bytes = 64_MiB, .is_filled = true});
  auto* const range = static_cast<std::byte*>(device.reserve(4_MiB));

  device.map_at(range, 4_MiB);
  EXPECT_EQ(range[4_MiB - 1], std::byte{0xCD});
  device.unmap_at(range, 2_MiB);
  EXPECT_EQ(range[0], std::byte{0xDD});

  EXPECT_EQ(range[2_MiB], std::byte{0xCD});
  device.unmap_at(range + 2_MiB, 2_MiB);
  device.unreserve(range, 4_MiB);
}

TEST(SimulatedSource, GivesTheSameAddressesAgain) {
  SimulatedSource device({.capacity_bytes = 64_MiB, .is_backed = false});
  void* const first = device.map(4_MiB);
  void* const second = device.map(4_MiB);
  device.unmap(first, 4_MiB);

  EXPECT_EQ(device.map(2_MiB), first);

  device.unmap(first, 2_MiB);
  device.unmap(second, 4_MiB);
}

TEST(SimulatedSource, KeepsTimeByItsOwnClock) {
  SimulatedSource device(
      {.capacity_bytes = 64_MiB,
       .is_backed = false,
       .latencies = {.create_ns = 1, .map_ns = 10, .set_access_ns = 100, .unmap_ns = 1000}});

  void* const segment = device.map(2_MiB);
  EXPECT_EQ(device.clock_ns(), 111u);
  device.unmap(segment, 2_MiB);
  EXPECT_EQ(device.clock_ns(), 1111u);
}

TEST(SimulatedSource, CanShrinkBelowWhatItHasGiven) {
  SimulatedSource device({.capacity_bytes = 64_MiB, .is_backed = false});
  void* const segment = device.map(32_MiB);
  device.set_capacity(16_MiB);

  EXPECT_EQ(device.map(2_MiB), nullptr);
  EXPECT_EQ(device.capacity_bytes(), 16_MiB);
  device.unmap(segment, 32_MiB);
  EXPECT_EQ(device.peak_mapped_bytes(), 32_MiB);
}

}  // namespace
}  // namespace garboard
