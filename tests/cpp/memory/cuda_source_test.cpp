#include "csrc/memory/cuda_source.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <stdexcept>

#include "csrc/memory/caching_allocator.h"

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
    Block* const block = cache.allocate(1000, Stream{{DeviceKind::cuda, 0}});
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block->data()) % 512, 0u);
    EXPECT_EQ(cache.stats().live_bytes, 1000u);
    cache.release(block);
    EXPECT_EQ(cache.stats().live_bytes, 0u);
  }

  EXPECT_EQ(fake_.free_bytes, 64_MiB);
}

TEST_F(CudaSourceOfAFake, RaisesWhatTheDeviceRaisesWhenItIsMade) {
  library_.capacity_bytes = [](int) -> std::size_t { throw std::runtime_error("it is gone"); };

  EXPECT_THROW(CudaSource(library_, 0), std::runtime_error);
}

}  // namespace
}  // namespace garboard
