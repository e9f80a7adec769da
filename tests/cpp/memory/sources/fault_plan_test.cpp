#include "csrc/memory/sources/fault_plan.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "csrc/core/error.h"
#include "csrc/memory/allocator/caching_allocator.h"
#include "csrc/memory/sources/simulated_source.h"

namespace garboard {
namespace {

std::vector<int> failures(FaultPlan& plan, int calls, std::size_t bytes = 1) {
  std::vector<int> failed;
  for (int i = 1; i <= calls; ++i) {
    if (plan.next(bytes)) failed.push_back(i);
  }
  return failed;
}

TEST(FaultPlan, LetsNothingFailByItself) {
  FaultPlan plan;

  EXPECT_EQ(failures(plan, 100), std::vector<int>{});
  EXPECT_EQ(plan.call_count(), 100u);
}

TEST(FaultPlan, FailsTheCallsItNames) {
  FaultPlan plan;
  plan.fail_call(2);
  plan.fail_call(5);

  EXPECT_EQ(failures(plan, 9), (std::vector{2, 5}));
}

TEST(FaultPlan, FailsWhatIsAtLeastSoLargeUntilTold) {
  FaultPlan plan;
  plan.fail_from(10);

  EXPECT_EQ(plan.next(9), std::nullopt);
  EXPECT_NE(plan.next(10), std::nullopt);
  plan.fail_from(SIZE_MAX);
  EXPECT_EQ(plan.next(10), std::nullopt);
}

TEST(FaultPlan, FailsTheSameCallsForTheSameSeed) {
  FaultPlan one, same, other;
  one.fail_randomly(0.25, 7);
  same.fail_randomly(0.25, 7);
  other.fail_randomly(0.25, 8);

  const std::vector<int> failed = failures(one, 4000);

  EXPECT_NEAR(static_cast<double>(failed.size()), 1000, 150);
  EXPECT_EQ(failed, failures(same, 4000));
  EXPECT_NE(failed, failures(other, 4000));
}

TEST(FaultPlan, SaysInWhichPhase) {
  FaultPlan plan;
  plan.fail_call(1);
  plan.fail_call(2);

  EXPECT_EQ(plan.next(1), MapPhase::create);
  plan.fail_in(MapPhase::set_access);
  EXPECT_EQ(plan.next(1), MapPhase::set_access);
}

TEST(FaultPlan, SaysWhenSomebodyElseTakesMemory) {
  FaultPlan plan;
  plan.take_elsewhere_at(2, 100);

  plan.next(1);
  EXPECT_EQ(plan.taken_elsewhere(), std::nullopt);
  plan.next(1);
  EXPECT_EQ(plan.taken_elsewhere(), 100u);
  plan.next(1);
  EXPECT_EQ(plan.taken_elsewhere(), std::nullopt);
}

// What is left of an allocator when its source fails: for every call of a program, in every phase.

// A program of allocations and releases, the same every time.
struct Trace {
  struct Step {
    std::size_t bytes;    // 0: release
    std::size_t release;  // which of the live ones
  };
  std::vector<Step> steps;

  Trace() {
    std::size_t seed = 1;
    const auto next = [&] {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      return seed >> 33;
    };
    for (int i = 0; i < 300; ++i) {
      const bool allocates = next() % 5 < 3;
      const std::size_t most = std::size_t{1} << next() % 24;
      const std::size_t bytes = 1 + next() % most;
      steps.push_back({allocates ? bytes : 0, next() % 64});
    }
  }

  /// The sizes that were refused.
  std::vector<std::size_t> run(CachingAllocator& cache) const {
    std::vector<Block*> live;
    std::vector<std::size_t> refused;
    std::size_t live_bytes = 0;
    for (const Step& step : steps) {
      if (step.bytes) {
        try {
          live.push_back(cache.allocate(step.bytes, {}));
          live_bytes += step.bytes;
        } catch (const OutOfMemoryError&) {
          refused.push_back(step.bytes);
        }
      } else if (!live.empty()) {
        std::swap(live[step.release % live.size()], live.back());
        live_bytes -= live.back()->requested_bytes;
        cache.release(live.back());
        live.pop_back();
      }
      EXPECT_EQ(cache.stats().live_bytes, live_bytes);
    }
    EXPECT_EQ(cache.fault(), "");
    for (Block* block : live) cache.release(block);
    return refused;
  }
};

struct Case {
  const char* name;
  bool has_ranges;
  MapPhase phase;
  std::size_t granularity_bytes = 2_MiB;
  std::size_t large_handle_bytes = 0;
};
const Case cases[] = {
    {"CreatingInRanges", true, MapPhase::create},
    {"MappingInRanges", true, MapPhase::map},
    {"SettingAccessInRanges", true, MapPhase::set_access},
    {"WhileMoving", true, MapPhase::map, 64_KiB},
    {"WithLargeHandles", true, MapPhase::map, 2_MiB, 4_MiB},
    {"WhileMovingLargeHandles", true, MapPhase::set_access, 64_KiB, 256_KiB},
    {"InSegments", false, MapPhase::create},
};

class AllocationFaults : public testing::TestWithParam<Case> {
 protected:
  SimulatedSource::Facts facts() const {
    return {.capacity_bytes = 1_GiB,
            .granularity_bytes = GetParam().granularity_bytes,
            .large_handle_bytes = GetParam().large_handle_bytes,
            .has_ranges = GetParam().has_ranges,
            .is_backed = false};
  }
  std::size_t sound_call_count() const {
    SimulatedSource sound(facts());
    CachingAllocator cache(sound);
    EXPECT_TRUE(trace_.run(cache).empty());
    EXPECT_EQ(cache.stats().moved_bytes > 0, GetParam().granularity_bytes < 2_MiB);
    return sound.map_count();
  }

  /// Runs the trace on a device that fails, and looks at what is left; how many were refused.
  std::size_t run_on(SimulatedSource& device) const {
    std::vector<std::size_t> refused;
    {
      CachingAllocator cache(device);
      refused = trace_.run(cache);

      EXPECT_EQ(cache.stats().live_bytes, 0u);
      EXPECT_EQ(cache.stats().allocation_count, cache.stats().free_count);
      EXPECT_EQ(cache.stats().out_of_memory_count, refused.size());
      EXPECT_EQ(cache.stats().reserved_bytes, device.mapped_bytes());
      device.plan([](FaultPlan& faults) { faults = {}; });
      for (const std::size_t bytes : refused) {
        EXPECT_NO_THROW(cache.release(cache.allocate(bytes, {}))) << "though it was a retry";
      }
      EXPECT_EQ(cache.fault(), "");
      cache.empty_cache();
      EXPECT_EQ(device.mapped_bytes(), 0u);
      cache.set_limit(2_MiB);  // all of it is there again
      EXPECT_NO_THROW(cache.release(cache.allocate(100, {})));
    }
    EXPECT_EQ(device.mapped_bytes(), 0u);
    EXPECT_EQ(device.range_count(), 0u);
    EXPECT_EQ(device.misuse(), "");
    return refused.size();
  }

  Trace trace_;
};

TEST_P(AllocationFaults, LeaveTheBooksEvenWhicheverCallsFail) {
  const std::size_t calls = sound_call_count();
  ASSERT_GE(calls, 3u);
  std::size_t refusals = 0;

  for (std::size_t failing = 1; failing <= calls; ++failing) {
    for (const std::size_t in_a_row : {1, 2, 8}) {
      SimulatedSource device(facts());
      device.plan([](FaultPlan& faults) { faults.fail_in(GetParam().phase); });
      for (std::size_t i = 0; i < in_a_row; ++i) device.fail_map(failing + i);

      refusals += run_on(device);

      if (HasFailure()) FAIL() << in_a_row << " calls failed from number " << failing;
    }
  }

  EXPECT_GT(refusals, 0u);
}

TEST_P(AllocationFaults, LeaveTheBooksEvenAtRandom) {
  std::size_t refusals = 0;
  for (std::uint64_t seed = 0; seed < 20 && !HasFailure(); ++seed) {
    SimulatedSource device(facts());
    device.plan([&](FaultPlan& faults) {
      faults.fail_in(GetParam().phase);
      faults.fail_randomly(0.5, seed);
    });

    refusals += run_on(device);
  }

  EXPECT_GT(refusals, 0u);
}

TEST_P(AllocationFaults, RefuseWhatIsLargeAndNothingElse) {
  SimulatedSource device(facts());
  device.plan([&](FaultPlan& faults) { faults.fail_from(4_MiB); });

  EXPECT_GT(run_on(device), 0u);
}

TEST_P(AllocationFaults, LeaveTheBooksEvenWhenSomebodyElseTakesTheDevice) {
  const std::size_t calls = sound_call_count();
  std::size_t refusals = 0;
  for (std::size_t from = 1; from <= calls; from += 2) {
    SimulatedSource device(facts());
    device.plan([&](FaultPlan& faults) {
      faults.take_elsewhere_at(from, 1_GiB);
      faults.take_elsewhere_at(from + 6, 0);
    });

    std::vector<std::size_t> refused;
    {
      CachingAllocator cache(device);
      refused = trace_.run(cache);
      EXPECT_EQ(cache.fault(), "");
      EXPECT_EQ(cache.stats().reserved_bytes, device.mapped_bytes());
    }
    refusals += refused.size();
    EXPECT_EQ(device.mapped_bytes(), 0u);
    EXPECT_EQ(device.misuse(), "");
  }

  EXPECT_GT(refusals, 0u);
}

INSTANTIATE_TEST_SUITE_P(Sources, AllocationFaults, testing::ValuesIn(cases),
                         [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace garboard
