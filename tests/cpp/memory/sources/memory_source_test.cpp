// What every source promises, asked of each.
#include "csrc/memory/sources/memory_source.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>

#include "csrc/memory/sources/cpu_source.h"
#include "csrc/memory/sources/simulated_source.h"

namespace garboard {
namespace {

struct Kind {
  const char* name;
  std::unique_ptr<MemorySource> (*make)();
};

const Kind kinds[] = {
    {"cpu", []() -> std::unique_ptr<MemorySource> { return std::make_unique<CpuSource>(); }},
    {"simulated",
     []() -> std::unique_ptr<MemorySource> {
       return std::make_unique<SimulatedSource>(SimulatedSource::Facts{.capacity_bytes = 1_GiB});
     }},
};

class EverySource : public testing::TestWithParam<Kind> {};

TEST_P(EverySource, HasFittingMeasures) {
  const auto source = GetParam().make();

  EXPECT_TRUE(std::has_single_bit(source->granularity_bytes()));
  EXPECT_TRUE(std::has_single_bit(source->quantum_bytes()));
  EXPECT_GE(source->quantum_bytes(), 64u);
  EXPECT_GE(source->granularity_bytes(), source->quantum_bytes());
  EXPECT_GE(source->capacity_bytes(), 64_MiB);
  EXPECT_EQ(source->name(), GetParam().name);
}

TEST_P(EverySource, MapsDisjointAlignedSegments) {
  const auto source = GetParam().make();
  const std::size_t bytes = 3 * source->granularity_bytes();

  auto* const a = static_cast<std::byte*>(source->map(bytes));
  auto* const b = static_cast<std::byte*>(source->map(bytes));

  ASSERT_TRUE(a && b);
  EXPECT_TRUE(a + bytes <= b || b + bytes <= a);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a) % source->granularity_bytes(), 0u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b) % source->granularity_bytes(), 0u);
  source->unmap(a, bytes);
  source->unmap(b, bytes);
}

TEST_P(EverySource, MapsMemoryThatCanBeWrittenWhereItIsOnTheHost) {
  const auto source = GetParam().make();
  if (!source->is_on_host()) GTEST_SKIP() << "not on the host";
  const std::size_t bytes = source->granularity_bytes();
  auto* const segment = static_cast<std::byte*>(source->map(bytes));

  std::memset(segment, 0xAB, bytes);

  EXPECT_EQ(segment[0], std::byte{0xAB});
  EXPECT_EQ(segment[bytes - 1], std::byte{0xAB});
  source->unmap(segment, bytes);
}

TEST_P(EverySource, GivesNullForMoreThanThereIs) {
  const auto source = GetParam().make();

  EXPECT_EQ(source->map(std::size_t{1} << 60), nullptr);
}

TEST_P(EverySource, PutsMemoryBehindAnyGranulesOfARange) {
  const auto source = GetParam().make();
  const std::size_t granule = source->granularity_bytes();
  auto* const range = static_cast<std::byte*>(source->reserve(8 * granule));
  if (!range) GTEST_SKIP() << "whole segments only";

  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(range) % granule, 0u);
  ASSERT_TRUE(source->map_at(range, 2 * granule));
  ASSERT_TRUE(source->map_at(range + 2 * granule, 2 * granule));
  if (source->is_on_host()) std::memset(range, 0xAB, 4 * granule);
  source->unmap_at(range + granule, 2 * granule);  // a part of either

  if (source->is_on_host()) {
    EXPECT_EQ(range[granule - 1], std::byte{0xAB});
    EXPECT_EQ(range[3 * granule], std::byte{0xAB});
  }
  source->unmap_at(range, granule);
  source->unmap_at(range + 3 * granule, granule);
  source->unreserve(range, 8 * granule);
}

TEST_P(EverySource, ReservesNoMoreAddressesThanThereAre) {
  const auto source = GetParam().make();

  EXPECT_EQ(source->reserve(std::size_t{1} << 60), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Sources, EverySource, testing::ValuesIn(kinds),
                         [](const auto& kind) { return std::string(kind.param.name); });

}  // namespace
}  // namespace garboard
