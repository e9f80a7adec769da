#include "csrc/memory/heap/heap.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace garboard {
namespace {

// Segments at addresses that nobody touches.
class HeapTest : public testing::Test {
 protected:
  Segment& add(std::size_t address, std::size_t bytes, std::size_t request, Stream stream = {}) {
    Heap::Stock stock = heap_.make_stock(stream);
    heap_.put(stock);
    auto& segment = *segments_.emplace_back(std::make_unique<Segment>());
    segment.address = reinterpret_cast<std::byte*>(address);
    segment.bytes = bytes;
    heap_.add(segment, request, stream);
    return segment;
  }

  Heap heap_{512, 2_MiB};
  std::vector<std::unique_ptr<Segment>> segments_;
  Stream other_stream_{Device{}, &heap_};
};

TEST_F(HeapTest, HasNothingBeforeItIsStocked) {
  EXPECT_FALSE(heap_.is_stocked({}));
  EXPECT_EQ(heap_.take(100, {}), nullptr);
}

TEST_F(HeapTest, KeepsSmallAndLargeRequestsApart) {
  add(64_MiB, 2_MiB, 100);

  EXPECT_EQ(heap_.take(largest_small_bytes + 1, {}), nullptr);
  Block* const small = heap_.take(largest_small_bytes, {});
  ASSERT_NE(small, nullptr);
  heap_.give(*small);
}

TEST_F(HeapTest, KeepsStreamsApart) {
  add(64_MiB, 2_MiB, 100);
  add(32_MiB, 2_MiB, 100, other_stream_);

  Block* const block = heap_.take(100, other_stream_);

  EXPECT_EQ(block->data(), reinterpret_cast<void*>(32_MiB));
  EXPECT_EQ(block->stream, other_stream_);
  heap_.give(*block);
}

TEST_F(HeapTest, GivesLargeBlocksWholePages) {
  add(64_MiB, 32_MiB, 1_MiB);

  Block* const block = heap_.take(1_MiB + 1, {});

  EXPECT_EQ(block->bytes, 1_MiB + page_bytes);
  heap_.give(*block);
}

TEST_F(HeapTest, ReturnsFreeSegmentsHighestFirstAndNoMoreThanAsked) {
  Segment& low = add(32_MiB, 2_MiB, 100);
  Segment& high = add(96_MiB, 2_MiB, 100);
  Segment& middle = add(64_MiB, 2_MiB, 100);

  Segment* const taken = heap_.take_free_segments(3_MiB);

  EXPECT_EQ(taken, &middle);
  EXPECT_EQ(taken->below, &high);
  EXPECT_EQ(high.below, nullptr);
  EXPECT_EQ(heap_.trimmable_bytes(), low.bytes);
  EXPECT_EQ(heap_.fault(), "");
}

TEST_F(HeapTest, NeverReturnsASegmentWithALiveBlock) {
  add(64_MiB, 2_MiB, 100);
  Block* const block = heap_.take(100, {});

  EXPECT_EQ(heap_.take_free_segments(SIZE_MAX), nullptr);
  heap_.give(*block);
}

TEST_F(HeapTest, CutsASmallBlockFromALargeSegmentWhereAsked) {
  add(64_MiB, 32_MiB, 1_MiB);

  Block* const block = heap_.take_from_large(100, {});

  ASSERT_NE(block, nullptr);
  EXPECT_EQ(heap_.current(&PoolCounts::requested_bytes), 100u);
  EXPECT_EQ(heap_.fault(), "");
  heap_.give(*block);
  EXPECT_EQ(heap_.trimmable_bytes(), 32_MiB);
}

TEST_F(HeapTest, CountsWhatIsLive) {
  add(64_MiB, 2_MiB, 100);
  Block* const a = heap_.take(100, {});
  Block* const b = heap_.take(1000, {});

  EXPECT_EQ(heap_.current(&PoolCounts::requested_bytes), 1100u);
  EXPECT_EQ(heap_.current(&PoolCounts::occupied_bytes), 512u + 1024u);
  heap_.give(*a);
  heap_.give(*b);
  EXPECT_EQ(heap_.current(&PoolCounts::requested_bytes), 0u);
  EXPECT_EQ(heap_.counts().small.blocks.allocated(), 2u);
  EXPECT_EQ(heap_.counts().small.blocks.freed(), 2u);
}

TEST_F(HeapTest, TellsWhatIsBroken) {
  add(64_MiB, 2_MiB, 100);
  Block* const a = heap_.take(100, {});
  Block* const b = heap_.take(100, {});
  ASSERT_EQ(heap_.fault(), "");

  a->bytes += 512;
  EXPECT_NE(heap_.fault(), "");
  a->bytes -= 512;
  b->requested_bytes = 4_KiB;
  EXPECT_NE(heap_.fault(), "");
  b->requested_bytes = 100;
  a->state = BlockState::free;
  EXPECT_NE(heap_.fault(), "");
  a->state = BlockState::live;

  EXPECT_EQ(heap_.fault(), "");
  heap_.give(*a);
  heap_.give(*b);
}

TEST_F(HeapTest, TellsWhenALargeHandleWasCut) {
  Heap::Stock stock = heap_.make_stock({});
  heap_.put(stock);
  Segment range;
  range.address = reinterpret_cast<std::byte*>(64_MiB);
  range.bytes = 32_MiB;
  range.is_range = true;
  range.large_handles = LargeHandles(range.bytes, 8_MiB);
  range.large_handles.place(range.address);
  heap_.add(range, 1_MiB, {});
  heap_.give(*heap_.settle(heap_.hold(8_MiB, {}, 0, Fit::lowest), 8_MiB));
  ASSERT_EQ(heap_.fault(), "");

  range.large_handles.remove(range.address, range.address + 8_MiB);
  heap_.drop(*heap_.carve(2_MiB, End::highest));
  ASSERT_EQ(heap_.fault(), "");
  range.large_handles.add(range.address, range.address + 8_MiB);  // as if it had been one

  EXPECT_NE(heap_.fault().find("a large handle was cut"), std::string::npos);
}

}  // namespace
}  // namespace garboard
