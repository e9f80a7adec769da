#include "csrc/core/exclusive.h"

#include <gtest/gtest.h>

namespace garboard {
namespace {

// Other tests run without an outer lock: whatever is declared here is declared in a child.
int alone_with(bool is_held) {
  static bool held = false;
  held = is_held;
  Exclusive::declare([]() noexcept { return held; });
  return Exclusive::now();
}

TEST(ExclusiveDeathTest, IsOfWhoHoldsTheOuterLock) {
  EXPECT_EXIT(std::exit(alone_with(true)), testing::ExitedWithCode(1), "");
}

TEST(ExclusiveDeathTest, IsNotWhileSomebodyHasALeave) {
  EXPECT_EXIT(
      {
        alone_with(true);
        const Exclusive::Leave leave;
        std::exit(Exclusive::now());
      },
      testing::ExitedWithCode(0), "");
}

TEST(ExclusiveDeathTest, AllowsAWorkerWhileSomebodyHasALeaveAlone) {
  EXPECT_EXIT(
      {
        Exclusive::declare([]() noexcept { return false; });
        const bool is_allowed = Exclusive::allows_this_thread();
        const Exclusive::Leave leave;
        std::exit(!is_allowed && Exclusive::allows_this_thread());
      },
      testing::ExitedWithCode(1), "");
}

TEST(ExclusiveDeathTest, EndsTheProgramOfWhoHasNeitherWhereAssertionsAre) {
#ifdef NDEBUG
  GTEST_SKIP() << "compiled without assertions";
#else
  EXPECT_DEATH(alone_with(false), "neither the outer lock nor a Leave");
#endif
}

}  // namespace
}  // namespace garboard
