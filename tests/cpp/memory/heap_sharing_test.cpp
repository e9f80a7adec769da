// Training with communication on a second stream, as Megatron-LM does it: what the second stream
// took once must not be lost to the first.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

#include "csrc/memory/caching_allocator.h"
#include "csrc/memory/simulated_source.h"

namespace garboard {
namespace {

constexpr int layers = 24;
constexpr int steps = 6;

/// What one run has needed.
struct Needed {
  std::size_t live_bytes;
  std::size_t reserved_bytes;
  std::size_t host_waits;
};

class Training {
 public:
  Training(bool has_side_stream, std::optional<std::size_t> limit)
      : side_{{}, reinterpret_cast<void*>(std::uintptr_t{has_side_stream})} {
    cache_.set_limit(limit);
  }

  // The parameters are loaded through one large buffer of the side stream, which is thrown away.
  Needed run() {
    Block* const loading = take(3_GiB, side_);
    cache_.release(loading);
    for (int i = 0; i < layers; ++i) weights_.push_back(take(96_MiB, main_));
    for (int i = 0; i < steps; ++i) step();
    for (Block* block : weights_) cache_.release(block);
    EXPECT_EQ(cache_.fault(), "");
    const MemoryStats stats = cache_.stats();
    return {stats.peak_live_bytes, stats.peak_reserved_bytes, device_.streams().host_wait_count()};
  }

 private:
  // Forwards, a layer's weights are gathered on the side stream and used on the main one;
  // backwards, gradients made on the main stream are scattered on the side stream.
  void step() {
    std::vector<Block*> activations;
    for (int i = 0; i < layers; ++i) {
      Block* const gathered = take(192_MiB, side_);
      cache_.used_on(gathered, main_);
      activations.push_back(take(tokens_(random_) * 64_KiB, main_));
      Block* const scratch = take(tokens_(random_) * 48_KiB, main_);
      work(main_);
      cache_.release(scratch);
      cache_.release(gathered);
    }
    while (!activations.empty()) {
      Block* const gradient = take(192_MiB, main_);
      work(main_);
      cache_.used_on(gradient, side_);
      work(side_);
      cache_.release(gradient);
      cache_.release(activations.back());
      activations.pop_back();
    }
  }

  Block* take(std::size_t bytes, Stream stream) {
    Block* const block = cache_.allocate(bytes, stream);
    work(stream);
    return block;
  }

  // The device is a few pieces of work behind.
  void work(Stream stream) {
    const Ticket ticket = device_.streams().submit(stream);
    device_.streams().advance(stream, ticket > 8 ? ticket - 8 : 0);
  }

  SimulatedSource device_{{.capacity_bytes = 80_GiB, .is_backed = false, .has_streams = true}};
  CachingAllocator cache_{device_};
  const Stream main_{};
  const Stream side_;
  std::vector<Block*> weights_;
  std::mt19937 random_{5};
  std::uniform_int_distribution<std::size_t> tokens_{512, 2048};
};

TEST(TwoStreams, NeedATenthMoreThanOneAtMost) {
  const Needed one = Training(false, std::nullopt).run();

  const Needed two = Training(true, one.reserved_bytes / 10 * 11).run();

  EXPECT_EQ(two.live_bytes, one.live_bytes);
  EXPECT_LE(two.reserved_bytes, one.reserved_bytes / 10 * 11);
  EXPECT_EQ(two.host_waits, 0u);
}

TEST(TwoStreams, TakeTurnsWithSomeOfTheMemoryWhereThereIsNoLimitEither) {
  const Needed two = Training(true, std::nullopt).run();  // 1.9 without moving any

  EXPECT_LE(two.reserved_bytes, two.live_bytes / 4 * 7);
  EXPECT_EQ(two.host_waits, 0u);
}

}  // namespace
}  // namespace garboard
