#include "csrc/core/ticks.h"

#include <gtest/gtest.h>

#include <chrono>

namespace garboard {
namespace {

std::int64_t epoch_us_now() {
  const auto epoch = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(epoch).count();
}

TEST(Ticks, NeverGoBackOnOneThread) {
  std::uint64_t last = ticks_now();
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t now = ticks_now();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(TickScale, PlacesAMomentBetweenTwoReadingsOfTheClock) {
  const TickScale scale;
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
  while (std::chrono::steady_clock::now() < until) {
  }

  const std::int64_t before = epoch_us_now();
  const std::uint64_t moment = ticks_now();
  const std::int64_t after = epoch_us_now();
  const std::int64_t found = scale.epoch_us(moment);

  EXPECT_GE(found, before - 1000);
  EXPECT_LE(found, after + 1000);
}

TEST(TickScale, KeepsTheDistanceOfTwoMoments) {
  const TickScale scale;
  const std::uint64_t first = ticks_now();
  const auto began = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - began < std::chrono::milliseconds(30)) {
  }
  const std::uint64_t second = ticks_now();

  const TickScale::Now now(scale);
  const std::int64_t apart = now.epoch_us(second) - now.epoch_us(first);

  EXPECT_GE(apart, 29'000);
  EXPECT_LE(apart, 60'000);
}

TEST(TickScale, AskedAtOnceStillAnswers) {
  const TickScale scale;

  EXPECT_GT(scale.epoch_us(ticks_now()), 0);
}

}  // namespace
}  // namespace garboard
