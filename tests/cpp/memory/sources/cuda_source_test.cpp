#include "csrc/memory/sources/cuda_source.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "csrc/core/error.h"
#include "csrc/device/cuda_library.h"
#include "csrc/memory/allocator/caching_allocator.h"

namespace garboard {
namespace {

/// A device of 64 MiB whose memory begins where the test wants it.
struct FakeDevice {
  std::size_t offset = 0;  // of every address it gives, from the granularity
  std::size_t free_bytes = 64_MiB;
  std::multiset<void*> live;
  std::map<void*, std::size_t> sizes;
};
FakeDevice* device = nullptr;

void* allocate(int, std::size_t bytes) noexcept {
  if (bytes > device->free_bytes) return nullptr;
  auto* const block = static_cast<std::byte*>(std::aligned_alloc(2_MiB, bytes + 2_MiB));
  void* const memory = block + device->offset;
  device->free_bytes -= bytes;
  device->sizes[memory] = bytes;
  device->live.insert(memory);
  return memory;
}

void release(int, void* memory) noexcept {
  ASSERT_EQ(device->live.erase(memory), 1u) << "not what was given";
  device->free_bytes += device->sizes[memory];
  std::free(static_cast<std::byte*>(memory) - device->offset);
}

class CudaSourceOfAFake : public testing::Test {
 protected:
  CudaSourceOfAFake() {
    device = &fake_;
    library_.allocate = allocate;
    library_.release = release;
    library_.capacity_bytes = [](int) { return std::size_t{64_MiB}; };
  }
  ~CudaSourceOfAFake() override { EXPECT_TRUE(fake_.live.empty()) << "memory was not given back"; }

  FakeDevice fake_;
  CudaLibrary library_;
};

bool is_aligned(const void* memory) {
  return reinterpret_cast<std::uintptr_t>(memory) % 2_MiB == 0;
}

TEST_F(CudaSourceOfAFake, GivesWhatTheDeviceGives) {
  CudaSource source(library_, 3);

  void* const segment = source.map(4_MiB);

  EXPECT_EQ(source.name(), "cuda:3");
  EXPECT_EQ(source.capacity_bytes(), 64_MiB);
  EXPECT_EQ(fake_.live.count(segment), 1u);
  EXPECT_EQ(fake_.free_bytes, 60_MiB);
  source.unmap(segment, 4_MiB);
  EXPECT_EQ(fake_.free_bytes, 64_MiB);
}

TEST_F(CudaSourceOfAFake, AlignsWhatTheDeviceDoesNot) {
  fake_.offset = 256;
  CudaSource source(library_, 0);

  void* const one = source.map(4_MiB);
  void* const other = source.map(2_MiB);

  EXPECT_TRUE(is_aligned(one));
  EXPECT_TRUE(is_aligned(other));
  source.unmap(one, 4_MiB);
  source.unmap(other, 2_MiB);
  EXPECT_EQ(fake_.free_bytes, 64_MiB);
}

TEST_F(CudaSourceOfAFake, SaysThatThereIsNothingLeftWithNull) {
  CudaSource source(library_, 0);

  EXPECT_EQ(source.map(66_MiB), nullptr);
}

TEST_F(CudaSourceOfAFake, GivesBackWhatItCannotAlign) {
  fake_.offset = 256;
  CudaSource source(library_, 0);

  EXPECT_EQ(source.map(64_MiB), nullptr);
  EXPECT_EQ(fake_.free_bytes, 64_MiB);
}

TEST_F(CudaSourceOfAFake, FeedsAnAllocatorWhoseBooksComeOutEven) {
  CudaSource source(library_, 0);
  {
    CachingAllocator cache(source);
    Block* const block = cache.allocate(1000, Stream{{cuda_kind, 0}});
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block->data()) % 512, 0u);
    EXPECT_EQ(cache.stats().live_bytes, 1000u);
    cache.release(block);
    EXPECT_EQ(cache.stats().live_bytes, 0u);
  }

  EXPECT_EQ(fake_.free_bytes, 64_MiB);
}

TEST_F(CudaSourceOfAFake, SaysWhatTheDeviceHasLeft) {
  library_.free_bytes = [](int) noexcept { return device->free_bytes; };
  CudaSource source(library_, 0);
  void* const segment = source.map(4_MiB);

  EXPECT_EQ(source.free_bytes(), 60_MiB);
  source.unmap(segment, 4_MiB);
  library_.free_bytes = nullptr;
  EXPECT_EQ(source.free_bytes(), std::nullopt);
}

TEST_F(CudaSourceOfAFake, RaisesWhatTheDeviceRaisesWhenItIsMade) {
  library_.capacity_bytes = [](int) -> std::size_t { throw std::runtime_error("it is gone"); };

  EXPECT_THROW(CudaSource(library_, 0), std::runtime_error);
}

/// A driver that knows what it was told, and refuses the call it is asked to refuse.
struct FakeDriver {
  std::size_t granularity = 2_MiB;
  std::size_t capacity = 80_MiB;  // that it has left
  std::size_t refused_call = 0;   // counted from 1; 0: none
  std::size_t calls = 0;
  std::size_t created = 0;
  std::size_t synchronized = 0;
  std::string misuse;
  std::map<std::uintptr_t, std::size_t> ranges;
  std::map<std::uint64_t, int> shares;  // of memory: its handle, and the address it is behind
  std::map<std::uint64_t, std::size_t> sizes;
  std::map<std::uintptr_t, std::uint64_t> mapped;
  std::set<std::uintptr_t> open;  // mappings the device may use
  std::uint64_t next_memory = 1;
  std::uintptr_t next_range = 1_GiB;

  bool refuses() { return ++calls == refused_call; }
  void expect(bool holds, const char* what) {
    if (!holds && misuse.empty()) misuse = what;
  }
  void drop_share(std::uint64_t memory) {
    if (--shares[memory] > 0) return;
    shares.erase(memory);
    capacity += sizes.extract(memory).mapped();
  }
  /// The bytes of the mapping that begins there.
  std::size_t mapped_at(std::uintptr_t address, const char* what) {
    const auto found = mapped.find(address);
    expect(found != mapped.end(), what);
    return found != mapped.end() ? sizes[found->second] : granularity;
  }
};
FakeDriver* driver = nullptr;

std::uintptr_t number_of(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

constexpr CudaVirtualMemory fake_memory{
    .granularity = [](int) noexcept { return driver->granularity; },
    .reserve = [](int, std::size_t bytes, std::size_t alignment) noexcept -> void* {
      if (driver->refuses()) return nullptr;
      driver->next_range = (driver->next_range + alignment - 1) / alignment * alignment;
      const std::uintptr_t range = driver->next_range;
      driver->next_range += bytes;
      driver->ranges[range] = bytes;
      return reinterpret_cast<void*>(range);
    },
    .unreserve =
        [](int, void* range, std::size_t bytes) noexcept {
          const auto found = driver->ranges.extract(number_of(range));
          driver->expect(found && found.mapped() == bytes, "unreserved what was not reserved");
        },
    .create = [](int, std::size_t bytes) noexcept -> std::uint64_t {
      driver->expect(bytes > 0 && bytes % driver->granularity == 0, "created no granules");
      if (driver->refuses() || bytes > driver->capacity) return 0;
      ++driver->created;
      driver->capacity -= bytes;
      driver->shares[driver->next_memory] = 1;
      driver->sizes[driver->next_memory] = bytes;
      return driver->next_memory++;
    },
    .release = [](int, std::uint64_t memory) noexcept { driver->drop_share(memory); },
    .map =
        [](int, void* address, std::size_t bytes, std::uint64_t memory) noexcept {
          driver->expect(driver->shares.contains(memory) && driver->sizes[memory] == bytes,
                         "mapped what there is not");
          const auto above = driver->mapped.lower_bound(number_of(address));
          driver->expect(
              above == driver->mapped.end() || above->first >= number_of(address) + bytes,
              "mapped twice");
          if (driver->refuses()) return false;
          driver->mapped[number_of(address)] = memory;
          ++driver->shares[memory];
          return true;
        },
    .set_access =
        [](int, void* address, std::size_t bytes) noexcept {
          if (driver->refuses()) return false;
          for (std::uintptr_t at = number_of(address), end = at + bytes; at < end;) {
            driver->open.insert(at);
            at += driver->mapped_at(at, "opened a gap");
          }
          return true;
        },
    .unmap =
        [](int, void* address, std::size_t bytes) noexcept {
          ++driver->synchronized;
          std::uintptr_t at = number_of(address);
          const std::uintptr_t end = at + bytes;
          while (at < end) {
            const std::size_t size = driver->mapped_at(at, "unmapped what is not mapped so");
            if (const auto found = driver->mapped.extract(at)) driver->drop_share(found.mapped());
            driver->open.erase(at);
            at += size;
          }
          driver->expect(at == end, "unmapped a part of a mapping");
        },
};

class CudaSourceOfADriver : public CudaSourceOfAFake {
 protected:
  CudaSourceOfADriver() {
    driver = &driver_;
    library_.virtual_memory = &fake_memory;
  }
  ~CudaSourceOfADriver() override {
    EXPECT_EQ(driver_.misuse, "");
    EXPECT_TRUE(driver_.shares.empty()) << "memory has leaked";
    EXPECT_TRUE(driver_.mapped.empty());
  }

  FakeDriver driver_;
};

TEST_F(CudaSourceOfADriver, PutsMemoryBehindAddressesAGranuleAtATime) {
  CudaSource source(library_, 0);
  auto* const range = static_cast<std::byte*>(source.reserve(16_MiB));

  EXPECT_TRUE(source.map_at(range + 2_MiB, 6_MiB));

  EXPECT_EQ(driver_.shares.size(), 3u);
  EXPECT_EQ(driver_.open.size(), 3u);
  source.unmap_at(range + 4_MiB, 2_MiB);
  EXPECT_EQ(driver_.shares.size(), 2u);
  EXPECT_TRUE(source.map_at(range + 4_MiB, 2_MiB));
  source.unmap_at(range + 2_MiB, 6_MiB);
  source.unreserve(range, 16_MiB);
  EXPECT_TRUE(driver_.ranges.empty());
  EXPECT_TRUE(fake_.live.empty());
}

TEST_F(CudaSourceOfADriver, UndoesWhatFailsHalfWay) {
  CudaSource source(library_, 0);
  void* const range = source.reserve(8_MiB);
  const std::size_t before = driver_.calls;

  for (std::size_t call = 1; call <= 9; ++call) {  // create and map by turns, set_access last
    driver_.calls = before;
    driver_.refused_call = before + call;
    EXPECT_FALSE(source.map_at(range, 8_MiB)) << call;
    EXPECT_TRUE(driver_.shares.empty()) << call;
    EXPECT_TRUE(driver_.mapped.empty()) << call;
    EXPECT_TRUE(driver_.open.empty()) << call;
  }

  driver_.refused_call = 0;
  EXPECT_TRUE(source.map_at(range, 8_MiB));
  source.unmap_at(range, 8_MiB);
}

TEST_F(CudaSourceOfADriver, MakesLargeHandlesOfWhatIsAlignedAndWhole) {
  driver_.capacity = 16_GiB;
  CudaSource source(library_, 0);
  auto* const range = static_cast<std::byte*>(source.reserve(16_GiB));  // at a multiple of 1 GiB

  EXPECT_TRUE(source.map_at(range, 10_GiB));
  EXPECT_EQ(driver_.created, 320u);
  source.unmap_at(range + 32_MiB, 10_GiB - 32_MiB);
  EXPECT_EQ(driver_.shares.size(), 1u);
  source.unmap_at(range, 32_MiB);

  driver_.created = 0;
  EXPECT_TRUE(source.map_at(range + 2_MiB, 10_GiB)) << "15 granules, 319 of 32 MiB, a granule";
  EXPECT_EQ(driver_.created, 335u);
  EXPECT_EQ(driver_.open.size(), 335u);
  source.unmap_at(range + 2_MiB, 10_GiB);

  driver_.created = 0;
  EXPECT_TRUE(source.map_granules_at(range, 1_GiB)) << "none of them";
  EXPECT_EQ(driver_.created, 512u);
  source.unmap_at(range + 2_MiB, 1_GiB - 2_MiB);
  source.unmap_at(range, 2_MiB);
  source.unreserve(range, 16_GiB);
}

TEST_F(CudaSourceOfADriver, UndoesLargeHandlesThatFailHalfWay) {
  driver_.capacity = 128_MiB;
  CudaSource source(library_, 0);
  auto* const range = static_cast<std::byte*>(source.reserve(128_MiB));
  const std::size_t before = driver_.calls;

  for (std::size_t call = 1; call <= 9; ++call) {  // of four handles: 2, 32, 32 and 2 MiB
    driver_.calls = before;
    driver_.refused_call = before + call;
    EXPECT_FALSE(source.map_at(range + 30_MiB, 68_MiB)) << call;
    EXPECT_TRUE(driver_.mapped.empty()) << call;
    EXPECT_TRUE(driver_.open.empty()) << call;
    EXPECT_EQ(driver_.capacity, 128_MiB) << call;
  }

  driver_.refused_call = 0;
  EXPECT_TRUE(source.map_at(range + 30_MiB, 68_MiB));
  EXPECT_EQ(driver_.shares.size(), 4u);
  source.unmap_at(range + 32_MiB, 64_MiB);
  source.unmap_at(range + 30_MiB, 2_MiB);
  source.unmap_at(range + 96_MiB, 2_MiB);
}

TEST_F(CudaSourceOfADriver, TakesTheDriversGranularityWhereThatIsCoarser) {
  driver_.granularity = 32_MiB;
  CudaSource source(library_, 0);

  EXPECT_EQ(source.granularity_bytes(), 32_MiB);
  EXPECT_EQ(source.large_handle_bytes(), 0u);
}

TEST_F(CudaSourceOfADriver, GivesSegmentsWhereTheDriverHasNoSuchCalls) {
  driver_.granularity = 0;
  CudaSource source(library_, 0);

  EXPECT_EQ(source.granularity_bytes(), 2_MiB);
  EXPECT_EQ(source.large_handle_bytes(), 0u);
  EXPECT_EQ(source.reserve(64_MiB), nullptr);
  CachingAllocator cache(source);
  Block* const block = cache.allocate(1_MiB, {});
  EXPECT_EQ(fake_.live.size(), 1u);
  cache.release(block);
}

TEST_F(CudaSourceOfADriver, GivesSegmentsWhereTheEnvironmentSaysSo) {
  setenv("GARBOARD_CUDA_MEMORY", "segments", 1);
  CudaSource segments(library_, 0);
  setenv("GARBOARD_CUDA_MEMORY", "anything else", 1);
  CudaSource pages(library_, 0);
  unsetenv("GARBOARD_CUDA_MEMORY");

  EXPECT_EQ(segments.reserve(64_MiB), nullptr);
  void* const range = pages.reserve(64_MiB);
  EXPECT_NE(range, nullptr);
  pages.unreserve(range, 64_MiB);
}

TEST_F(CudaSourceOfADriver, GivesSegmentsWhereAddressesAreNotToBeHad) {
  driver_.refused_call = 1;
  CudaSource source(library_, 0);
  CachingAllocator cache(source);
  Block* const block = cache.allocate(1_MiB, {});

  EXPECT_FALSE(block->segment->is_range);
  cache.release(block);
}

// The same work for every call that could fail: it passes or raises, and the books come out even.
TEST_F(CudaSourceOfADriver, FeedsAnAllocatorWhicheverCallFails) {
  std::size_t raised = 0, last = 0;
  for (std::size_t call = 1; call == 1 || last >= call; ++call) {
    driver_.calls = 0;
    driver_.refused_call = call;
    {
      CudaSource source(library_, 0);
      CachingAllocator cache(source);
      std::vector<Block*> blocks;
      for (const std::size_t bytes : {1_MiB, 100_KiB, 20_MiB, 44_MiB}) {
        try {
          blocks.push_back(cache.allocate(bytes, {}));
        } catch (const OutOfMemoryError&) {
          ++raised;
        }
      }
      for (Block* block : blocks) cache.release(block);
      EXPECT_EQ(cache.fault(), "") << call;
      EXPECT_EQ(cache.stats().live_bytes, 0u) << call;
    }
    last = driver_.calls;
    EXPECT_TRUE(driver_.shares.empty()) << call;
    EXPECT_TRUE(driver_.ranges.empty()) << call;
  }

  EXPECT_GT(last, 40u);
  EXPECT_EQ(raised, 0u) << "one refusal was made good by asking again";
}

}  // namespace
}  // namespace garboard
