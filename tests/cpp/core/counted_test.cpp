#include "csrc/core/counted.h"

#include <gtest/gtest.h>

#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace garboard {
namespace {

struct Probe : RefCounted {
  explicit Probe(int& ended) : ended(ended) {}
  ~Probe() { ++ended; }

  int& ended;
};

static_assert(std::is_nothrow_move_constructible_v<Counted<Probe>>);
static_assert(sizeof(Counted<Probe>) == sizeof(void*));

TEST(Counted, EndsTheObjectWithTheLastShare) {
  int ended = 0;
  {
    Counted<Probe> first(new Probe(ended));
    Counted<Probe> second = first;
    EXPECT_EQ(first->share_count(), 2u);

    first.reset();
    EXPECT_EQ(ended, 0);
  }
  EXPECT_EQ(ended, 1);
}

TEST(Counted, MovesItsShareUncounted) {
  int ended = 0;
  Counted<Probe> first(new Probe(ended));

  Counted<Probe> second = std::move(first);

  EXPECT_FALSE(first);
  EXPECT_EQ(second->share_count(), 1u);
  second.reset();
  EXPECT_EQ(ended, 1);
}

TEST(Counted, SurvivesAssignmentToItself) {
  int ended = 0;
  Counted<Probe> share(new Probe(ended));
  Counted<Probe>& same = share;

  share = same;

  EXPECT_EQ(ended, 0);
  EXPECT_EQ(share->share_count(), 1u);
}

TEST(Counted, DropsWhatItHeldWhenAssigned) {
  int first_ended = 0, second_ended = 0;
  Counted<Probe> share(new Probe(first_ended));

  share = Counted<Probe>(new Probe(second_ended));

  EXPECT_EQ(first_ended, 1);
  EXPECT_EQ(second_ended, 0);
}

TEST(Counted, ReleaseAndAdoptHandTheShareOver) {
  int ended = 0;
  Counted<Probe> share(new Probe(ended));

  Probe* bare = share.release();
  EXPECT_EQ(bare->share_count(), 1u);

  Counted<Probe>::adopt(bare).reset();
  EXPECT_EQ(ended, 1);
}

struct Recycled : RefCounted {
  bool is_back = false;
};
void destroy(Recycled* object) noexcept { object->is_back = true; }

TEST(Counted, EndsAnObjectByTheDestroyBesideItsType) {
  Recycled object;

  Counted<Recycled>(&object).reset();

  EXPECT_TRUE(object.is_back);
}

TEST(Counted, EndsAnObjectOnceHoweverManyThreadsShareIt) {
  int ended = 0;
  {
    Counted<Probe> share(new Probe(ended));
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([share] {
        for (int turn = 0; turn < 1000; ++turn) Counted<Probe> another = share;
      });
    share.reset();
    for (auto& thread : threads) thread.join();
  }
  EXPECT_EQ(ended, 1);
}

}  // namespace
}  // namespace garboard
