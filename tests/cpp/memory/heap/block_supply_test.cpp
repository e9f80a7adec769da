#include "csrc/memory/heap/block_supply.h"

#include <gtest/gtest.h>

#include <set>

namespace garboard {
namespace {

TEST(BlockSupply, IsEmptyBeforeItIsStocked) {
  const BlockSupply supply;

  EXPECT_TRUE(supply.is_empty());
  EXPECT_FALSE(supply.is_stocked());
}

TEST(BlockSupply, GivesEveryDescriptorOfItsSlabsOnce) {
  BlockSupply supply;
  supply.stock(std::make_unique<BlockSupply::Slab>());
  supply.stock(std::make_unique<BlockSupply::Slab>());

  std::set<Block*> taken;
  while (!supply.is_empty()) taken.insert(supply.take());

  EXPECT_EQ(taken.size(), 2 * BlockSupply::Slab{}.blocks.size());
}

TEST(BlockSupply, IsNoLongerStockedWithOneLeft) {
  BlockSupply supply;
  supply.stock(std::make_unique<BlockSupply::Slab>());
  while (supply.is_stocked()) supply.take();

  EXPECT_FALSE(supply.is_empty());
  supply.give(supply.take());
  EXPECT_FALSE(supply.is_stocked());
}

}  // namespace
}  // namespace garboard
