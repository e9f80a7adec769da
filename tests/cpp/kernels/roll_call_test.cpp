#include "kernels/roll_call.h"

#include <gtest/gtest.h>

namespace garboard::kernels {
namespace {

template <class... Functors>
constexpr std::uint64_t hash = detail::mixed(1, TypeList<Functors...>{});

TEST(RollCall, NamesFunctorsWithoutTheirNamespaces) {
  EXPECT_EQ(detail::short_name<functors::Exp>(), "Exp");
  EXPECT_EQ(detail::short_name<functors::FloorDivide>(), "FloorDivide");
}

TEST(RollCall, HashTellsOrderNamesAndLengthApart) {
  using functors::Add, functors::Subtract, functors::Multiply;
  EXPECT_NE((hash<Add, Subtract>), (hash<Subtract, Add>));
  EXPECT_NE((hash<Add, Subtract>), (hash<Add>));
  EXPECT_NE((hash<Add, Subtract>), (hash<Add, Multiply>));
  EXPECT_EQ((hash<Add, Subtract>), (hash<Add, Subtract>));
}

TEST(RollCall, TheLibraryHasTheHashOfThisHeader) {
  EXPECT_EQ(roll_call_hash(), hash_of_roll_calls());
}

}  // namespace
}  // namespace garboard::kernels
