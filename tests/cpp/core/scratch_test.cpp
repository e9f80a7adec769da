#include "csrc/core/scratch.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <new>

namespace garboard {
namespace {

// What a keeper of this test's has been told; whatever is declared is declared in a child.
std::size_t told = 0;
constexpr ScratchKeeper::Ways counting{
    .take = [](std::size_t bytes) { told += bytes; },
    .give_back = [](std::size_t bytes) noexcept { told -= bytes; }};
constexpr ScratchKeeper::Ways refusing{.take = [](std::size_t) { throw std::bad_alloc(); },
                                       .give_back = [](std::size_t) noexcept { told = 1; }};

int told_of(std::size_t bytes) {
  ScratchKeeper::declare(counting);
  const ScratchPiece piece = take_scratch(bytes);
  const bool is_told = told == bytes;
  give_back(piece);
  return told == 0 ? is_told : 2;
}

int told_after_refusal() {
  ScratchKeeper::declare(refusing);
  try {
    take_scratch(least_told_scratch);
  } catch (const std::bad_alloc&) {
    return static_cast<int>(told);
  }
  return 2;
}

TEST(Scratch, IsAlignedToALine) {
  const ScratchPiece piece = take_scratch(100);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(piece.address) % 64, 0u);
  give_back(piece);
  give_back({});
}

TEST(ScratchDeathTest, IsToldToItsKeeperFromAPageOnAndTakenOffAgain) {
  EXPECT_EXIT(std::exit(told_of(least_told_scratch)), testing::ExitedWithCode(1), "");
  EXPECT_EXIT(std::exit(told_of(least_told_scratch - 1)), testing::ExitedWithCode(0), "");
}

TEST(ScratchDeathTest, IsNotGivenBackWhereTheKeeperHasRefusedIt) {
  EXPECT_EXIT(std::exit(told_after_refusal()), testing::ExitedWithCode(0), "");
}

TEST(ScratchDeathTest, IsTakenOffWhereTheHeapHasNone) {
  EXPECT_EXIT(
      {
        ScratchKeeper::declare(counting);
        EXPECT_THROW(take_scratch(SIZE_MAX / 2), std::bad_alloc);
        std::exit(static_cast<int>(told));
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace garboard
