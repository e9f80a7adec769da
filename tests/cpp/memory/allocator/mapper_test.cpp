#include "csrc/memory/allocator/mapper.h"

#include <gtest/gtest.h>

#include "csrc/memory/sources/simulated_source.h"

namespace garboard {
namespace {

TEST(SourceCalls, AddsUpCallsAndTheirTime) {
  SourceCalls calls;
  const auto busy = [] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(600);
    while (std::chrono::steady_clock::now() < end) {
    }
    return 7;
  };

  EXPECT_EQ(calls.timed(busy), 7);
  EXPECT_EQ(calls.timed(busy), 7);
  EXPECT_EQ(calls.count(), 2u);
  EXPECT_GE(calls.time_us(), 1200u);
}

TEST(SourceCalls, ReturnsNothingWhereTheCallDoesNot) {
  SourceCalls calls;
  bool was_called = false;

  calls.timed([&] { was_called = true; });

  EXPECT_TRUE(was_called);
  EXPECT_EQ(calls.count(), 1u);
}

TEST(Mapper, CountsCallsThatFailToo) {
  SimulatedSource device({.capacity_bytes = 4_MiB, .is_backed = false});
  Mapper mapper(device);
  Segment segment, too_large;
  segment.bytes = 4_MiB;
  too_large.bytes = 8_MiB;

  EXPECT_TRUE(mapper.map(segment));
  EXPECT_FALSE(mapper.map(too_large));
  mapper.unmap(segment);

  MemoryStats stats;
  mapper.fill_in(stats);
  EXPECT_EQ(stats.map_count, 2u);
  EXPECT_EQ(stats.unmap_count, 1u);
  EXPECT_EQ(device.misuse(), "");
}

TEST(Mapper, PutsMemoryBehindAPieceOfARange) {
  SimulatedSource device({.capacity_bytes = 4_MiB, .is_backed = false});
  Mapper mapper(device);
  auto* const range = static_cast<std::byte*>(device.reserve(16_MiB));
  Block piece;
  piece.address = range + 2_MiB;
  piece.bytes = 4_MiB;

  EXPECT_TRUE(mapper.map(piece));
  EXPECT_EQ(device.mapped_bytes(), 4_MiB);
  mapper.unmap(piece);

  EXPECT_EQ(device.mapped_bytes(), 0u);
  device.unreserve(range, 16_MiB);
}

}  // namespace
}  // namespace garboard
