#include "csrc/core/half_types.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace garboard {
namespace {

template <class T>
class HalfTypes : public ::testing::Test {
 protected:
  static T of_bits(unsigned bits) {
    T x;
    x.bits = static_cast<std::uint16_t>(bits);
    return x;
  }
};
using Types = ::testing::Types<Float16, BFloat16>;
TYPED_TEST_SUITE(HalfTypes, Types);

TYPED_TEST(HalfTypes, ComeBackFromFloatAsTheyWere) {
  for (unsigned bits = 0; bits < 1 << 16; ++bits) {
    const auto wide = static_cast<float>(this->of_bits(bits));

    const TypeParam back(wide);

    if (std::isnan(wide))
      EXPECT_TRUE(std::isnan(static_cast<float>(back))) << bits;
    else
      EXPECT_EQ(back.bits, bits);
  }
}

// By the definition: the nearer of two neighbours, and of equals the one whose last bit is 0.
TYPED_TEST(HalfTypes, AreRoundedToTheNearestAndHalvesToEven) {
  const auto finite = static_cast<unsigned>(std::numeric_limits<TypeParam>::max().bits);
  for (unsigned bits = 0; bits < finite; ++bits) {
    const double low = static_cast<double>(this->of_bits(bits));
    const double high = static_cast<double>(this->of_bits(bits + 1));
    const auto middle = static_cast<float>((low + high) / 2);
    const unsigned even = bits + (bits & 1);

    EXPECT_EQ(TypeParam(middle).bits, even);
    EXPECT_EQ(TypeParam(std::nextafter(middle, 0.0f)).bits, bits);
    EXPECT_EQ(TypeParam(std::nextafter(middle, INFINITY)).bits, bits + 1);
    EXPECT_EQ(TypeParam(-middle).bits, even | 0x8000);
  }
}

TYPED_TEST(HalfTypes, BecomeInfiniteBeyondTheLastHalfStep) {
  using Limits = std::numeric_limits<TypeParam>;
  const double most = static_cast<double>(Limits::max());
  const double step = most - static_cast<double>(this->of_bits(Limits::max().bits - 1u));
  const auto bound = static_cast<float>(most + step / 2);

  EXPECT_EQ(TypeParam(bound).bits, Limits::infinity().bits);
  EXPECT_EQ(TypeParam(std::nextafter(bound, 0.0f)).bits, Limits::max().bits);
  EXPECT_EQ(TypeParam(INFINITY).bits, Limits::infinity().bits);
  EXPECT_EQ(TypeParam(-INFINITY).bits, Limits::infinity().bits | 0x8000);
}

TYPED_TEST(HalfTypes, KeepEveryNan) {
  for (const std::uint32_t bits : {0x7f800001u, 0x7fc00000u, 0x7fffffffu, 0xff800001u, 0xffffffffu})
    EXPECT_TRUE(std::isnan(static_cast<float>(TypeParam(__builtin_bit_cast(float, bits))))) << bits;
}

TEST(HalfLimits, AreThoseThatPyTorchPrints) {
  using Of16 = std::numeric_limits<Float16>;
  using OfB16 = std::numeric_limits<BFloat16>;

  EXPECT_EQ(static_cast<double>(Of16::max()), 65504);
  EXPECT_EQ(static_cast<double>(Of16::epsilon()), 0x1p-10);
  EXPECT_EQ(static_cast<double>(Of16::min()), 0x1p-14);
  EXPECT_EQ(static_cast<double>(Of16::denorm_min()), 0x1p-24);
  EXPECT_EQ(static_cast<double>(OfB16::max()), 0x1.fep127);
  EXPECT_EQ(static_cast<double>(OfB16::epsilon()), 0x1p-7);
  EXPECT_EQ(static_cast<double>(OfB16::min()), 0x1p-126);
  EXPECT_EQ(static_cast<double>(OfB16::denorm_min()), 0x1p-133);
}

}  // namespace
}  // namespace garboard
