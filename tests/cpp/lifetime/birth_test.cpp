#include "csrc/lifetime/birth.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace garboard {
namespace {

TEST(Birth, NumbersThreadsAsTheyAsk) {
  const std::uint32_t here = thread_number();
  std::uint32_t first = 0, again = 0, second = 0;
  std::thread([&] {
    first = thread_number();
    again = thread_number();
  }).join();
  std::thread([&] { second = thread_number(); }).join();

  EXPECT_EQ(thread_number(), here);
  EXPECT_EQ(first, again);
  EXPECT_EQ(second, first + 1);
}

TEST(Birth, NamesSitesThroughTheResolver) {
  EXPECT_EQ(describe(3), "unknown");

  set_site_resolver([](Site site) { return "train.py:" + std::to_string(site); });

  EXPECT_EQ(describe(3), "train.py:3");
  EXPECT_EQ(describe(unknown_site), "unknown");
  set_site_resolver(nullptr);
}

}  // namespace
}  // namespace garboard
