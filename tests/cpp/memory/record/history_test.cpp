#include "csrc/memory/record/history.h"

#include <gtest/gtest.h>

#include <vector>

namespace garboard {
namespace {

HistoryEntry alloc_at(std::uint64_t address) {
  return {.address = address, .bytes = 64, .action = HistoryAction::alloc};
}

std::vector<std::uint64_t> addresses(const History& history) {
  std::vector<HistoryEntry> entries(history.size());
  history.copy(entries.data());
  std::vector<std::uint64_t> all;
  for (const HistoryEntry& entry : entries) all.push_back(entry.address);
  return all;
}

class HistoryTest : public testing::Test {
 protected:
  void restart(std::size_t most_entries) {
    History::Ring ring(most_entries);
    history_.restart(HistoryLevel::site, ring);
  }
  History history_;
};

TEST_F(HistoryTest, IsOffAndEmptyAtFirst) {
  history_.record(alloc_at(1));

  EXPECT_FALSE(history_.is_on());
  EXPECT_EQ(history_.size(), 0u);
  EXPECT_EQ(addresses(history_), std::vector<std::uint64_t>{});
}

TEST_F(HistoryTest, KeepsTheOrderAndTheTimes) {
  restart(8);
  for (std::uint64_t i = 1; i <= 3; ++i) history_.record(alloc_at(i));

  std::vector<HistoryEntry> entries(history_.size());
  history_.copy(entries.data());

  EXPECT_EQ(addresses(history_), (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_LE(entries[0].ticks, entries[1].ticks);
  EXPECT_GT(entries[0].ticks, 0u);
  EXPECT_EQ(history_.lost_count(), 0u);
}

TEST_F(HistoryTest, TellsSmallEventsTimesBetweenThoseThatWereRead) {
  restart(64);
  for (std::uint64_t i = 1; i <= 22; ++i) history_.record(alloc_at(i));
  const std::uint64_t before = ticks_now();
  HistoryEntry large = alloc_at(23);
  large.bytes = History::most_untimed_bytes + 1;
  history_.record(large);
  const std::uint64_t after = ticks_now();

  std::vector<HistoryEntry> entries(history_.size());
  history_.copy(entries.data());

  for (std::size_t i = 1; i < entries.size(); ++i) {
    EXPECT_LE(entries[i - 1].ticks, entries[i].ticks) << i;
  }
  EXPECT_GT(entries[0].ticks, 0u);
  EXPECT_GE(entries[22].ticks, before);
  EXPECT_LE(entries[22].ticks, after);
}

TEST_F(HistoryTest, TellsTimesWhereThoseBeforeAreLost) {
  restart(3);
  for (std::uint64_t i = 0; i < 8; ++i) history_.record(alloc_at(i));  // 0 and 4 were read

  history_.record({.action = HistoryAction::snapshot});
  std::vector<HistoryEntry> entries(history_.size());
  history_.copy(entries.data());

  for (const HistoryEntry& entry : entries) EXPECT_GT(entry.ticks, 0u);
}

TEST_F(HistoryTest, KeepsTheLatestWhereItIsFull) {
  restart(3);
  for (std::uint64_t i = 1; i <= 8; ++i) history_.record(alloc_at(i));

  EXPECT_EQ(addresses(history_), (std::vector<std::uint64_t>{6, 7, 8}));
  EXPECT_EQ(history_.lost_count(), 5u);
}

TEST_F(HistoryTest, WithoutRoomIsOnAndKeepsNothing) {
  restart(0);
  history_.record(alloc_at(1));

  EXPECT_TRUE(history_.is_on());
  EXPECT_EQ(history_.size(), 0u);
}

TEST_F(HistoryTest, RestartedBeginsAnew) {
  restart(3);
  history_.record(alloc_at(1));
  restart(2);
  history_.record(alloc_at(2));

  EXPECT_EQ(addresses(history_), (std::vector<std::uint64_t>{2}));
  history_.clear();
  EXPECT_EQ(history_.size(), 0u);
}

TEST_F(HistoryTest, KnowsNobodyWithoutASource) {
  const Origin origin = History::ask(HistoryLevel::stack);

  EXPECT_EQ(origin.caller, 0u);
  EXPECT_EQ(origin.tag, 0u);
  EXPECT_EQ(origin.thread, 0u);
}

}  // namespace
}  // namespace garboard
