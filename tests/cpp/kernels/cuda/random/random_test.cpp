#include <gtest/gtest.h>

#include "kernels/cuda/launch/parts.h"
#include "kernels/functors/philox.h"
#include "tests/support/device_array.h"

namespace garboard::kernels::cuda {
namespace {

using shim::DeviceArray;

constexpr RandomStream numbers{.seed = 0x0123456789abcdef, .offset = (std::uint64_t{1} << 32) - 3};

template <class T>
class Random : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(Random, Floats);

// Philox itself is what the kernel table promises: every device draws the same numbers.
TYPED_TEST(Random, DrawsElementIFromItsOwnCounter) {
  const std::int64_t count = 4 * threads + 7;
  const DeviceArray<TypeParam> out(count + 1);
  const TypeParam beyond = out.at(count);

  kernel(Uniform{out.view({count}), 0, 1, numbers}, Stream{});

  for (std::int64_t i = 0; i < count; ++i) {
    const auto counter = numbers.offset + static_cast<std::uint64_t>(i / 4);
    const auto first = functors::philox(counter, 0, numbers.seed).word[i % 4];
    const auto second = functors::philox(counter, 1, numbers.seed).word[i % 4];
    EXPECT_EQ(out.at(i), functors::unit_interval<TypeParam>(first, second));
  }
  EXPECT_EQ(out.at(count), beyond) << "wrote past the end";
}

TYPED_TEST(Random, DrawsUniformNumbersInTheirInterval) {
  const DeviceArray<TypeParam> out(10'000);

  kernel(Uniform{out.view({10'000}), -2, 3, numbers}, Stream{});

  double sum = 0;
  for (const TypeParam x : out.values()) {
    EXPECT_GE(x, TypeParam(-2));
    EXPECT_LT(x, TypeParam(3));
    sum += x;
  }
  EXPECT_NEAR(sum / 10'000, 0.5, 0.1);
}

TYPED_TEST(Random, DrawsNormalNumbersOfTheirMeanAndDeviation) {
  const DeviceArray<TypeParam> out(10'000);

  kernel(Normal{out.view({10'000}), 5, 2, numbers}, Stream{});

  double sum = 0, squares = 0;
  for (const TypeParam x : out.values()) {
    sum += x;
    squares += (x - 5) * (x - 5);
  }
  EXPECT_NEAR(sum / 10'000, 5, 0.1);
  EXPECT_NEAR(squares / 10'000, 4, 0.2);
}

TYPED_TEST(Random, KeepsAShareOfOnes) {
  const DeviceArray<TypeParam> out(10'000);
  const auto share = [&](double keep) {
    kernel(Bernoulli{out.view({10'000}), keep, numbers}, Stream{});
    double sum = 0;
    for (const TypeParam x : out.values()) sum += x;
    return sum / 10'000;
  };

  EXPECT_NEAR(share(0.3), 0.3, 0.02);
  EXPECT_EQ(share(0), 0);
  EXPECT_EQ(share(1), 1);
}

TEST(RandomIntegers, AreThoseOfTheCpu) {
  for (const std::uint32_t count : {0u, 1u, 10u, 3u << 30}) {
    const DeviceArray<std::int64_t> out(1234);
    kernel(Integers{out.view({1234}), -5, count, numbers}, Stream{});

    const auto drawn = out.values();
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      const std::uint64_t counter = numbers.offset + i / 4;
      const int place = static_cast<int>(i % 4);
      const std::uint32_t word = functors::philox(counter, 0, numbers.seed).word[place];
      ASSERT_EQ(drawn[i], functors::one_below(count, word, counter, place, numbers.seed) - 5LL);
    }
  }
}

TEST(RandomOfNothing, StartsNothing) {
  const DeviceArray<float> out(0);
  const auto before = shim::launches;

  kernel(Normal{out.view({0}), 0, 1, numbers}, Stream{});

  EXPECT_EQ(shim::launches, before);
}

}  // namespace
}  // namespace garboard::kernels::cuda
