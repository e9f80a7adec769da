#include <gtest/gtest.h>

#include "kernels/cuda/launch/launch_plan.h"
#include "kernels/cuda/launch/parts.h"
#include "tests/support/close_arrays.h"

namespace garboard::kernels::cuda {
namespace {

using shim::DeviceArray;
using shim::expect_close;
using shim::normal_numbers;
using shim::small_numbers;

/// Slices of one tile, of several, of part of one, and none.
constexpr std::int64_t tile = 16 * threads;
const Dims shapes[] = {{2, 3, 5},        {1, 2 * tile + 1, 2},
                       {3, tile, 1},     {1, 3 * tile + 7, 1},
                       {2, tile + 1, 1}, {1, threads* tile + 9, 1},
                       {300, 17, 1},     {5, 511, 1},
                       {3, 1300, 1},     {2, 300, 70},
                       {7, 1, 4},        {2, 0, 3}};

TEST(ScanOnCuda, AddsUpAsTheCpuDoes) {
  for (const Dims& sizes : shapes) {
    const auto x = small_numbers<std::int64_t>(sizes.product(), 1);
    DeviceArray<std::int64_t> found(sizes.product()), expected(sizes.product());

    kernel(CumulativeSum{found.view(sizes), x.view(sizes), 1}, Stream{});

    cpu_table().run(CumulativeSum{expected.view(sizes), x.view(sizes), 1}, Stream{});
    EXPECT_EQ(found.values(), expected.values()) << "of sizes " << sizes;
  }
}

TEST(ScanOnCuda, WalksDownColumnsAndBackwards) {
  const Dims sizes{3, 40};
  const auto x = normal_numbers<double>(120, 2);
  const DeviceArray<double> found(120), expected(120);
  const View turned = x.view(sizes, {1, -3}, 117);

  kernel(LogCumulativeSumExp{found.view(sizes), turned, 1}, Stream{});

  cpu_table().run(LogCumulativeSumExp{expected.view(sizes), turned, 1}, Stream{});
  expect_close(found, expected);
}

TEST(ScanOnCuda, FindsTheLastOfEqualExtremaAndEveryNaN) {
  const Dims sizes{2, 700};
  std::vector<float> numbers(1400);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i * 37 % 11);
  numbers[300] = std::numeric_limits<float>::quiet_NaN();
  const DeviceArray<float> x(numbers);
  DeviceArray<float> values(1400), expected_values(1400);
  DeviceArray<std::int64_t> places(1400), expected(1400);

  kernel(CumulativeMaximum{{values.view(sizes), places.view(sizes), x.view(sizes), 1}}, Stream{});

  cpu_table().run(
      CumulativeMaximum{{expected_values.view(sizes), expected.view(sizes), x.view(sizes), 1}},
      Stream{});
  EXPECT_EQ(places.values(), expected.values());
  expect_close(values, expected_values, 0);
}

}  // namespace
}  // namespace garboard::kernels::cuda
