#include "tests/support/slices_to_sort.h"  // stands for CUDA, so it comes first

#include <gtest/gtest.h>

#include "kernels/cuda/sort/radix_sort.h"
#include "kernels/cuda/sort/tile_sort.h"

namespace garboard::kernels::cuda {
namespace {

using shim::DeviceArray;

template <class T>
class RadixSort : public testing::Test {};
using Elements = testing::Types<bool, std::uint8_t, std::int16_t, Float16, float, double>;
TYPED_TEST_SUITE(RadixSort, Elements);

/// Checks `wanted` of each slice, sorted by `way`, whatever the plan would say.
template <class T, class Way>
void expect_sorted_by(Way way, std::int64_t size, std::int64_t wanted) {
  const auto x = shim::slices_to_sort<T>(size);
  shim::expect_sorted_as_on_cpu<T>(
      x.view({shim::hard_slices, size}), 1, wanted, size % 2 == 0, [&](const Sort& of) {
        for_each_sorted_part(of, wanted, of.descending, [&](const auto& slices) { way(slices); });
      });
}

TYPED_TEST(RadixSort, PutsSlicesOfManyTilesInTheOrderOfTheCpu) {
  constexpr std::int64_t tile = radix_tile<functors::BitsOf<TypeParam>>;
  const auto way = [](const auto& slices) { sort_by_digits(slices, Stream{}); };

  for (const std::int64_t size : {std::int64_t{1}, tile, tile + 1, 2 * tile + 18})
    expect_sorted_by<TypeParam>(way, size, size);
  expect_sorted_by<TypeParam>(way, tile + 5, tile + 3);
}

TYPED_TEST(RadixSort, PutsSlicesOfOneTileInTheOrderOfTheCpu) {
  const auto way = [](const auto& slices) { sort_tiles(slices, Stream{}); };

  for (const std::int64_t size : {1, 512, 513, 1024, 1025, 2049, 4096})
    expect_sorted_by<TypeParam>(way, size, size);
  expect_sorted_by<TypeParam>(way, 3000, 1);
}

TEST(RadixSort, AddsUpMoreTilesThanABlockHasParts) {
  const std::int64_t tiles = 2 * scan_parts + 3, size = tiles * radix_tile<std::uint8_t> - 5;
  const auto x = shim::small_numbers<std::uint8_t>(size, 5);
  shim::expect_sorted_as_on_cpu<std::uint8_t>(
      x.view({1, size}), 1, size, false, [&](const Sort& of) {
        for_each_sorted_part(of, size, false,
                             [](const auto& slices) { sort_by_digits(slices, Stream{}); });
      });
}

}  // namespace
}  // namespace garboard::kernels::cuda
