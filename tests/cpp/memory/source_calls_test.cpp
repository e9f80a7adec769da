#include "csrc/memory/source_calls.h"

#include <gtest/gtest.h>

namespace garboard {
namespace {

TEST(SourceCalls, AddsUpCallsAndTheirTime) {
  SourceCalls calls;
  const auto busy = [] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(600);
    while (std::chrono::steady_clock::now() < end) {
    }
    return 7;
  };

  EXPECT_EQ(calls.timed(busy), 7);
  EXPECT_EQ(calls.timed(busy), 7);
  EXPECT_EQ(calls.count(), 2u);
  EXPECT_GE(calls.time_us(), 1200u);
}

TEST(SourceCalls, ReturnsNothingWhereTheCallDoesNot) {
  SourceCalls calls;
  bool was_called = false;

  calls.timed([&] { was_called = true; });

  EXPECT_TRUE(was_called);
  EXPECT_EQ(calls.count(), 1u);
}

}  // namespace
}  // namespace garboard
