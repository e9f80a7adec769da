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
  using Clock = std::chrono::steady_clock;
  const TickScale scale;
  const auto before_first = Clock::now();
  const std::uint64_t first = ticks_now();
  const auto after_first = Clock::now();
  while (Clock::now() - after_first < std::chrono::milliseconds(30)) {
  }
  const auto before_second = Clock::now();
  const std::uint64_t second = ticks_now();
  const auto after_second = Clock::now();

  const TickScale::Now now(scale);
  const auto apart = static_cast<double>(now.epoch_us(second) - now.epoch_us(first));

  const auto us = [](Clock::duration time) {
    return std::chrono::duration<double, std::micro>(time).count();
  };
  EXPECT_GE(apart, 0.97 * us(before_second - after_first));
  EXPECT_LE(apart, 1.03 * us(after_second - before_first));
}

TEST(TickScale, AskedAtOnceStillAnswers) {
  const TickScale scale;

  EXPECT_GT(scale.epoch_us(ticks_now()), 0);
}

}  // namespace
}  // namespace garboard
