#include "csrc/memory/allocator/scratch_gate.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "csrc/core/error.h"
#include "csrc/memory/allocator/caching_allocator.h"
#include "csrc/memory/sources/simulated_source.h"

namespace garboard {
namespace {

class ScratchGateTest : public testing::Test {
 protected:
  void expect_refusal(std::size_t bytes) {
    EXPECT_THROW(gate_.take(bytes), OutOfMemoryError);
    EXPECT_EQ(cache_.stats().scratch_bytes, 0u);
  }

  SimulatedSource device_{{.capacity_bytes = 64_MiB, .is_backed = false}};
  CachingAllocator cache_{device_};
  ScratchGate& gate_ = cache_.scratch_gate();
};

TEST_F(ScratchGateTest, CountsWhatIsTakenAndTheMostThatWas) {
  gate_.take(3_MiB);
  gate_.take(1_MiB);
  gate_.give_back(3_MiB);

  EXPECT_EQ(cache_.stats().scratch_bytes, 1_MiB);
  EXPECT_EQ(cache_.stats().peak_scratch_bytes, 4_MiB);
  EXPECT_EQ(cache_.stats().live_bytes, 0u);
  cache_.reset_peaks();
  EXPECT_EQ(cache_.stats().peak_scratch_bytes, 1_MiB);
  gate_.give_back(1_MiB);
}

TEST_F(ScratchGateTest, RefusesWhatGoesBeyondTheLimitWithWhatIsLive) {
  cache_.set_limit(8_MiB);
  Block* const live = cache_.allocate(6_MiB, {});
  expect_refusal(2_MiB + 1);
  EXPECT_EQ(cache_.stats().out_of_memory_count, 1u);
  gate_.take(2_MiB);
  gate_.give_back(2_MiB);
  cache_.release(live);
}

TEST_F(ScratchGateTest, SaysWhatWouldHelp) {
  cache_.set_limit(8_MiB);
  Block* const live = cache_.allocate(6_MiB, {});
  gate_.take(1_MiB);
  try {
    gate_.take(3_MiB);
    ADD_FAILURE() << "there is no room for as much";
  } catch (const OutOfMemoryError& error) {
    EXPECT_EQ(std::string(error.what()),
              "scratch: 3.0 MiB asked by a kernel while it runs, 6.0 MiB of the limit of 8.0 MiB "
              "are live and 1.0 MiB are other scratch; release at least 2.0 MiB, or raise the "
              "limit to at least 10 MiB");
    EXPECT_NE(error.report().find("3145728"), std::string::npos) << error.report();
  }
  gate_.give_back(1_MiB);
  cache_.release(live);
}

TEST_F(ScratchGateTest, ReturnsFreeMemoryThatStandsInTheWay) {
  cache_.set_limit(32_MiB);
  cache_.release(cache_.allocate(24_MiB, {}));
  ASSERT_GE(cache_.stats().cached_bytes, 24_MiB);
  gate_.take(20_MiB);

  EXPECT_LE(cache_.stats().reserved_bytes + cache_.stats().scratch_bytes, 32_MiB);
  gate_.give_back(20_MiB);
}

TEST_F(ScratchGateTest, LeavesTensorsTheRestOfTheLimit) {
  cache_.set_limit(32_MiB);
  gate_.take(20_MiB);
  EXPECT_THROW(cache_.allocate(16_MiB, {}), OutOfMemoryError);
  gate_.give_back(20_MiB);
  cache_.release(cache_.allocate(16_MiB, {}));
}

TEST_F(ScratchGateTest, KeepsItsOneThreadsInAForkedChild) {
  gate_.take(1_MiB);
  std::thread([&] { gate_.take(2_MiB); }).join();
  cache_.before_fork();
  cache_.after_fork_in_child();

  EXPECT_EQ(cache_.stats().scratch_bytes, 1_MiB);
  CachingAllocator other(device_);
  other.before_fork();
  other.after_fork_in_child();
  EXPECT_EQ(other.stats().scratch_bytes, 0u);
  gate_.give_back(1_MiB);
  EXPECT_EQ(cache_.stats().scratch_bytes, 0u);
}

}  // namespace
}  // namespace garboard
