#include <gtest/gtest.h>

#include "kernels/cuda/launch/fault_record.h"
#include "kernels/cuda/launch/parts.h"
#include "tests/support/close_arrays.h"

namespace garboard::kernels::cuda {
namespace {

using shim::DeviceArray;
using shim::small_numbers;

constexpr Meeting meetings[] = {Meeting::write, Meeting::add, Meeting::multiply, Meeting::maximum,
                                Meeting::minimum};

template <class T>
class ScatterOnCuda : public testing::Test {};
using Elements = testing::Types<std::uint8_t, std::int64_t, BFloat16, float>;
TYPED_TEST_SUITE(ScatterOnCuda, Elements);

TYPED_TEST(ScatterOnCuda, MeetsInTheOrderOfTheCpuByElementAndByRow) {
  const Dims sizes{1300, 3};
  const auto source = small_numbers<TypeParam>(sizes.product(), 4);
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(sizes.product()));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<std::int64_t>(i * 7 % 5) - 1;  // -1 is the last
  const DeviceArray<std::int64_t> index(numbers);
  const IndexedDim along{4, 3, 4};
  for (const Meeting meeting : meetings) {
    for (const std::int64_t step : {1, 0}) {  // an index for each element, or for each row
      auto found = small_numbers<TypeParam>(12, 5), expected = small_numbers<TypeParam>(12, 5);
      const View at = index.view(sizes, {3, step}, 0);
      const auto call = [&](const DeviceArray<TypeParam>& x) {
        const View seen = x.view(sizes, {0, 1}, 0);
        const View given = source.view(sizes);
        return [=](auto&& run) { run(Scatter{seen, at, given, along, meeting}); };
      };

      call(found)([](const Scatter& of) { EXPECT_TRUE(kernel(of, Stream{})); });

      call(expected)([](const Scatter& of) { EXPECT_TRUE(cpu_table().run(of, Stream{})); });
      shim::expect_close(found, expected, 0);
    }
  }
}

TEST(ScatterOnCuda, GoesBackwardAndAsFarAsStridesReach) {
  DeviceArray<float> x(std::vector<float>{0, 0, 0});
  const DeviceArray<std::int64_t> index(std::vector<std::int64_t>{0, 2, 0, 1, 0});
  const DeviceArray<std::int64_t> zeros(std::vector<std::int64_t>(5, 0));
  const DeviceArray<float> given(std::vector<float>{1, 2, 3, 4, 5});
  const Dims sizes{5};

  for (const IndexedDim& along : {IndexedDim{3, -1, 3}, IndexedDim{2, INT64_C(1) << 40, 2}}) {
    const View places = (along.stride < 0 ? index : zeros).view(sizes);
    kernel(Scatter{x.view(sizes, {0}, 2), places, given.view(sizes), along, Meeting::add},
           Stream{});
  }

  EXPECT_EQ(x.values(), (std::vector<float>{2, 4, 9 + 15}));
}

TEST(ScatterOnCuda, NotesWhatIsOutOfRangeAndWritesTheRest) {
  DeviceArray<float> x(std::vector<float>{0, 0, 0});
  const DeviceArray<std::int64_t> index(std::vector<std::int64_t>{2, 3, -4, INT64_MIN, 0});
  const DeviceArray<float> ones(std::vector<float>(5, 1));
  const Dims sizes{5};

  kernel(
      Scatter{x.view(sizes, {0}, 0), index.view(sizes), ones.view(sizes), {3, 1, 3}, Meeting::add},
      Stream{});

  EXPECT_EQ(x.values(), (std::vector<float>{1, 0, 1}));
  EXPECT_THROW(raise_noted(fault_record(Stream{})), IndexOutOfRangeError);
  EXPECT_NO_THROW(raise_noted(fault_record(Stream{})));  // told once
}

}  // namespace
}  // namespace garboard::kernels::cuda
