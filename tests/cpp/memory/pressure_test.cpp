#include "csrc/memory/pressure.h"

#include <gtest/gtest.h>

namespace garboard {
namespace {

using namespace std::chrono_literals;

constexpr Pressure::Time start{};

TEST(Pressure, LetsTheFirstCollectionPass) {
  const Pressure pressure;

  EXPECT_TRUE(pressure.allows_collection(start));
}

TEST(Pressure, AllowsAFurtherCollectionWhenItsTimeIsATwentiethOfAll) {
  Pressure pressure;
  pressure.record_collection(start, 100ms);

  EXPECT_FALSE(pressure.allows_collection(start + 1999ms));
  EXPECT_TRUE(pressure.allows_collection(start + 2000ms));
}

TEST(Pressure, JudgesByTheLastCollection) {
  Pressure pressure;
  pressure.record_collection(start, 1s);
  pressure.record_collection(start + 1s, 1us);

  EXPECT_TRUE(pressure.allows_collection(start + 1s + 20us));
}

TEST(Pressure, BeginsAtFourFifthsOfTheLimit) {
  EXPECT_EQ(Pressure::comfortable_bytes(1000), 800u);
  EXPECT_EQ(Pressure::comfortable_bytes(0), 0u);
}

}  // namespace
}  // namespace garboard
