#include "csrc/memory/allocator/trimmer.h"

#include <gtest/gtest.h>

#include <memory>

#include "csrc/memory/sources/simulated_source.h"

namespace garboard {
namespace {

// Free memory in a range of 32 MiB, a granule of each two; and a free segment.
class TrimmerTest : public testing::Test {
 protected:
  TrimmerTest() {
    Segment& range = *std::make_unique<Segment>().release();  // the trimmer ends it
    range.bytes = 32_MiB;
    range.is_range = true;
    range.address = static_cast<std::byte*>(device_.reserve(range.bytes));
    low_ = range.address;
    stock();
    arena_.add(range, 1_MiB, {});
    for (Block*& block : blocks_) block = grow();
    arena_.give(*blocks_[0]);
    arena_.give(*blocks_[2]);
  }
  ~TrimmerTest() override {
    arena_.give(*blocks_[1]);
    arena_.give(*blocks_[3]);
    trimmer_.trim(SIZE_MAX);
    trimmer_.return_ranges();
    EXPECT_EQ(device_.range_count(), 0u);
    EXPECT_EQ(device_.misuse(), "");
  }

  void stock() {
    Heap::Stock stock = arena_.heap().make_stock({});
    arena_.heap().put(stock);
  }
  Block* grow() {
    const Held held = arena_.heap().hold(2_MiB, {}, 0, Fit::lowest);
    EXPECT_TRUE(mapper_.map(*held.first));
    return arena_.settle(held, 2_MiB);
  }
  void add_segment() {
    Segment& segment = *std::make_unique<Segment>().release();
    segment.bytes = 4_MiB;
    EXPECT_TRUE(mapper_.map(segment));
    arena_.add(segment, 1_MiB, {});
  }

  SimulatedSource device_{{.capacity_bytes = 64_MiB, .is_backed = false}};
  Arena arena_{device_};
  Mapper mapper_{device_};
  Trimmer trimmer_{arena_, mapper_};
  std::byte* low_ = nullptr;
  Block* blocks_[4] = {};
};

TEST_F(TrimmerTest, ReturnsTheHighestFirstAndNoMoreThanIsAskedFor) {
  EXPECT_EQ(trimmer_.trim(1), 2_MiB);

  EXPECT_EQ(device_.mapped_bytes(), 6_MiB);
  Block* const lowest = arena_.take(2_MiB, {});
  EXPECT_EQ(lowest->address, low_);
  arena_.give(*lowest);
}

TEST_F(TrimmerTest, ReturnsTheLowestFirstWhereThatIsWanted) {
  EXPECT_EQ(trimmer_.trim(2_MiB, End::lowest), 2_MiB);

  Block* const highest = arena_.take(2_MiB, {});
  EXPECT_EQ(highest->address, low_ + 4_MiB);
  arena_.give(*highest);
}

TEST_F(TrimmerTest, ReturnsSegmentsOnceNoGranuleIsFree) {
  add_segment();

  EXPECT_EQ(trimmer_.trim(SIZE_MAX), 8_MiB);

  EXPECT_EQ(device_.mapped_bytes(), 4_MiB);
  EXPECT_EQ(trimmer_.trim(SIZE_MAX), 0u);
}

TEST_F(TrimmerTest, ReturnsWhatIsBeyondTheLimit) {
  arena_.accounts().set_limit(6_MiB, LimitOrigin::program);

  trimmer_.trim_to_limit();

  EXPECT_EQ(device_.mapped_bytes(), 6_MiB);
  EXPECT_FALSE(arena_.is_over_limit());
}

TEST_F(TrimmerTest, WaitsForNobodyWhereNothingIsOnItsWay) {
  trimmer_.await_others();

  EXPECT_EQ(device_.mapped_bytes(), 8_MiB);
}

}  // namespace
}  // namespace garboard
