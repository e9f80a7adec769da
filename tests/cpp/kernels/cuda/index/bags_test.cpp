#include <gtest/gtest.h>

#include "kernels/cuda/launch/fault_record.h"
#include "kernels/cuda/launch/parts.h"
#include "tests/support/close_arrays.h"

namespace garboard::kernels::cuda {
namespace {

using shim::DeviceArray;
using shim::expect_close;
using shim::normal_numbers;

struct BagResults {
  DeviceArray<float> out{4 * 3};
  DeviceArray<std::int64_t> picked{4 * 3}, bag_of{9};
  DeviceArray<float> shares{9};

  Bags call(const DeviceArray<float>& x, const DeviceArray<std::int64_t>& index,
            const DeviceArray<std::int64_t>& starts, BagMode mode) const {
    return {out.view({4, 3}),
            x.view({6, 3}),
            index.view({9}),
            starts.view({5}),
            {},
            mode == BagMode::max ? picked.view({4, 3}) : View{},
            shares.view({9}),
            bag_of.view({9}),
            mode,
            2};
  }
};

TEST(BagsOnCuda, GiveWhatTheCpuGives) {
  const auto x = normal_numbers<float>(18, 8);
  const DeviceArray<std::int64_t> index(std::vector<std::int64_t>{5, 5, 2, 0, 1, 2, 2, 3, 4});
  const DeviceArray<std::int64_t> starts(std::vector<std::int64_t>{0, 3, 3, 5, 7});
  for (const BagMode mode : {BagMode::sum, BagMode::mean, BagMode::max}) {
    BagResults found, expected;

    kernel(found.call(x, index, starts, mode), Stream{});

    cpu_table().run(expected.call(x, index, starts, mode), Stream{});
    expect_close(found.out, expected.out);
    EXPECT_EQ(found.shares.values(), expected.shares.values());
    EXPECT_EQ(found.bag_of.values(), expected.bag_of.values());
    if (mode == BagMode::max) {
      EXPECT_EQ(found.picked.values(), expected.picked.values());
    }
  }
}

TEST(BagsOnCuda, NoteRowsAndStartsThatThereAreNot) {
  const auto x = normal_numbers<float>(18, 8);
  const DeviceArray<std::int64_t> good(std::vector<std::int64_t>{5, 5, 2, 0, 1, 2, 2, 3, 4});
  const DeviceArray<std::int64_t> bad(std::vector<std::int64_t>{5, 5, 2, 0, 6, 2, -1, 3, 4});
  const DeviceArray<std::int64_t> starts(std::vector<std::int64_t>{0, 3, 3, 5, 7});
  for (const auto& wrong : {std::vector<std::int64_t>{0, 3, 2, 5, 7},
                            {1, 3, 3, 5, 7},
                            {0, 3, 3, 5, INT64_MAX},
                            {0, INT64_MIN, 3, 5, 7}}) {
    kernel(BagResults().call(x, good, DeviceArray<std::int64_t>(wrong), BagMode::mean), Stream{});
    EXPECT_THROW(raise_noted(fault_record(Stream{})), IndexOutOfRangeError);
  }

  kernel(BagResults().call(x, bad, starts, BagMode::sum), Stream{});

  EXPECT_THROW(raise_noted(fault_record(Stream{})), IndexOutOfRangeError);
}

}  // namespace
}  // namespace garboard::kernels::cuda
