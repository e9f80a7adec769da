#include "csrc/core/slabs.h"

#include <gtest/gtest.h>

#include <cstring>
#include <new>
#include <set>
#include <thread>
#include <vector>

namespace garboard::pool::detail {
namespace {

constexpr std::size_t of_192 = class_of(192);

/// `count` blocks, each written to its end.
std::vector<Free*> taken(Slabs& from, std::size_t size_class, int count) {
  std::vector<Free*> blocks;
  while (count > static_cast<int>(blocks.size())) {
    for (Free* chain = from.take(size_class, count - static_cast<int>(blocks.size())); chain;) {
      blocks.push_back(chain);
      chain = chain->next;
      std::memset(static_cast<void*>(blocks.back()), 0xAB, bytes_of(size_class));
    }
  }
  return blocks;
}

void give(Slabs& to, const std::vector<Free*>& blocks) {
  Free* chain = nullptr;
  for (Free* const block : blocks) chain = ::new (static_cast<void*>(block)) Free{chain};
  to.give(chain);
}

TEST(Slabs, CutEverySizeIntoBlocksApartFromEachOther) {
  Slabs slabs;
  for (std::size_t size_class = 0; size_class < class_count; ++size_class) {
    const std::vector<Free*> blocks = taken(slabs, size_class, 1500);

    const std::set<Free*> ordered(blocks.begin(), blocks.end());
    const auto bytes = static_cast<std::ptrdiff_t>(bytes_of(size_class));
    const char* end = nullptr;
    for (Free* const block : ordered) {
      const char* const start = reinterpret_cast<const char*>(block);
      EXPECT_GE(start, end);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(start) % (bytes % 64 ? 16 : 64), 0u);
      end = start + bytes;
    }
    EXPECT_EQ(ordered.size(), 1500u);
    give(slabs, blocks);
  }
  EXPECT_EQ(slabs.blocks_out(), 0u);
  slabs.trim();
  EXPECT_EQ(slabs.bytes(), 0u);
}

TEST(Slabs, NeedLittleMoreThanTheirBlocks) {
  Slabs slabs;
  constexpr int count = 200'000;

  const std::vector<Free*> blocks = taken(slabs, of_192, count);

  EXPECT_LE(slabs.bytes(), 192 * count * 1.01 + region_bytes);
  give(slabs, blocks);
  slabs.trim();
}

TEST(Slabs, KeepFewRegionsWithoutABlock) {
  Slabs slabs;
  const std::vector<Free*> blocks = taken(slabs, of_192, 200'000);

  give(slabs, blocks);

  EXPECT_EQ(slabs.bytes(), most_idle_regions * region_bytes);
  slabs.trim();
  EXPECT_EQ(slabs.bytes(), 0u);
}

TEST(Slabs, GiveTheMemoryOfOneSizeToAnother) {
  Slabs slabs;
  const std::vector<Free*> kept = taken(slabs, class_of(64), 10);
  give(slabs, taken(slabs, of_192, 8000));
  const std::size_t before = slabs.bytes();

  const std::vector<Free*> others = taken(slabs, class_of(96), 16000);

  EXPECT_EQ(slabs.bytes(), before);
  give(slabs, others);
  give(slabs, kept);
  slabs.trim();
}

TEST(Slabs, UseHolesBeforeTheyGrow) {
  Slabs slabs;
  const std::vector<Free*> blocks = taken(slabs, of_192, 60'000);
  std::vector<Free*> odd, even;
  for (std::size_t i = 0; i < blocks.size(); ++i) (i % 2 ? odd : even).push_back(blocks[i]);
  give(slabs, odd);
  const std::size_t before = slabs.bytes();

  const std::vector<Free*> again = taken(slabs, of_192, static_cast<int>(odd.size()));

  EXPECT_EQ(slabs.bytes(), before);
  give(slabs, even);
  give(slabs, again);
  slabs.trim();
  EXPECT_EQ(slabs.bytes(), 0u);
}

TEST(Slabs, TakeBackOnOneThreadWhatAnotherTook) {
  Slabs slabs;
  std::vector<std::vector<Free*>> parts(4);
  const auto for_each_part = [&](auto&& work) {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < parts.size(); ++i) threads.emplace_back([&, i] { work(i); });
    for (std::thread& thread : threads) thread.join();
  };
  for_each_part([&](std::size_t i) { parts[i] = taken(slabs, of_192, 5000); });
  std::set<Free*> all;
  for (const auto& part : parts) all.insert(part.begin(), part.end());

  for_each_part([&](std::size_t i) { give(slabs, parts[(i + 1) % parts.size()]); });

  EXPECT_EQ(all.size(), 20'000u);
  EXPECT_EQ(slabs.blocks_out(), 0u);
  slabs.trim();
}

}  // namespace
}  // namespace garboard::pool::detail
