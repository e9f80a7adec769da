#include <gtest/gtest.h>

#include <limits>

#include "kernels/cuda/launch/launch_plan.h"
#include "kernels/cuda/launch/parts.h"
#include "tests/support/slices_to_sort.h"

namespace garboard::kernels::cuda {
namespace {

using shim::DeviceArray;
using shim::small_numbers;

template <class T>
class SortOnCuda : public testing::Test {};
using Elements =
    testing::Types<bool, std::uint8_t, std::int16_t, std::int64_t, Float16, float, double>;
TYPED_TEST_SUITE(SortOnCuda, Elements);

/// Several slices in a block, one in a block, and what is around each length at which the way
/// changes; slices that merging, digits and selection take.
const Dims shapes[] = {{400, 3},  {3, 1},    {5, 255},  {5, 256},  {5, 257},
                       {3, 512},  {3, 513},  {5, 700},  {1, 1024}, {2, 1025},
                       {2, 2048}, {2, 2049}, {2, 4096}, {2, 4097}, {3, 6000}};

TYPED_TEST(SortOnCuda, PutsEqualElementsInTheOrderOfTheCpu) {
  for (const Dims& sizes : shapes) {
    const auto x = small_numbers<TypeParam>(sizes.product(), 3);
    for (const bool descending : {false, true}) {
      const std::int64_t wanted = descending ? sizes[1] : (sizes[1] + 1) / 2;
      shim::expect_sorted_as_on_cpu<TypeParam>(x.view(sizes), 1, wanted, descending);
    }
  }
}

TYPED_TEST(SortOnCuda, PutsAnyBitsInTheOrderOfTheCpu) {
  const auto x = shim::slices_to_sort<TypeParam>(5000);
  for (const std::int64_t wanted : {1, 37, 2000, 4999, 5000})
    shim::expect_sorted_as_on_cpu<TypeParam>(x.view({shim::hard_slices, 5000}), 1, wanted,
                                             wanted % 2 == 0);
}

TEST(SortOnCuda, TakesSlicesThatLieAcross) {
  for (const std::int64_t size : {200, 3000, 5000}) {
    const auto x = small_numbers<float>(4 * size, 7);
    for (const std::int64_t wanted : {std::int64_t{9}, size})
      shim::expect_sorted_as_on_cpu<float>(x.view({size, 4}), 0, wanted, true);
    // Every other column of rows that lie apart, the last row first.
    const View apart = x.view({2, size / 2}, {size * 2, 2}, 0);
    shim::expect_sorted_as_on_cpu<float>(apart, 1, size / 2, false);
  }
}

TEST(SortOnCuda, GivesPlacesAloneOrValuesAlone) {
  const Dims sizes{2, 5000};
  const auto x = small_numbers<float>(sizes.product(), 11);
  for (const std::int64_t wanted : {3, 5000}) {
    const Dims out{2, wanted};
    const View no_values = make_view(nullptr, DType::float32, out, contiguous_strides(out));
    const View no_places = make_view(nullptr, DType::int64, out, contiguous_strides(out));
    DeviceArray<std::int64_t> places(2 * wanted), expected_places(2 * wanted);
    DeviceArray<float> values(2 * wanted), expected(2 * wanted);

    kernel(Sort{no_values, places.view(out), x.view(sizes), 1, false}, Stream{});
    kernel(Sort{values.view(out), no_places, x.view(sizes), 1, false}, Stream{});

    cpu_table().run(Sort{expected.view(out), expected_places.view(out), x.view(sizes), 1, false},
                    Stream{});
    EXPECT_EQ(places.values(), expected_places.values());
    EXPECT_EQ(values.values(), expected.values());
  }
}

TEST(SortOnCuda, TakesNaNLastOrFirstOrNotAtAll) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const DeviceArray<float> x(std::vector<float>{3, nan, -0.0F, 0, nan, 1, nan, nan});
  const Dims sizes{2, 4}, one{2, 1};
  for (const NaNs nans : {NaNs::last, NaNs::win, NaNs::passed_over}) {
    DeviceArray<float> values(2);
    DeviceArray<std::int64_t> found(2), expected(2);

    kernel(Select{values.view(one), found.view(one), x.view(sizes), 1, 1, nans}, Stream{});

    cpu_table().run(Select{values.view(one), expected.view(one), x.view(sizes), 1, 1, nans},
                    Stream{});
    EXPECT_EQ(found.values(), expected.values());
  }
}

TYPED_TEST(SortOnCuda, SelectsWhatTheCpuSelects) {
  for (const std::int64_t size : {1, 300, 1024, 1025}) {
    const auto x = shim::slices_to_sort<TypeParam>(size);
    const View slices = x.view({shim::hard_slices, size});
    const std::int64_t middle = (size - 1) / 2;
    shim::expect_selected_as_on_cpu<TypeParam>(slices, size - 1, NaNs::last);
    shim::expect_selected_as_on_cpu<TypeParam>(slices, middle, NaNs::win);
    shim::expect_selected_as_on_cpu<TypeParam>(slices, middle, NaNs::passed_over);
  }
}

TEST(SortOnCuda, FindsTheMostFrequentElementOfLongSlices) {
  const Dims sizes{2, 3000}, one{2, 1};
  const auto x = small_numbers<std::int16_t>(sizes.product(), 13);
  DeviceArray<std::int16_t> values(2), expected_values(2);
  DeviceArray<std::int64_t> found(2), expected(2);

  kernel(Mode{values.view(one), found.view(one), x.view(sizes), 1}, Stream{});

  cpu_table().run(Mode{expected_values.view(one), expected.view(one), x.view(sizes), 1}, Stream{});
  EXPECT_EQ(found.values(), expected.values());
  EXPECT_EQ(values.values(), expected_values.values());
}

}  // namespace
}  // namespace garboard::kernels::cuda
