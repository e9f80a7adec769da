#include "tests/support/device_array.h"  // stands for CUDA, so it comes first

#include <gtest/gtest.h>

#include <vector>

#include "kernels/cuda/sort/keys.h"

namespace garboard::kernels::cuda {
namespace {

template <class T>
class KeysOnCuda : public testing::Test {};
using Elements = testing::Types<bool, std::uint8_t, std::int8_t, std::int16_t, std::int32_t,
                                std::int64_t, Float16, BFloat16, float, double>;
TYPED_TEST_SUITE(KeysOnCuda, Elements);

/// Every number of 16 bits at the top of an element.
template <class Bits>
std::vector<Bits> patterns() {
  constexpr int unused = sizeof(Bits) == 1 ? 0 : 8 * static_cast<int>(sizeof(Bits)) - 16;
  std::vector<Bits> all;
  for (std::uint32_t i = 0; i < 1 << 16; ++i)
    all.push_back(static_cast<Bits>(sizeof(Bits) == 1 ? i : std::uint64_t{i} << unused));
  for (const int i : {1, 2, 3}) all.push_back(static_cast<Bits>(all[0x7f80] + i));
  return all;
}

TYPED_TEST(KeysOnCuda, AreThoseOfTheCpu) {
  using T = TypeParam;
  using Bits = functors::BitsOf<T>;
  const KeyRule<Bits> rising = key_rule<T>(false), falling = key_rule<T>(true);
  for (const Bits bits : patterns<Bits>()) {
    if (std::is_same_v<T, bool> && bits > 1) continue;  // no bool that C++ knows
    const Bits key = functors::key_of(functors::bits_as<T>(bits));

    ASSERT_EQ(rising.key_of(bits), key) << +bits;
    ASSERT_EQ(falling.key_of(bits), static_cast<Bits>(~key)) << +bits;
    const T element = functors::bits_as<T>(bits);
    ASSERT_EQ(rising.is_nan(key), functors::widened(element) != functors::widened(element));
  }
}

TYPED_TEST(KeysOnCuda, TellTheBitsOfEveryElementButNaNAndZero) {
  using T = TypeParam;
  using Bits = functors::BitsOf<T>;
  for (const bool descending : {false, true}) {
    const KeyRule<Bits> rule = key_rule<T>(descending);
    int untold = 0;
    for (const Bits bits : patterns<Bits>()) {
      if (std::is_same_v<T, bool> && bits > 1) continue;
      const Bits key = rule.key_of(bits);
      const auto wide = functors::widened(functors::bits_as<T>(bits));

      if (!rule.tells_element(key)) {
        EXPECT_TRUE(functors::Floating<T> && (wide != wide || wide == 0)) << +bits;
        ++untold;
      } else {
        ASSERT_EQ(rule.element_of(key), bits) << +bits;
      }
    }
    EXPECT_EQ(untold > 0, functors::Floating<T>);
  }
}

TEST(KeysOnCuda, TakeAnyByteButZeroForTrue) {
  const auto rule = key_rule<bool>(false);

  EXPECT_EQ(rule.key_of(7), rule.key_of(1));
  EXPECT_EQ(rule.element_of(rule.key_of(7)), 1);
}

}  // namespace
}  // namespace garboard::kernels::cuda
