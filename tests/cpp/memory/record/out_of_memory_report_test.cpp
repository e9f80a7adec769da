#include "csrc/memory/record/out_of_memory_report.h"

#include <gtest/gtest.h>

#include <map>

#include "csrc/core/bytes.h"
#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "csrc/memory/allocator/caching_allocator.h"
#include "csrc/memory/sources/simulated_source.h"

namespace garboard {
namespace {

// 912 MiB live of a limit of 1 GiB; 400 are asked for.
OutOfMemoryFacts taken() {
  return {.device = "cpu",
          .requested = 400_MiB,
          .segment = 400_MiB,
          .limit = 1_GiB,
          .limit_origin = LimitOrigin::program,
          .capacity = 16_GiB,
          .stats = {.live_bytes = 912_MiB, .reserved_bytes = 912_MiB},
          .largest_free_before = 0,
          .garbage = 0,
          .device_free = {},
          .is_nested = false,
          .rungs = {},
          .holders = {}};
}

TEST(OutOfMemoryReport, SaysInOneLineWhatWasAskedAndWhatHelps) {
  EXPECT_EQ(message_of(taken()),
            "allocate: 400.0 MiB asked on cpu, 912.0 MiB of the limit of 1.0 GiB are live; release "
            "at least 288.0 MiB, or raise the limit to at least 1312 MiB");
}

TEST(OutOfMemoryReport, NamesTheSmallestThatHoldsEnoughAndTheLargest) {
  OutOfMemoryFacts facts = taken();
  facts.holders.each = {{"a", 900_MiB}, {"b", 287_MiB}, {"c", 400_MiB}, {"d", 288_MiB}};

  const std::string message = message_of(facts);

  EXPECT_NE(message.find("release at least 288.0 MiB: dispose d (288.0 MiB) or a (900.0 MiB), or "
                         "raise the limit to at least 1312 MiB"),
            std::string::npos)
      << message;
}

TEST(OutOfMemoryReport, NamesNobodyWhoHoldsTooLittle) {
  OutOfMemoryFacts facts = taken();
  facts.holders.each = {{"a", 287_MiB}};

  EXPECT_EQ(message_of(facts).find("dispose"), std::string::npos);
}

TEST(OutOfMemoryReport, TellsTheCasesApart) {
  OutOfMemoryFacts facts = taken();
  EXPECT_EQ(verdict_of(facts), Verdict::taken);

  facts.garbage = 1_MiB;
  EXPECT_EQ(verdict_of(facts), Verdict::cycles);

  facts.limit_origin = LimitOrigin::machine;
  EXPECT_EQ(verdict_of(facts), Verdict::host_cap);
  facts.capacity = 1_GiB;  // a higher limit would not help
  EXPECT_EQ(verdict_of(facts), Verdict::cycles);

  facts = taken();
  facts.stats.live_bytes = 500_MiB;  // the rest lies between
  facts.stats.cached_bytes = 412_MiB;
  EXPECT_EQ(verdict_of(facts), Verdict::fragmented);

  facts.stats.pending_bytes = 1_MiB;
  EXPECT_EQ(verdict_of(facts), Verdict::pending);
  facts.stats.pending_bytes = 0;

  facts.stats.reserved_bytes = 500_MiB;
  facts.stats.cached_bytes = 0;
  EXPECT_EQ(verdict_of(facts), Verdict::refused);
  facts.device_free = 400_MiB;
  EXPECT_EQ(verdict_of(facts), Verdict::refused);
  facts.device_free = 399_MiB;
  EXPECT_EQ(verdict_of(facts), Verdict::foreign);

  facts.requested = facts.segment = 2_GiB;
  EXPECT_EQ(verdict_of(facts), Verdict::too_big);

  facts.requested = largest_request_bytes + 1;
  EXPECT_EQ(verdict_of(facts), Verdict::absurd);
}

TEST(OutOfMemoryReport, NeverAdvisesALimitThatTheDeviceCannotHold) {
  OutOfMemoryFacts facts = taken();
  facts.capacity = 1_GiB;

  EXPECT_EQ(message_of(facts).find("raise"), std::string::npos);
}

TEST(OutOfMemoryReport, GivesEveryFigureAndWhoHoldsIt) {
  OutOfMemoryFacts facts = taken();
  facts.stats.foreign_bytes = 77;
  facts.stats.pending_bytes = 5;
  facts.stats.largest_free_block = 2_MiB;
  facts.largest_free_before = 1_MiB;
  facts.limit_origin = LimitOrigin::control_group;
  facts.capacity = 1_GiB;
  facts.device_free = 100_MiB;
  facts.rungs = {{.name = "garbage generation 0", .freed_bytes = 3_MiB, .ms = 1.5}};
  facts.holders.lines = "  912.0 MiB  train.py:7\n";

  const std::string report = report_of(facts);

  for (const char* part :
       {"taken: live tensors leave no room", "requested", "1.0 GiB (1073741824 bytes)", "77 bytes",
        "four fifths of what the control group may use", "pending               5 bytes",
        "free on the device    100.0 MiB", "others'               12.0 MiB",
        "2.0 MiB (2097152 bytes) after all steps, 1.0 MiB before", "garbage generation 0",
        "freed 3.0 MiB in 1.5 ms", "train.py:7"}) {
    EXPECT_NE(report.find(part), std::string::npos) << part << " is not in\n" << report;
  }
}

// What is advised must help: each case is built, its advice followed, and the request made again.
class Advice : public testing::Test {
 protected:
  struct Failure {
    std::string message, verdict;
  };
  /// What is said when `bytes` are asked for; nothing where they are there.
  Failure failure(std::size_t bytes) {
    try {
      cache_.release(cache_.allocate(bytes, {}));
      return {};
    } catch (const OutOfMemoryError& error) {
      const std::string rest = error.report().substr(error.report().find('\n') + 1);
      return {error.what(), rest.substr(0, rest.find(':'))};
    }
  }
  static bool holds(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  }
  /// Sets the limit that a message names.
  void obey(const std::string& message) {
    const std::string before = "raise the limit to at least ";
    ASSERT_TRUE(holds(message, before.c_str())) << message;
    cache_.set_limit(parse_bytes(message.substr(message.find(before) + before.size())));
  }
  /// The least that a message says is to be released.
  static std::size_t asked_for(const std::string& message) {
    const std::string before = "release at least ";
    const std::string after = message.substr(message.find(before) + before.size());
    return static_cast<std::size_t>(parse_bytes(after.substr(0, after.find_first_of(",:"))));
  }

  explicit Advice(SimulatedSource::Facts device = {.capacity_bytes = 1_GiB, .has_streams = true})
      : device_(std::move(device)), cache_(device_) {}
  ~Advice() override { EXPECT_EQ(cache_.stats().live_bytes, 0u); }

  SimulatedSource device_;
  CachingAllocator cache_;
};

class AdviceInSegments : public Advice {
 protected:
  AdviceInSegments() : Advice({.capacity_bytes = 1_GiB, .has_ranges = false}) {}
};

TEST_F(Advice, HelpsWhenTheRequestIsTooBigForTheLimit) {
  cache_.set_limit(64_MiB);
  Block* const live = cache_.allocate(1_MiB, {});

  const auto [message, verdict] = failure(100_MiB);
  EXPECT_EQ(verdict, "too big");
  ASSERT_TRUE(holds(message, "ask for less at once")) << message;
  obey(message);

  EXPECT_EQ(failure(100_MiB).message, "");
  cache_.release(live);
}

TEST_F(Advice, HelpsWhereItNamesWhatToDispose) {
  cache_.set_limit(64_MiB);
  std::map<std::string, Block*> holders;
  for (const std::size_t mib : {10, 20, 30}) {
    holders[text("scope \"", mib, '"')] = cache_.allocate(mib * 1_MiB, {});
  }
  cache_.set_holders_report([&] {
    HoldersReport report;
    for (const auto& [name, block] : holders) report.each.push_back({name, block->bytes});
    return report;
  });

  const auto [message, verdict] = failure(16_MiB);  // 12 more than there are
  const std::string before = ": dispose ";
  ASSERT_TRUE(holds(message, before.c_str())) << message;
  const std::string named = message.substr(message.find(before) + before.size());
  const auto chosen = holders.find(named.substr(0, named.find(" (")));
  ASSERT_NE(chosen, holders.end()) << message;
  EXPECT_EQ(chosen->second->bytes, 20_MiB);
  cache_.release(chosen->second);
  holders.erase(chosen);

  EXPECT_EQ(failure(16_MiB).message, "");
  for (const auto& [name, block] : holders) cache_.release(block);
}

TEST_F(Advice, HelpsWhenTheLimitIsTaken) {
  cache_.set_limit(64_MiB);
  Block* const live = cache_.allocate(30_MiB, {});
  Block* const little = cache_.allocate(18_MiB, {});
  cache_.book(1000);

  const auto [message, verdict] = failure(32_MiB);
  EXPECT_EQ(verdict, "taken");
  EXPECT_LE(asked_for(message), 18_MiB) << message;
  obey(message);
  EXPECT_EQ(failure(32_MiB).message, "");
  cache_.set_limit(64_MiB);
  cache_.release(little);

  EXPECT_EQ(failure(32_MiB).message, "");
  cache_.release(live);
  cache_.unbook(1000);
}

TEST_F(AdviceInSegments, HelpsWhenTheMemoryIsFragmented) {
  cache_.set_limit(64_MiB);
  std::vector<Block*> blocks;
  for (int i = 0; i < 30; ++i) blocks.push_back(cache_.allocate(2_MiB, {}));
  for (int i = 0; i < 30; i += 2) cache_.release(std::exchange(blocks[i], nullptr));

  const auto [message, verdict] = failure(24_MiB);
  EXPECT_EQ(verdict, "fragmented");
  ASSERT_TRUE(holds(message, "release what lies between")) << message;
  obey(message);

  EXPECT_EQ(failure(24_MiB).message, "");
  for (Block* block : blocks) cache_.release(block);
}

TEST_F(Advice, HelpsWhenAnotherProcessHasTheDevice) {
  cache_.set_limit(512_MiB);
  device_.take_elsewhere(1022_MiB);

  const auto [message, verdict] = failure(4_MiB);
  EXPECT_EQ(verdict, "foreign");
  ASSERT_TRUE(holds(message, "1022.0 MiB are others'; end what else uses the device")) << message;
  device_.take_elsewhere(0);

  EXPECT_EQ(failure(4_MiB).message, "");
}

TEST_F(Advice, HelpsWhenTheDeviceDoesNotGiveWhatItHas) {
  device_.plan([](FaultPlan& faults) { faults.fail_from(4_MiB); });

  const auto [message, verdict] = failure(4_MiB);
  EXPECT_EQ(verdict, "refused");
  ASSERT_TRUE(holds(message, "look for a limit of the system or the driver")) << message;
  device_.plan([](FaultPlan& faults) { faults.fail_from(SIZE_MAX); });

  EXPECT_EQ(failure(4_MiB).message, "");
}

TEST_F(Advice, HelpsWhenTheLimitIsTheHosts) {
  cache_.set_limit(64_MiB, LimitOrigin::machine);
  Block* const live = cache_.allocate(48_MiB, {});

  const auto [message, verdict] = failure(32_MiB);
  EXPECT_EQ(verdict, "host cap");
  ASSERT_TRUE(holds(message, "four fifths of the machine's memory")) << message;
  EXPECT_EQ(asked_for(message), 16_MiB);
  obey(message);

  EXPECT_EQ(failure(32_MiB).message, "");
  cache_.release(live);
}

TEST_F(Advice, HelpsWhenCyclesHadTakenARoomThatIsStillTooSmall) {
  cache_.set_limit(64_MiB);
  Block* live = cache_.allocate(40_MiB, {});
  Block* in_a_cycle = cache_.allocate(20_MiB, {});
  cache_.set_garbage_collector(
      [&](int, bool) { cache_.release(std::exchange(in_a_cycle, nullptr)); });

  const auto [message, verdict] = failure(32_MiB);
  EXPECT_EQ(verdict, "cycles");
  ASSERT_TRUE(holds(message, "20.0 MiB of garbage in cycles gone already")) << message;
  EXPECT_EQ(asked_for(message), 8_MiB);
  obey(message);

  EXPECT_EQ(failure(32_MiB).message, "");
  cache_.release(live);
}

// Who is called while another request is failing does not wait for streams.
TEST_F(Advice, HelpsWhenStreamsStillUseWhatWasReleased) {
  cache_.set_limit(64_MiB);
  const Stream side{{}, this};
  Block* const block = cache_.allocate(40_MiB, {});
  cache_.used_on(block, side);
  device_.streams().submit(side);
  cache_.release(block);
  Failure nested, later;
  cache_.add_reclaim_callback([&](std::size_t) {
    nested = failure(32_MiB);
    device_.streams().finish();
    later = failure(32_MiB);
  });

  EXPECT_EQ(failure(60_MiB).message, "");
  EXPECT_EQ(nested.verdict, "pending");
  EXPECT_TRUE(holds(nested.message, "synchronize the device, and ask again")) << nested.message;
  EXPECT_EQ(later.message, "");
}

}  // namespace
}  // namespace garboard
