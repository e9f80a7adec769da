#include "csrc/core/address_list.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace garboard {
namespace {

struct Member {
  std::byte* address = nullptr;
  Member* lower = nullptr;
  Member* upper = nullptr;
};
using Members = AddressList<Member, &Member::lower, &Member::upper>;

class AddressListTest : public testing::Test {
 protected:
  AddressListTest() {
    for (std::size_t i = 0; i < places_.size(); ++i) places_[i].address = bytes_.data() + i;
  }
  /// The numbers of the members, upwards; wrong where the way down differs.
  std::vector<std::size_t> numbers() const {
    std::vector<std::size_t> up, down;
    for (const Member* it = list_.lowest(); it; it = it->upper) up.push_back(it - places_.data());
    for (const Member* it = list_.highest(); it; it = it->lower)
      down.insert(down.begin(), it - places_.data());
    EXPECT_EQ(up, down);
    return up;
  }
  void insert(std::initializer_list<std::size_t> numbers) {
    for (const std::size_t number : numbers) list_.insert(places_[number]);
  }

  std::array<std::byte, 5> bytes_{};
  std::array<Member, 5> places_;
  Members list_;
};

TEST_F(AddressListTest, KeepsTheOrderOfAddresses) {
  insert({2, 0, 4, 1, 3});

  EXPECT_EQ(numbers(), (std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

TEST_F(AddressListTest, ForgetsWhatIsRemovedAtEachPlace) {
  insert({0, 1, 2, 3, 4});

  list_.remove(places_[2]);
  EXPECT_EQ(numbers(), (std::vector<std::size_t>{0, 1, 3, 4}));
  list_.remove(places_[0]);
  list_.remove(places_[4]);
  EXPECT_EQ(numbers(), (std::vector<std::size_t>{1, 3}));
  list_.remove(places_[1]);
  list_.remove(places_[3]);
  EXPECT_EQ(list_.lowest(), nullptr);
  EXPECT_EQ(list_.highest(), nullptr);
}

TEST_F(AddressListTest, TakesAMemberBack) {
  insert({1, 3});
  list_.remove(places_[1]);

  insert({1});

  EXPECT_EQ(numbers(), (std::vector<std::size_t>{1, 3}));
}

}  // namespace
}  // namespace garboard
