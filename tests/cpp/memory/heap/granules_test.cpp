// What of free memory can go, told by a heap and by a model that knows every handle.
#include "csrc/memory/heap/granules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "csrc/core/bytes.h"
#include "csrc/memory/heap/heap.h"
#include "csrc/memory/sources/simulated_source.h"

namespace garboard {
namespace {

std::byte* address(std::size_t number) { return reinterpret_cast<std::byte*>(number); }

// A range from 64 to 128 MiB whose memory came by one call, but that of its last 6 MiB.
class GranulesTest : public testing::Test {
 protected:
  GranulesTest() {
    range_.address = address(64_MiB);
    range_.bytes = 64_MiB;
    range_.is_range = true;
    range_.large_handles = LargeHandles(range_.bytes, 8_MiB);
    range_.large_handles.place(range_.address);
    range_.large_handles.add(address(64_MiB),
                             address(122_MiB));  // the last 2 MiB of it are a granule
  }
  Granules of(std::size_t begin, std::size_t end, std::size_t bytes = SIZE_MAX) {
    Block free;
    free.address = address(begin);
    free.bytes = end - begin;
    free.segment = &range_;
    return upper_granules(free, bytes, 2_MiB);
  }

  Segment range_;
};

TEST_F(GranulesTest, AreWholeLargeHandlesBothWays) {
  const Granules granules = of(68_MiB, 100_MiB);

  EXPECT_EQ(granules.begin, address(72_MiB));
  EXPECT_EQ(granules.end, address(96_MiB));
}

TEST_F(GranulesTest, AreNoneInsideALargeHandle) {
  EXPECT_EQ(of(66_MiB, 70_MiB).bytes(), 0u);
  EXPECT_EQ(of(66_MiB, 78_MiB).bytes(), 0u) << "nor where it reaches into two";
  EXPECT_EQ(of(121_MiB, 123_MiB).bytes(), 0u) << "nor in half a granule";
}

TEST_F(GranulesTest, AreAnyWhereHandlesAreSmall) {
  const Granules granules = of(121_MiB, 127_MiB);

  EXPECT_EQ(granules.begin, address(122_MiB));
  EXPECT_EQ(granules.end, address(126_MiB));
  EXPECT_EQ(of(121_MiB, 128_MiB, 1).begin, address(126_MiB));
}

TEST_F(GranulesTest, AreMoreThanAskedForOnlyWithALargeHandle) {
  EXPECT_EQ(of(64_MiB, 128_MiB, 8_MiB).begin, address(120_MiB));
  EXPECT_EQ(of(64_MiB, 128_MiB, 9_MiB).begin, address(112_MiB));
  EXPECT_EQ(of(64_MiB, 128_MiB, 16_MiB).begin, address(112_MiB));
  EXPECT_EQ(of(68_MiB, 128_MiB, 54_MiB).begin, address(72_MiB));
}

TEST_F(GranulesTest, AreNoneOfASegmentThatGoesAsAWhole) {
  range_.is_range = false;

  EXPECT_EQ(of(64_MiB, 128_MiB).bytes(), 0u);
}

/// A heap on a device that keeps account of its handles, and beside it a model of them.
class Program {
 public:
  explicit Program(unsigned seed) : random_(seed) {
    offset_ = device_.reserve(2_MiB * (1 + seed % 5));  // what comes next is aligned to no chunk
    for (const Stream stream : streams_) {
      stock(stream);
      for (const std::size_t request : {1_KiB, 1_MiB}) add_range(request, stream);
    }
  }

  void step() {
    const auto dice = random_() % 100;
    if (dice < 45) {
      allocate();
    } else if (dice < 90) {
      if (!live_.empty()) release();
    } else {
      trim(random_() % 4 ? 1 + random_() % 24_MiB : SIZE_MAX);
    }
  }

  void check() {
    ASSERT_EQ(heap_.fault(), "");
    ASSERT_EQ(device_.misuse(), "");
    ASSERT_EQ(heap_.current(&PoolCounts::reserved_bytes), device_.mapped_bytes());
    ASSERT_EQ(heap_.trimmable_bytes(), free_handle_bytes());
  }

  void end() {
    while (!live_.empty()) release();
    trim(SIZE_MAX);
    check();
    ASSERT_EQ(device_.mapped_bytes(), 0u);
    ASSERT_TRUE(handles_.empty());
  }

  std::size_t large_count() const { return large_count_; }
  std::size_t refused_count() const { return refused_count_; }

 private:
  void stock(Stream stream) {
    Heap::Stock stock = heap_.make_stock(stream);
    heap_.put(stock);
  }
  void add_range(std::size_t request, Stream stream) {
    Segment& range = *ranges_.emplace_back(std::make_unique<Segment>());
    range.bytes = 1_GiB;
    range.is_range = true;
    range.large_handles = LargeHandles(range.bytes, large_bytes);
    range.address = static_cast<std::byte*>(device_.reserve(range.bytes));
    range.large_handles.place(range.address);
    heap_.add(range, request, stream);
  }

  void allocate() {
    const Stream stream = streams_[random_() % 3];
    const std::size_t bytes = 1 + random_() % (std::size_t{1} << (8 + random_() % 18));
    stock(stream);
    Block* block = heap_.take(bytes, stream);
    if (!block) block = grow(bytes, stream);
    if (block) live_.push_back(block);
  }

  Block* grow(std::size_t bytes, Stream stream) {
    const Fit fits[] = {Fit::lowest, Fit::least, Fit::highest};
    const std::size_t most = random_() % 2 ? 2_MiB * (random_() % 16) : 0;
    Held held = heap_.hold(bytes, stream, most, fits[random_() % 3]);
    if (!held.first) return nullptr;
    held.by_granules = random_() % 4 == 0;
    stock(stream);
    if (random_() % 8 == 0) device_.fail_map(1 + random_() % 2);
    if (map(held)) return heap_.settle(held, bytes);
    ++refused_count_;
    heap_.cancel(held);
    return nullptr;
  }

  bool map(const Held& held) {
    for (Block* piece = held.first;; piece = piece->after) {
      if (piece->state == BlockState::moving) {
        const bool is_mapped = held.by_granules
                                   ? device_.map_granules_at(piece->address, piece->bytes)
                                   : device_.map_at(piece->address, piece->bytes);
        if (!is_mapped) {
          for (Block* undone = held.first; undone != piece; undone = undone->after)
            if (undone->state == BlockState::moving) unmap(*undone);
          return false;
        }
        note(*piece, held.by_granules);
      }
      if (piece == held.last) return true;
    }
  }
  // The rule once more, in other words.
  void note(const Block& piece, bool by_granules) {
    for (std::byte* granule = piece.address; granule < piece.end();) {
      std::byte* const end = granule + large_bytes;
      const bool is_large =
          !by_granules && number_of(granule) % large_bytes == 0 && end <= piece.end();
      handles_[granule] = is_large ? large_bytes : granularity;
      large_count_ += is_large;
      granule += handles_[granule];
    }
  }
  void unmap(const Block& piece) {
    device_.unmap_at(piece.address, piece.bytes);
    std::size_t gone = 0;
    while (gone < piece.bytes) {
      const auto handle = handles_.extract(piece.address + gone);
      ASSERT_FALSE(handle.empty()) << "a handle was cut at its beginning";
      gone += handle.mapped();
    }
    ASSERT_EQ(gone, piece.bytes) << "a handle was cut at its end";
  }

  void release() {
    std::swap(live_[random_() % live_.size()], live_.back());
    heap_.give(*live_.back());
    live_.pop_back();
  }

  void trim(std::size_t bytes) {
    const std::size_t before = heap_.trimmable_bytes();
    std::size_t freed = 0;
    while (freed < bytes) {
      stock(streams_[0]);
      Block* const carved = heap_.carve(bytes - freed, random_() % 2 ? End::highest : End::lowest);
      if (!carved) break;
      freed += carved->bytes;
      ASSERT_EQ(heap_.fault(), "") << "on its way out";
      unmap(*carved);
      heap_.drop(*carved);
    }
    ASSERT_GE(freed, std::min(bytes, before));
    ASSERT_EQ(heap_.trimmable_bytes(), before - freed);
    if (bytes < SIZE_MAX) {
      ASSERT_LT(freed, bytes + large_bytes);
    }
  }

  // Of all handles that no block but a free one has something of.
  std::size_t free_handle_bytes() const {
    std::size_t sum = 0;
    for (const auto& range : ranges_) {
      for (const Block* block = range->first; block; block = block->after) {
        if (!block->is_free()) continue;
        for (auto it = handles_.lower_bound(block->address);
             it != handles_.end() && it->first + it->second <= block->end(); ++it)
          sum += it->second;
      }
    }
    return sum;
  }
  static std::uintptr_t number_of(std::byte* address) {
    return reinterpret_cast<std::uintptr_t>(address);
  }

  static constexpr std::size_t granularity = 2_MiB;
  static constexpr std::size_t large_bytes = 8_MiB;

  SimulatedSource device_{{.capacity_bytes = 256_MiB,
                           .granularity_bytes = granularity,
                           .large_handle_bytes = large_bytes,
                           .is_backed = false}};
  std::mt19937 random_;
  void* offset_ = nullptr;
  int keys_[3] = {};
  Stream streams_[3] = {{}, {Device{}, &keys_[1]}, {Device{}, &keys_[2]}};
  std::vector<std::unique_ptr<Segment>> ranges_;
  Heap heap_{512, granularity};
  std::vector<Block*> live_;
  std::map<std::byte*, std::size_t> handles_;
  std::size_t large_count_ = 0;
  std::size_t refused_count_ = 0;
};

TEST(GranulesOfAHeap, AreThoseOfAModelAfterEveryStep) {
  std::size_t large = 0, refused = 0;
  for (unsigned seed = 0; seed < 20 && !testing::Test::HasFatalFailure(); ++seed) {
    Program program(seed);
    for (int i = 0; i < 500 && !testing::Test::HasFatalFailure(); ++i) {
      program.step();
      program.check();
    }
    program.end();
    large += program.large_count();
    refused += program.refused_count();
  }

  EXPECT_GT(large, 500u);
  EXPECT_GT(refused, 50u);
}

}  // namespace
}  // namespace garboard
