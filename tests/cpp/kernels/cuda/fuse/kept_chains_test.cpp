#include "kernels/cuda/fuse/kept_chains.h"

#include <gtest/gtest.h>

namespace garboard::kernels::cuda {
namespace {

int kernels[3];

bool has(KeptChains& kept, const std::string& key) {
  return kept.with(key, [](CompiledChain) {});
}

TEST(KeptChains, GivesBackWhatWasAdded) {
  KeptChains kept;
  kept.add("a", &kernels[0]);

  CompiledChain found = nullptr;
  kept.with("a", [&](CompiledChain chain) { found = chain; });

  EXPECT_EQ(found, &kernels[0]);
  EXPECT_FALSE(has(kept, "b"));
}

TEST(KeptChains, GivesUpTheOneThatHasNotRunForLongest) {
  KeptChains kept(2);
  kept.add("a", &kernels[0]);
  kept.add("b", &kernels[1]);
  has(kept, "a");

  EXPECT_EQ(kept.add("c", &kernels[2]), &kernels[1]);
  EXPECT_TRUE(has(kept, "a") && has(kept, "c"));
  EXPECT_FALSE(has(kept, "b"));
}

TEST(KeptChains, KeepsTheFirstOfTwoThatWereCompiledAtOnce) {
  KeptChains kept;
  kept.add("a", &kernels[0]);

  EXPECT_EQ(kept.add("a", &kernels[1]), &kernels[1]);
}

TEST(KeptChains, RemembersWhatDidNotCompile) {
  KeptChains kept;
  kept.add("a", nullptr);

  EXPECT_TRUE(has(kept, "a"));
}

}  // namespace
}  // namespace garboard::kernels::cuda
