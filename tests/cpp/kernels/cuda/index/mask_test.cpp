#include <gtest/gtest.h>

#include "kernels/cuda/launch/parts.h"
#include "tests/support/device_array.h"

namespace garboard::kernels::cuda {
namespace {

using shim::DeviceArray;
using shim::small_numbers;

/// Every third element, in none, one and several blocks.
TEST(MaskOnCuda, TakesPutsAndListsWhatIsTrue) {
  for (const std::int64_t count : {std::int64_t{1}, mask_block - 1, mask_block, 3 * mask_block + 5,
                                   (threads + 2) * mask_block}) {
    DeviceArray<bool> mask(count);
    for (std::int64_t i = 0; i < count; ++i) mask.set(i, i % 3 == 1);
    const std::int64_t wanted = (count + 1) / 3;
    DeviceArray<std::int64_t> starts(divided_up(count, mask_block));
    const View of_mask = mask.view({count}), of_starts = starts.view({starts.count()});

    ASSERT_EQ(kernel(CountTrue{of_mask, of_starts}, Stream{}), wanted);

    const auto x = small_numbers<std::int16_t>(count, 6);
    DeviceArray<std::int16_t> taken(wanted);
    DeviceArray<std::int64_t> places(wanted);
    kernel(MaskedTake{taken.view({wanted}), x.view({count}), of_mask, of_starts}, Stream{});
    kernel(TruePlaces{places.view({wanted, 1}), of_mask, of_starts}, Stream{});
    DeviceArray<std::int16_t> put(std::vector<std::int16_t>(static_cast<std::size_t>(count), -1));
    kernel(MaskedPut{put.view({count}), taken.view({wanted}), of_mask, of_starts}, Stream{});
    for (std::int64_t i = 0; i < count; ++i) {
      ASSERT_EQ(put.at(i), i % 3 == 1 ? x.at(i) : -1);
      if (i % 3 != 1) continue;
      ASSERT_EQ(taken.at(i / 3), x.at(i));
      ASSERT_EQ(places.at(i / 3), i);
    }
  }
}

TEST(MaskOnCuda, WritesNothingBeyondTheEndOfWhatIsWanted) {
  const DeviceArray<bool> mask(100);  // all true
  DeviceArray<std::int64_t> starts(1);
  const auto x = small_numbers<float>(100, 7);
  const DeviceArray<float> taken(40);

  kernel(CountTrue{mask.view({100}), starts.view({1})}, Stream{});
  kernel(MaskedTake{taken.view({40}), x.view({100}), mask.view({100}), starts.view({1})}, Stream{});

  EXPECT_EQ(taken.at(39), x.at(39));
}

}  // namespace
}  // namespace garboard::kernels::cuda
