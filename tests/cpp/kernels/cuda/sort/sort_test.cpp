#include <gtest/gtest.h>

#include "kernels/cuda/launch/launch_plan.h"
#include "kernels/cuda/launch/parts.h"
#include "tests/support/device_array.h"

namespace garboard::kernels::cuda {
namespace {

using shim::DeviceArray;
using shim::small_numbers;

template <class T>
class SortOnCuda : public testing::Test {};
using Elements = testing::Types<bool, std::uint8_t, std::int64_t, Float16, float>;
TYPED_TEST_SUITE(SortOnCuda, Elements);

/// Many short slices in a block, a slice of one tile, of several, of part of one.
const Dims shapes[] = {{5, 700}, {1, sort_tile}, {2, 3 * sort_tile + 7}, {3, 1}, {400, 3}};

TYPED_TEST(SortOnCuda, PutsEqualElementsInTheOrderOfTheCpu) {
  for (const Dims& sizes : shapes) {
    const auto x = small_numbers<TypeParam>(sizes.product(), 3);
    for (const bool descending : {false, true}) {
      const Dims out{sizes[0], descending ? sizes[1] : (sizes[1] + 1) / 2};
      DeviceArray<std::int64_t> found(out.product() + 1), expected(out.product() + 1);
      const View none = make_view(nullptr, dtype_of<TypeParam>, out, contiguous_strides(out));

      kernel(Sort{none, found.view(out), x.view(sizes), 1, descending}, Stream{});

      cpu_table().run(Sort{none, expected.view(out), x.view(sizes), 1, descending}, Stream{});
      EXPECT_EQ(found.values(), expected.values()) << "of sizes " << sizes;
    }
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

}  // namespace
}  // namespace garboard::kernels::cuda
