#include "csrc/memory/policy/pressure.h"

#include <gtest/gtest.h>

namespace garboard {
namespace {

using namespace std::chrono_literals;

constexpr Pressure::Time start{};
constexpr Pressure::Load relaxed{.live = 700, .request = 40, .limit = 1000};
constexpr Pressure::Load brief{.live = 800, .request = 50, .limit = 1000};
constexpr Pressure::Load urgent{.live = 900, .request = 20, .limit = 1000};
constexpr Pressure::Load dire{.live = 900, .request = 80, .limit = 1000};

TEST(Pressure, LetsTheFirstCollectionPassOnceMemoryIsShort) {
  const Pressure pressure({});

  EXPECT_FALSE(pressure.allows_collection(relaxed, start));
  EXPECT_TRUE(pressure.allows_collection(brief, start));
}

TEST(Pressure, AllowsAFurtherCollectionWhenItsTimeIsATwentiethOfAll) {
  Pressure pressure({});
  pressure.record_collection(start, 100ms, 0, 0);

  EXPECT_FALSE(pressure.allows_collection(brief, start + 1999ms));
  EXPECT_TRUE(pressure.allows_collection(brief, start + 2000ms));
}

TEST(Pressure, AllowsMoreTimeWhenItIsUrgentAndWhenTheLastCollectionFreedMuch) {
  Pressure poor({}), rich({});
  poor.record_collection(start, 100ms, 99, 0);
  rich.record_collection(start, 100ms, 100, 0);

  EXPECT_FALSE(poor.allows_collection(urgent, start + 999ms));
  EXPECT_TRUE(poor.allows_collection(urgent, start + 1000ms));
  EXPECT_TRUE(poor.allows_collection(dire, start + 500ms));
  EXPECT_TRUE(rich.allows_collection(brief, start + 1000ms));
  EXPECT_TRUE(rich.allows_collection(dire, start + 250ms));
}

TEST(Pressure, WantsToSeeNewBytesBeforeItLooksAgain) {
  Pressure pressure({});
  pressure.record_collection(start, 1us, 0, 751);

  EXPECT_FALSE(pressure.allows_collection(brief, start + 1h));
  pressure.record_collection(start, 1us, 0, 750);
  EXPECT_TRUE(pressure.allows_collection(brief, start + 1h));
}

TEST(Pressure, JudgesByWhatCollectionsUsuallyCost) {
  Pressure pressure({});
  pressure.record_collection(start, 400ms, 0, 0);
  pressure.record_collection(start, 0ms, 0, 0);

  EXPECT_FALSE(pressure.allows_collection(brief, start + 5999ms));
  EXPECT_TRUE(pressure.allows_collection(brief, start + 6001ms));
}

TEST(Pressure, LooksAtOldObjectsOnlyWhenItIsUrgent) {
  const Pressure pressure({});

  EXPECT_FALSE(pressure.is_urgent(brief));
  EXPECT_TRUE(pressure.is_urgent(urgent));
  EXPECT_TRUE(pressure.is_urgent({.live = 0, .request = 1, .limit = 0}));
}

}  // namespace
}  // namespace garboard
