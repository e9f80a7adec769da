// What an allocator records, and that its snapshots and its records tell one story.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "csrc/core/bytes.h"
#include "csrc/core/error.h"
#include "csrc/memory/allocator/caching_allocator.h"
#include "csrc/memory/sources/simulated_source.h"

namespace garboard {
namespace {

using enum HistoryAction;
using State = MemorySnapshot::State;

thread_local std::uint32_t caller_now = 0;

Origin test_origin(HistoryLevel level) noexcept {
  const std::uint32_t caller = level == HistoryLevel::stack ? 1000 + caller_now : caller_now;
  return {.caller = level == HistoryLevel::off ? 0 : caller, .tag = 5, .thread = 9};
}

class Recording : public testing::Test {
 protected:
  Recording() { History::set_origin_source(&test_origin); }
  ~Recording() override {
    History::set_origin_source(nullptr);
    caller_now = 0;
  }

  static std::vector<HistoryAction> actions(const MemorySnapshot& snapshot) {
    std::vector<HistoryAction> all;
    for (const HistoryEntry& entry : snapshot.entries) all.push_back(entry.action);
    return all;
  }

  SimulatedSource device_{{.capacity_bytes = 256_MiB}};
  CachingAllocator cache_{device_};
};

/// Where there is memory, told apart only by gaps.
class Mapped {
 public:
  bool add(std::uint64_t address, std::uint64_t bytes) {
    if (overlaps(address, bytes)) return false;
    const auto at = pieces_.emplace(address, bytes).first;
    if (const auto above = std::next(at); above != pieces_.end() && end(*at) == above->first) {
      at->second += above->second;
      pieces_.erase(above);
    }
    if (at != pieces_.begin()) {
      const auto below = std::prev(at);
      if (end(*below) == address) {
        below->second += at->second;
        pieces_.erase(at);
      }
    }
    return true;
  }
  bool cut(std::uint64_t address, std::uint64_t bytes) {
    auto at = pieces_.upper_bound(address);
    if (at == pieces_.begin()) return false;
    const auto [start, size] = *--at;
    if (start + size < address + bytes) return false;
    pieces_.erase(at);
    if (start < address) pieces_.emplace(start, address - start);
    if (address + bytes < start + size) {
      pieces_.emplace(address + bytes, start + size - address - bytes);
    }
    return true;
  }
  bool holds(std::uint64_t address) const { return overlaps(address, 1); }

 private:
  using Pieces = std::map<std::uint64_t, std::uint64_t>;
  static std::uint64_t end(const Pieces::value_type& piece) { return piece.first + piece.second; }
  bool overlaps(std::uint64_t address, std::uint64_t bytes) const {
    const auto above = pieces_.lower_bound(address + bytes);
    return above != pieces_.begin() && end(*std::prev(above)) > address;
  }
  Pieces pieces_;
};

/// Undoes the entries from the last to the first; what does not fit is told.
std::string replayed_backwards(const MemorySnapshot& snapshot) {
  std::map<std::uint64_t, std::uint64_t> live, pending;
  Mapped mapped;
  for (const auto& segment : snapshot.segments) mapped.add(segment.address, segment.bytes);
  std::uint64_t next = 0;
  for (const auto& segment : snapshot.segments) {
    std::uint64_t at = segment.address;
    for (std::size_t i = 0; i < segment.block_count; ++i) {
      const MemorySnapshot::BlockRow& block = snapshot.blocks[next++];
      if (block.address != at) return "a gap between blocks";
      at += block.bytes;
      if (block.state == State::live) live[block.address] = block.requested_bytes;
    }
    if (at != segment.address + segment.bytes) return "blocks do not fill their segment";
  }
  if (next != snapshot.blocks.size()) return "blocks beyond the segments";
  for (auto entry = snapshot.entries.rbegin(); entry != snapshot.entries.rend(); ++entry) {
    const auto key = std::pair(entry->address, entry->bytes);
    if (entry->is_booked) continue;
    switch (entry->action) {
      case alloc:
        if (live[key.first] != key.second) return "an alloc that is not live";
        live.erase(key.first);
        break;
      case HistoryAction::free:
        if (!live.insert(key).second) return "freed while somebody else had it";
        break;
      case free_completed:
        if (!pending.insert(key).second) return "freed twice";
        break;
      case free_requested:
        if (pending[key.first] != key.second) return "a free that was never completed";
        pending.erase(key.first);
        if (!live.insert(key).second) return "freed while somebody else had it";
        break;
      case segment_alloc:
      case segment_map:
        if (!mapped.cut(key.first, key.second)) return "memory that is not there";
        if (const auto in = live.lower_bound(key.first);
            in != live.end() && in->first < key.first + key.second)
          return "memory that came after its block";
        break;
      case segment_free:
      case segment_unmap:
        if (!mapped.add(key.first, key.second)) return "memory that went twice";
        break;
      default:
        break;
    }
  }
  for (const auto& [address, bytes] : live) {
    if (!mapped.holds(address)) return "a live block in no segment";
  }
  return "";
}

TEST_F(Recording, IsOffUntilAsked) {
  cache_.release(cache_.allocate(100, {}));

  EXPECT_EQ(cache_.history_level(), HistoryLevel::off);
  EXPECT_TRUE(cache_.snapshot().entries.empty());
}

TEST_F(Recording, TellsWhoAskedForWhatAndWhen) {
  cache_.record_history(HistoryLevel::site, 100);
  caller_now = 7;
  Block* const block = cache_.allocate(100, {});
  const auto address = reinterpret_cast<std::uintptr_t>(block->address);
  caller_now = 8;  // who frees is not who asked
  cache_.release(block);

  const MemorySnapshot snapshot = cache_.snapshot();

  EXPECT_EQ(actions(snapshot),
            (std::vector{segment_map, alloc, HistoryAction::free, HistoryAction::snapshot}));
  for (int i : {1, 2}) {
    EXPECT_EQ(snapshot.entries[i].address, address);
    EXPECT_EQ(snapshot.entries[i].bytes, 100u);
    EXPECT_EQ(snapshot.entries[i].origin.caller, 7u);
    EXPECT_EQ(snapshot.entries[i].origin.thread, 9u);
  }
  EXPECT_EQ(snapshot.entries[0].bytes, 2_MiB);
  EXPECT_EQ(snapshot.entries[0].origin.caller, 7u);
  EXPECT_EQ(snapshot.entries[1].origin.tag, 5u);
}

TEST_F(Recording, AsksAtTheLevelItIsOn) {
  cache_.record_history(HistoryLevel::stack, 100);
  caller_now = 7;
  Block* const block = cache_.allocate(100, {});

  EXPECT_EQ(cache_.snapshot().blocks.front().caller, 1007u);
  cache_.release(block);
}

TEST_F(Recording, ShowsBlocksOfBeforeWithoutACaller) {
  caller_now = 7;
  Block* const old = cache_.allocate(1_MiB, {});
  cache_.record_history(HistoryLevel::site, 100);
  Block* const fresh = cache_.allocate(512_KiB, {});

  const MemorySnapshot snapshot = cache_.snapshot();

  ASSERT_EQ(snapshot.blocks.size(), 3u);
  EXPECT_EQ(snapshot.blocks[0].caller, 0u);
  EXPECT_EQ(snapshot.blocks[1].caller, 7u);
  EXPECT_EQ(snapshot.blocks[1].requested_bytes, 512_KiB);
  EXPECT_EQ(snapshot.blocks[2].state, State::free);
  EXPECT_EQ(snapshot.blocks[2].caller, 0u);
  cache_.release(old);
  cache_.release(fresh);
}

TEST_F(Recording, ForgetsCallersOfBeforeARestart) {
  caller_now = 7;
  cache_.record_history(HistoryLevel::site, 100);
  Block* const block = cache_.allocate(1_MiB, {});
  cache_.record_history(HistoryLevel::off, 0);
  cache_.record_history(HistoryLevel::site, 100);

  const MemorySnapshot snapshot = cache_.snapshot();

  EXPECT_EQ(snapshot.blocks[0].caller, 0u);
  EXPECT_EQ(actions(snapshot), std::vector{HistoryAction::snapshot});
  cache_.release(block);
}

TEST_F(Recording, TellsSmallSegmentsFromLarge) {
  Block* const small = cache_.allocate(100, {});
  Block* const large = cache_.allocate(3_MiB, {});
  MemorySnapshot snapshot = cache_.snapshot();

  ASSERT_EQ(snapshot.segments.size(), 2u);
  EXPECT_LT(snapshot.segments[0].address, snapshot.segments[1].address);
  for (const auto& segment : snapshot.segments) EXPECT_EQ(segment.is_small, segment.bytes == 2_MiB);
  cache_.release(small);
  cache_.release(large);
}

TEST_F(Recording, TellsOfBytesInsideStorages) {
  cache_.record_history(HistoryLevel::site, 100);
  const double payload = 0;
  cache_.book(8, &payload);
  cache_.unbook(8, &payload);
  cache_.book(0, &payload);
  cache_.book(8);  // nobody says where
  cache_.unbook(8);

  const MemorySnapshot snapshot = cache_.snapshot();

  EXPECT_EQ(actions(snapshot), (std::vector{alloc, HistoryAction::free, HistoryAction::snapshot}));
  EXPECT_TRUE(snapshot.entries[0].is_booked);
  EXPECT_EQ(snapshot.entries[0].address, reinterpret_cast<std::uintptr_t>(&payload));
}

TEST_F(Recording, TellsOfARefusalAndWhatWasLeft) {
  cache_.set_limit(10_MiB);
  cache_.record_history(HistoryLevel::site, 100);
  Block* const block = cache_.allocate(4_MiB, {});
  EXPECT_THROW(cache_.allocate(8_MiB, {}), OutOfMemoryError);

  const MemorySnapshot snapshot = cache_.snapshot();

  const HistoryEntry& refused = snapshot.entries[snapshot.entries.size() - 2];
  EXPECT_EQ(refused.action, oom);
  EXPECT_EQ(refused.bytes, 8_MiB);
  EXPECT_EQ(refused.address, 6_MiB);
  cache_.release(block);
}

TEST_F(Recording, TellsOfSegmentsThatGoBack) {
  cache_.record_history(HistoryLevel::site, 100);
  cache_.release(cache_.allocate(100, {}));
  cache_.empty_cache();

  const MemorySnapshot snapshot = cache_.snapshot();

  EXPECT_EQ(snapshot.entries[3].action, segment_unmap);
  EXPECT_TRUE(snapshot.segments.empty());
  EXPECT_EQ(replayed_backwards(snapshot), "");
}

TEST_F(Recording, KeepsTheStoriesOfManyOperationsTogether) {
  for (const std::size_t most : {0, 10, 1000, 100'000}) {
    cache_.record_history(HistoryLevel::site, most);
    std::mt19937 random(most);
    std::vector<Block*> live;
    for (int i = 0; i < 4000; ++i) {
      if (live.empty() || random() % 5 < 3) {
        const std::size_t bytes = std::size_t{1} << random() % 19;
        live.push_back(cache_.allocate(bytes + random() % bytes, {}));
        if (live.size() > 60) std::swap(live[random() % live.size()], live.back());
      } else {
        cache_.release(live.back());
        live.pop_back();
      }
      while (live.size() > 80) {
        cache_.release(live.back());
        live.pop_back();
      }
      if (i % 200 == 0) {
        ASSERT_EQ(replayed_backwards(cache_.snapshot()), "");
      }
      if (i % 500 == 0) cache_.empty_cache();
    }
    for (Block* const block : live) cache_.release(block);
    const MemorySnapshot snapshot = cache_.snapshot();
    EXPECT_EQ(replayed_backwards(snapshot), "");
    EXPECT_LE(snapshot.entries.size(), most);
  }
}

TEST_F(Recording, IsOneStoryWhileOtherThreadsWork) {
  cache_.record_history(HistoryLevel::site, 5000);
  std::atomic<bool> is_over{false};
  std::vector<std::thread> workers;
  for (int worker = 0; worker < 4; ++worker) {
    workers.emplace_back([&, worker] {
      caller_now = static_cast<std::uint32_t>(worker + 1);
      std::mt19937 random(worker);
      while (!is_over) {
        Block* const one = cache_.allocate(1 + random() % 100'000, {});
        Block* const two = cache_.allocate(1 + random() % 2'000'000, {});
        cache_.release(one);
        cache_.release(two);
        if (random() % 50 == 0) cache_.empty_cache();
      }
    });
  }
  std::string fault;
  for (int i = 0; i < 300 && fault.empty(); ++i) {
    fault = replayed_backwards(cache_.snapshot());
    if (i % 100 == 50) cache_.record_history(HistoryLevel::site, 5000);
  }
  is_over = true;
  for (std::thread& worker : workers) worker.join();

  EXPECT_EQ(fault, "");
  EXPECT_EQ(cache_.fault(), "");
  EXPECT_EQ(cache_.stats().live_bytes, 0u);
}

TEST(Recorder, FillsNoRowsWithoutRoomAndSaysHowManyAreNeeded) {
  Heap heap(512, 2_MiB);
  Heap::Stock stock = heap.make_stock({});
  heap.put(stock);
  Segment segment;
  segment.address = reinterpret_cast<std::byte*>(64_MiB);
  segment.bytes = 2_MiB;
  heap.add(segment, 100, {});
  Recorder recorder;
  History::Ring ring(10);
  recorder.restart(HistoryLevel::site, ring, heap);
  MemorySnapshot snapshot;

  const Recorder::Extent needed = recorder.copy(heap, snapshot);
  EXPECT_FALSE(needed.fits(snapshot));
  EXPECT_EQ(needed.segments, 1u);
  EXPECT_EQ(needed.blocks, 1u);
  EXPECT_EQ(needed.entries, 1u);  // of the look itself

  needed.with_margin().resize(snapshot);
  const Recorder::Extent filled = recorder.copy(heap, snapshot);
  EXPECT_TRUE(filled.fits(snapshot));
  filled.resize(snapshot);
  ASSERT_EQ(snapshot.blocks.size(), 1u);
  EXPECT_EQ(snapshot.blocks[0].bytes, 2_MiB);
  EXPECT_EQ(snapshot.entries.size(), 1u);
}

TEST_F(Recording, LosesNothingWhereTheRingIsTooLargeForTheMachine) {
  cache_.record_history(HistoryLevel::site, 10);
  Block* const block = cache_.allocate(100, {});

  EXPECT_THROW(cache_.record_history(HistoryLevel::site, SIZE_MAX / 8), std::bad_alloc);

  EXPECT_EQ(cache_.history_level(), HistoryLevel::site);
  EXPECT_EQ(cache_.snapshot().entries.size(), 3u);
  cache_.release(block);
}

TEST_F(Recording, BeginsAnewInAForkedChild) {
  cache_.record_history(HistoryLevel::site, 10);
  Block* const block = cache_.allocate(100, {});
  cache_.before_fork();
  cache_.after_fork_in_child();

  EXPECT_EQ(actions(cache_.snapshot()), std::vector{HistoryAction::snapshot});
  cache_.release(block);
}

}  // namespace
}  // namespace garboard
