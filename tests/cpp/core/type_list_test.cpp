#include "csrc/core/type_list.h"

#include <gtest/gtest.h>

#include <vector>

namespace garboard {
namespace {

using Numbers = TypeList<char, int, double>;

TEST(TypeList, NumbersItsTypesInOrder) {
  EXPECT_EQ((index_in<char, Numbers>), 0);
  EXPECT_EQ((index_in<int, Numbers>), 1);
  EXPECT_EQ((index_in<double, Numbers>), 2);
  EXPECT_EQ(Numbers::size, 3);
}

TEST(TypeList, VisitsItsTypesInTheSameOrder) {
  std::vector<int> order;

  for_each_type(Numbers{}, [&]<class T> { order.push_back(index_in<T, Numbers>); });

  EXPECT_EQ(order, (std::vector{0, 1, 2}));
}

}  // namespace
}  // namespace garboard
