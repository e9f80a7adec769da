#include "csrc/lifetime/peak.h"

#include <gtest/gtest.h>

#include <map>

namespace garboard {
namespace {

std::map<Site, std::int64_t> bytes_in(const SiteTally& tally) {
  std::map<Site, std::int64_t> bytes;
  tally.for_each([&](const SiteBytes& entry) { bytes[entry.site] += entry.bytes; });
  return bytes;
}

TEST(SiteTally, AddsUpWhatASiteHas) {
  SiteTally tally(4);

  tally.add({.site = 7, .count = 1, .bytes = 10});
  tally.add({.site = 3, .count = 1, .bytes = 5});  // the same place in a table of four
  tally.add({.site = 7, .count = 2, .bytes = 1});

  EXPECT_EQ(bytes_in(tally), (std::map<Site, std::int64_t>{{3, 5}, {7, 11}}));
  EXPECT_EQ(tally.size(), 2u);
}

TEST(SiteTally, HasRoomForThreeQuartersAndOneMore) {
  SiteTally tally(8);
  for (Site site = 0; site < 6; ++site) {
    EXPECT_TRUE(tally.has_room());
    tally.add({site, 1, 1});
  }
  EXPECT_FALSE(tally.has_room());

  tally.add({.site = 100, .count = 1, .bytes = 1});

  EXPECT_EQ(bytes_in(tally).size(), 7u);
}

TEST(SiteTally, IsEmptyOnceCleared) {
  SiteTally tally(8);
  tally.add({.site = 1, .count = 1, .bytes = 10});

  tally.clear();
  EXPECT_EQ(tally.size(), 0u);
  EXPECT_TRUE(bytes_in(tally).empty());

  tally.add({.site = 1, .count = 1, .bytes = 3});
  EXPECT_EQ(bytes_in(tally), (std::map<Site, std::int64_t>{{1, 3}}));
}

TEST(SiteTally, TakesOverWhatASmallerOneHas) {
  SiteTally smaller(4), larger(8);
  smaller.add({.site = 1, .count = 1, .bytes = 10});
  smaller.add({.site = 5, .count = 1, .bytes = 20});
  larger.add({.site = 5, .count = 1, .bytes = 1});

  larger.take(smaller);

  EXPECT_EQ(bytes_in(larger), (std::map<Site, std::int64_t>{{1, 10}, {5, 21}}));
}

}  // namespace
}  // namespace garboard
