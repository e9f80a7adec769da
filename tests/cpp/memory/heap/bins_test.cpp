#include "csrc/memory/heap/bins.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "csrc/core/bytes.h"

namespace garboard {
namespace {

constexpr std::size_t quantum = 64;

Block block_of(std::size_t bytes) {
  Block block;
  block.bytes = bytes;
  return block;
}

TEST(Bins, FindNothingWhenEmpty) {
  const Bins bins(quantum);

  EXPECT_EQ(bins.find(quantum), nullptr);
  EXPECT_EQ(bins.largest_bytes(), 0u);
}

TEST(Bins, GiveTheYoungestOfTheSameSize) {
  Bins bins(quantum);
  Block old = block_of(4_KiB), young = block_of(4_KiB);
  bins.insert(old);
  bins.insert(young);

  EXPECT_EQ(bins.find(4_KiB), &young);
  bins.remove(young);
  EXPECT_EQ(bins.find(4_KiB), &old);
}

TEST(Bins, PreferTheRequestsOwnBinToALargerOne) {
  Bins bins(quantum);
  Block exact = block_of(1000 * quantum), huge = block_of(1_GiB);
  bins.insert(exact);
  bins.insert(huge);

  EXPECT_EQ(bins.find(1000 * quantum), &exact);
}

TEST(Bins, FindAFittingBlockBehindSmallerOnesOfItsBin) {
  Bins bins(quantum);
  Block fitting = block_of(1020 * quantum), small = block_of(1000 * quantum);
  bins.insert(fitting);
  bins.insert(small);  // in front, and of the same bin

  EXPECT_EQ(bins.find(1010 * quantum), &fitting);
}

TEST(Bins, NeverGiveABlockThatIsTooSmall) {
  Bins bins(quantum);
  Block small = block_of(1000 * quantum);
  bins.insert(small);

  EXPECT_EQ(bins.find(1001 * quantum), nullptr);
}

TEST(Bins, HoldEverySizeThatCanBeAskedFor) {
  for (std::size_t bytes = quantum; bytes <= std::size_t{1} << 48; bytes *= 2) {
    for (const std::size_t size : {bytes, bytes + quantum, 2 * bytes - quantum}) {
      Bins bins(quantum);
      Block block = block_of(size);
      bins.insert(block);

      EXPECT_EQ(bins.find(size), &block) << size;
      EXPECT_EQ(bins.find(quantum), &block) << size;
      EXPECT_EQ(bins.largest_bytes(), size);
    }
  }
}

// Against a sorted set: what is found fits, and nothing is found only if nothing a bin up fits.
TEST(Bins, AgreeWithASortedSet) {
  std::mt19937 random(3);
  std::uniform_int_distribution<std::size_t> log2(0, 20);
  Bins bins(quantum);
  std::vector<Block> blocks(400);
  std::multiset<std::size_t> sizes;
  std::set<Block*> out, in;
  for (Block& block : blocks) out.insert(&block);
  const auto draw = [&] {
    const std::size_t most = std::size_t{2} << log2(random);
    return quantum * (1 + random() % most);
  };

  for (int i = 0; i < 20'000; ++i) {
    if (!out.empty() && random() % 2) {
      Block* const block = *out.begin();
      out.erase(out.begin());
      block->bytes = draw();
      bins.insert(*block);
      in.insert(block);
      sizes.insert(block->bytes);
    }
    const std::size_t wanted = draw();
    if (Block* const found = bins.find(wanted)) {
      ASSERT_GE(found->bytes, wanted);
      ASSERT_TRUE(in.contains(found));
      sizes.erase(sizes.find(found->bytes));
      const std::size_t old_bytes = found->bytes;
      if (random() % 2 && found->bytes > wanted) {
        found->bytes -= wanted;
        bins.move(*found, old_bytes);
        sizes.insert(found->bytes);
      } else {
        bins.remove(*found);
        in.erase(found);
        out.insert(found);
      }
    } else {
      ASSERT_EQ(sizes.lower_bound(wanted + wanted / 8 + quantum), sizes.end());
    }
    ASSERT_EQ(bins.largest_bytes(), sizes.empty() ? 0 : *sizes.rbegin());
  }
  EXPECT_EQ(bins.block_count(), in.size());
}

}  // namespace
}  // namespace garboard
