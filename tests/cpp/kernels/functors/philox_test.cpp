#include "kernels/functors/philox.h"

#include <gtest/gtest.h>

namespace garboard::functors {
namespace {

/// The known answers that the authors of Philox publish with it.
struct Answer {
  std::uint64_t counter, plane, seed;
  std::uint32_t words[4];
};

TEST(Philox, GivesThePublishedAnswers) {
  constexpr std::uint64_t ones = ~std::uint64_t{0};
  for (const Answer& answer : {
           Answer{0, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
           Answer{ones, ones, ones, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
           Answer{0x85a308d3243f6a88,
                  0x0370734413198a2e,
                  0x299f31d0a4093822,
                  {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
       }) {
    const FourWords block = philox(answer.counter, answer.plane, answer.seed);
    for (int k = 0; k < 4; ++k) EXPECT_EQ(block.word[k], answer.words[k]);
  }
}

TEST(Philox, UnitIntervalsLeaveOutOne) {
  constexpr std::uint32_t most = ~std::uint32_t{0};
  EXPECT_EQ(unit_interval<float>(0, 0), 0);
  EXPECT_EQ(unit_interval<float>(most, 0), 1 - 0x1p-24f);
  EXPECT_EQ(unit_interval<double>(most, most), 1 - 0x1p-53);
  EXPECT_LT(uniform<float>(1 - 0x1p-24f, 1e8f, 1e8f + 8), 1e8f + 8);
}

TEST(Philox, NormalNumbersAreFiniteAtBothEnds) {
  for (const float first : {0.0f, 1 - 0x1p-24f}) {
    float one, other;
    normal_pair(first, 0.25f, one, other);
    EXPECT_LT(abs(one) + abs(other), 7);
  }
}

TEST(Philox, LogarithmsOfSharesAreThoseOfAllNumbers) {
  for (std::uint32_t k = 0; k < 1 << 24; k += k < 64 || k > (1 << 24) - 64 ? 1 : 61) {
    const float share = 1.0f - static_cast<float>(k) * 0x1p-24f;

    ASSERT_EQ(log_of_share(share), log(share)) << k;
  }
}

}  // namespace
}  // namespace garboard::functors
