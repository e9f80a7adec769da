// Heap, accounts and record tell one story, whichever way a block or memory comes and goes.
#include "csrc/memory/arena/arena.h"

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <vector>

#include "csrc/memory/sources/simulated_source.h"

namespace garboard {
namespace {

using enum HistoryAction;

const Stream other_stream{{}, reinterpret_cast<void*>(1)};

class ArenaTest : public testing::Test {
 protected:
  ArenaTest() {
    stock({});
    stock(other_stream);
    History::Ring ring(100);
    arena_.recorder().restart(HistoryLevel::site, ring, arena_.heap());
  }
  ~ArenaTest() override {
    EXPECT_EQ(arena_.heap().fault(), "");
    EXPECT_EQ(arena_.accounts().books().live_bytes(), 0u);
  }

  void stock(Stream stream) {
    Heap::Stock stock = arena_.heap().make_sharing_stock(stream);
    arena_.heap().put(stock);
  }
  Segment& add(std::size_t address, std::size_t bytes, std::size_t request, bool is_range = false) {
    auto& segment = *segments_.emplace_back(std::make_unique<Segment>());
    segment.address = reinterpret_cast<std::byte*>(address);
    segment.bytes = bytes;
    segment.is_range = is_range;
    arena_.add(segment, request, {});
    return segment;
  }
  /// A block of a megabyte at the bottom of a range of 16.
  Block* grow() {
    const Held held = arena_.heap().hold(1_MiB, {}, 0, Fit::lowest);
    return arena_.settle(held, 1_MiB);
  }
  std::vector<HistoryAction> actions() {
    MemorySnapshot snapshot;
    arena_.recorder().copy(arena_.heap(), snapshot).with_margin().resize(snapshot);
    arena_.recorder().copy(arena_.heap(), snapshot).resize(snapshot);
    std::vector<HistoryAction> all;
    for (const HistoryEntry& entry : snapshot.entries) all.push_back(entry.action);
    all.pop_back();  // of the look itself
    return all;
  }

  SimulatedSource device_{{.capacity_bytes = 64_MiB, .is_backed = false}};
  Arena arena_{device_};
  std::vector<std::unique_ptr<Segment>> segments_;
};

TEST_F(ArenaTest, BooksAndRecordsABlockThatIsTakenAndGiven) {
  add(64_MiB, 2_MiB, 100);

  Block* const block = arena_.take(100, {});
  EXPECT_EQ(arena_.accounts().books().live_bytes(), 100u);
  arena_.give(*block, 0);

  EXPECT_EQ(actions(), (std::vector{segment_alloc, alloc, HistoryAction::free}));
}

TEST_F(ArenaTest, RefusesWhateverWouldGoBeyondTheLimit) {
  add(64_MiB, 4_MiB, 1_MiB);
  arena_.accounts().set_limit(1_MiB, LimitOrigin::program);

  EXPECT_EQ(arena_.take(1_MiB + 1, {}), nullptr);
  EXPECT_EQ(arena_.take_from_others(1_MiB + 1, other_stream), nullptr);
  arena_.accounts().set_limit(50, LimitOrigin::program);
  EXPECT_EQ(arena_.take_from_large(100, {}), nullptr);
}

TEST_F(ArenaTest, CutsASmallBlockOutOfALargeSegment) {
  add(64_MiB, 4_MiB, 1_MiB);

  Block* const block = arena_.take_from_large(100, {});

  EXPECT_EQ(arena_.accounts().books().live_bytes(), 100u);
  arena_.give(*block, 0);
}

TEST_F(ArenaTest, MakesABlockOfWhatIsHeldAndCountsItsMemory) {
  add(64_MiB, 16_MiB, 1_MiB, true);

  Block* const block = grow();

  ASSERT_NE(block, nullptr);
  EXPECT_EQ(arena_.accounts().reserved_bytes(), 2_MiB);
  EXPECT_EQ(actions(), (std::vector{segment_map, alloc}));
  arena_.give(*block, 0);
}

TEST_F(ArenaTest, KeepsTheMemoryAsFreeWhereTheLimitWasLoweredMeanwhile) {
  add(64_MiB, 16_MiB, 1_MiB, true);
  arena_.accounts().set_limit(0, LimitOrigin::program);

  EXPECT_EQ(grow(), nullptr);

  EXPECT_EQ(arena_.accounts().cached_bytes(), 2_MiB);
  EXPECT_EQ(arena_.heap().counts().summed().all.blocks.ever_allocated(), 0u);
}

TEST_F(ArenaTest, CountsAPieceAsReservedUntilItIsDropped) {
  add(64_MiB, 16_MiB, 1_MiB, true);
  arena_.give(*grow());

  Block* const carved = arena_.carve(SIZE_MAX, End::highest);

  EXPECT_EQ(arena_.accounts().cached_bytes(), 0u);
  EXPECT_EQ(arena_.accounts().reserved_bytes(), 2_MiB);
  arena_.drop(*carved);
  EXPECT_EQ(arena_.accounts().reserved_bytes(), 0u);
  EXPECT_EQ(arena_.carve(SIZE_MAX, End::highest), nullptr);
  EXPECT_EQ(actions().back(), segment_unmap);
}

TEST_F(ArenaTest, TakesFreeSegmentsOutAndRecordsEach) {
  add(64_MiB, 2_MiB, 100);
  add(96_MiB, 2_MiB, 100);

  Segment* const taken = arena_.take_free_segments(SIZE_MAX);

  EXPECT_NE(taken->below, nullptr);
  EXPECT_EQ(arena_.accounts().reserved_bytes(), 4_MiB);
  EXPECT_EQ(actions(), (std::vector{segment_alloc, segment_alloc, segment_free, segment_free}));
}

TEST_F(ArenaTest, HoldsASharedBlockBackAndIsAttentiveMeanwhile) {
  History::Ring off;
  arena_.recorder().restart(HistoryLevel::off, off, arena_.heap());
  add(64_MiB, 2_MiB, 100);
  Block* const block = arena_.take(100, {});
  arena_.heap().share(*block, other_stream);

  arena_.suspend(*block, 0);

  EXPECT_TRUE(arena_.has_pending());
  EXPECT_TRUE(arena_.is_attentive());
  EXPECT_EQ(arena_.accounts().books().live_bytes(), 0u);
  StreamPools& user = *arena_.heap().streams();  // the youngest is in front
  ASSERT_TRUE(user.pending.begin_sealing());
  user.pending.end_sealing(7);
  arena_.end_pending(*arena_.heap().end_use(user, 7));
  arena_.attend();
  EXPECT_FALSE(arena_.is_attentive());
}

TEST_F(ArenaTest, IsAttentiveWhileMoreIsThereThanTheLimitAllows) {
  add(64_MiB, 2_MiB, 100);
  arena_.accounts().set_limit(1_MiB, LimitOrigin::program);
  arena_.attend();
  EXPECT_TRUE(arena_.is_over_limit());

  arena_.accounts().set_limit(std::nullopt, LimitOrigin::program);
  arena_.attend();

  EXPECT_FALSE(arena_.is_over_limit());
  EXPECT_TRUE(arena_.is_attentive());  // it is recording
}

TEST_F(ArenaTest, ForgetsWhatOtherThreadsWereAboutInAForkedChild) {
  arena_.accounts().begin_mapping(2_MiB);
  arena_.accounts().begin_unmapping(2_MiB);

  arena_.forget_others();

  EXPECT_EQ(arena_.accounts().charged_bytes(), 0u);
  EXPECT_TRUE(actions().empty());
}

TEST_F(ArenaTest, ReturnsWhatIsDoneUnderItsLockAndLeavesItOpen) {
  EXPECT_EQ(arena_.locked([] { return 7; }), 7);

  const std::lock_guard guard(arena_);
}

}  // namespace
}  // namespace garboard
