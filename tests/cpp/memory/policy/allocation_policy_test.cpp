#include "csrc/memory/policy/allocation_policy.h"

#include <gtest/gtest.h>

#include "csrc/device/cuda_library.h"
#include "csrc/memory/allocator/caching_allocator.h"
#include "csrc/memory/sources/simulated_source.h"

namespace garboard {
namespace {

/// What is moved by a program whose free memory lies in pieces.
std::size_t moved_bytes(const AllocationPolicy& policy) {
  SimulatedSource device({.capacity_bytes = 1_GiB, .is_backed = false});
  CachingAllocator cache(device, policy);
  std::vector<Block*> blocks = {cache.allocate(300_MiB, {})};
  for (int i = 0; i < 100; ++i) blocks.push_back(cache.allocate(3_MiB, {}));
  for (std::size_t i = 1; i < 60; i += 2) cache.release(std::exchange(blocks[i], nullptr));
  blocks.push_back(cache.allocate(60_MiB, {}));
  for (Block* block : blocks) cache.release(block);
  return cache.stats().moved_bytes;
}

TEST(AllocationPolicy, MovesFreeMemoryOnEveryDeviceButThoseOfCuda) {
  EXPECT_TRUE(AllocationPolicy::of({}).moving.is_on);
  EXPECT_TRUE(AllocationPolicy::of(Device::simulated(0)).moving.is_on);
  EXPECT_FALSE(AllocationPolicy::of(Device::of(cuda_kind, 0)).moving.is_on);
}

TEST(AllocationPolicy, IsWhatAnAllocatorGoesBy) {
  EXPECT_GT(moved_bytes({}), 0u);
  EXPECT_EQ(moved_bytes(AllocationPolicy::of(Device::of(cuda_kind, 0))), 0u);
}

TEST(AllocationPolicy, CanBeGivenOtherFigures) {
  AllocationPolicy generous;
  generous.moving.slack = 0.5;

  EXPECT_EQ(moved_bytes(generous), 0u);
}

}  // namespace
}  // namespace garboard
