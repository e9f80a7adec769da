#include "csrc/core/intrusive_list.h"

#include <gtest/gtest.h>

#include <vector>

namespace garboard {
namespace {

struct ByAge;
struct ByName;
struct Guest : Links<ByAge>, Links<ByName> {
  explicit Guest(int number) : number(number) {}
  int number;
};

template <class Tag>
std::vector<int> numbers(IntrusiveList<Guest, Tag>& list) {
  std::vector<int> found;
  list.for_each([&](Guest& guest) { found.push_back(guest.number); });
  return found;
}

TEST(IntrusiveList, KeepsTheOrderOfJoining) {
  IntrusiveList<Guest, ByAge> list;
  Guest one(1), two(2), three(3);

  list.push_back(one);
  list.push_back(two);
  list.push_back(three);

  EXPECT_EQ(numbers(list), (std::vector{1, 2, 3}));
  EXPECT_EQ(list.front().number, 1);
  EXPECT_EQ(list.back().number, 3);
}

TEST(IntrusiveList, LetsAnyObjectLeave) {
  IntrusiveList<Guest, ByAge> list;
  Guest one(1), two(2), three(3);
  for (Guest* guest : {&one, &two, &three}) list.push_back(*guest);

  two.Links<ByAge>::unlink();
  EXPECT_EQ(numbers(list), (std::vector{1, 3}));
  EXPECT_FALSE(two.Links<ByAge>::is_linked());

  one.Links<ByAge>::unlink();
  three.Links<ByAge>::unlink();
  EXPECT_TRUE(list.empty());
}

TEST(IntrusiveList, IgnoresLeavingTwice) {
  IntrusiveList<Guest, ByAge> list;
  Guest one(1), two(2);
  list.push_back(one);
  list.push_back(two);

  one.Links<ByAge>::unlink();
  one.Links<ByAge>::unlink();

  EXPECT_EQ(numbers(list), (std::vector{2}));
}

TEST(IntrusiveList, MayBeEmptiedWhileItIsWalked) {
  IntrusiveList<Guest, ByAge> list;
  Guest one(1), two(2), three(3);
  for (Guest* guest : {&one, &two, &three}) list.push_back(*guest);
  std::vector<int> left;

  list.for_each([&](Guest& guest) {
    guest.Links<ByAge>::unlink();
    left.push_back(guest.number);
  });

  EXPECT_EQ(left, (std::vector{1, 2, 3}));
  EXPECT_TRUE(list.empty());
}

TEST(IntrusiveList, OfOneTagDoesNotDisturbAnothers) {
  IntrusiveList<Guest, ByAge> ages;
  IntrusiveList<Guest, ByName> names;
  Guest one(1), two(2);
  ages.push_back(one);
  ages.push_back(two);
  names.push_back(two);
  names.push_back(one);

  one.Links<ByAge>::unlink();

  EXPECT_EQ(numbers(ages), (std::vector{2}));
  EXPECT_EQ(numbers(names), (std::vector{2, 1}));
}

}  // namespace
}  // namespace garboard
