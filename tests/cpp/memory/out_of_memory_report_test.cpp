#include "csrc/memory/out_of_memory_report.h"

#include <gtest/gtest.h>

#include "csrc/core/bytes.h"
#include "csrc/core/error.h"
#include "csrc/memory/caching_allocator.h"
#include "csrc/memory/simulated_source.h"

namespace garboard {
namespace {

// 912 MiB live of a limit of 1 GiB; 400 are asked for.
OutOfMemoryFacts taken() {
  return {.device = "cpu",
          .requested = 400_MiB,
          .segment = 400_MiB,
          .limit = 1_GiB,
          .capacity = 16_GiB,
          .live = 912_MiB,
          .booked = 0,
          .reserved = 912_MiB,
          .cached = 0,
          .largest_free = 0,
          .foreign = 0,
          .is_nested = false,
          .rungs = {},
          .holders = {}};
}

TEST(OutOfMemoryReport, SaysInOneLineWhatWasAskedAndWhatHelps) {
  EXPECT_EQ(message_of(taken()),
            "allocate: 400.0 MiB asked on cpu, 912.0 MiB of the limit of 1.0 GiB are live; release "
            "at least 288.0 MiB, or raise the limit to at least 1312 MiB");
}

TEST(OutOfMemoryReport, TellsTheCasesApart) {
  OutOfMemoryFacts facts = taken();
  EXPECT_EQ(verdict_of(facts), Verdict::taken);

  facts.live = 500_MiB;  // the rest lies between
  facts.cached = 412_MiB;
  EXPECT_EQ(verdict_of(facts), Verdict::fragmented);

  facts.reserved = 500_MiB;
  facts.cached = 0;
  EXPECT_EQ(verdict_of(facts), Verdict::refused);

  facts.requested = facts.segment = 2_GiB;
  EXPECT_EQ(verdict_of(facts), Verdict::too_big);

  facts.requested = CachingAllocator::largest_request_bytes + 1;
  EXPECT_EQ(verdict_of(facts), Verdict::absurd);
}

TEST(OutOfMemoryReport, NeverAdvisesALimitThatTheDeviceCannotHold) {
  OutOfMemoryFacts facts = taken();
  facts.capacity = 1_GiB;

  EXPECT_EQ(message_of(facts).find("raise"), std::string::npos);
}

TEST(OutOfMemoryReport, GivesEveryFigureAndWhoHoldsIt) {
  OutOfMemoryFacts facts = taken();
  facts.foreign = 77;
  facts.rungs = {{.name = "garbage generation 0", .freed_bytes = 3_MiB, .ms = 1.5}};
  facts.holders = "  912.0 MiB  train.py:7\n";

  const std::string report = report_of(facts);

  for (const char* part :
       {"taken: live tensors leave no room", "requested", "1.0 GiB (1073741824 bytes)", "77 bytes",
        "garbage generation 0", "freed 3.0 MiB in 1.5 ms", "train.py:7"}) {
    EXPECT_NE(report.find(part), std::string::npos) << part << " is not in\n" << report;
  }
}

// What is advised must help: each case is built, its advice followed, and the request made again.
class Advice : public testing::Test {
 protected:
  std::string failure(std::size_t bytes) {
    try {
      cache_.release(cache_.allocate(bytes, {}));
      return {};
    } catch (const OutOfMemoryError& error) {
      return error.what();
    }
  }
  static bool holds(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  }
  /// Sets the limit that a message names.
  void obey(const std::string& message) {
    const std::string before = "raise the limit to at least ";
    cache_.set_limit(parse_bytes(message.substr(message.find(before) + before.size())));
  }

  explicit Advice(bool has_ranges = true)
      : device_({.capacity_bytes = 1_GiB, .has_ranges = has_ranges}), cache_(device_) {}

  SimulatedSource device_;
  CachingAllocator cache_;
};

class AdviceInSegments : public Advice {
 protected:
  AdviceInSegments() : Advice(false) {}
};

TEST_F(Advice, HelpsWhenTheRequestIsTooBigForTheLimit) {
  cache_.set_limit(64_MiB);
  Block* const live = cache_.allocate(1_MiB, {});

  const std::string message = failure(100_MiB);
  ASSERT_TRUE(holds(message, "ask for less at once")) << message;
  obey(message);

  EXPECT_EQ(failure(100_MiB), "");
  cache_.release(live);
}

TEST_F(Advice, HelpsWhenTheLimitIsTaken) {
  cache_.set_limit(64_MiB);
  Block* const live = cache_.allocate(48_MiB, {});
  cache_.book(1000);

  const std::string message = failure(32_MiB);
  ASSERT_TRUE(holds(message, "release at least")) << message;
  obey(message);
  EXPECT_EQ(failure(32_MiB), "");
  cache_.set_limit(64_MiB);
  cache_.release(live);

  EXPECT_EQ(failure(32_MiB), "");
  cache_.unbook(1000);
}

TEST_F(AdviceInSegments, HelpsWhenTheMemoryIsFragmented) {
  cache_.set_limit(64_MiB);
  std::vector<Block*> blocks;
  for (int i = 0; i < 30; ++i) blocks.push_back(cache_.allocate(2_MiB, {}));
  for (int i = 0; i < 30; i += 2) cache_.release(std::exchange(blocks[i], nullptr));

  const std::string message = failure(24_MiB);
  ASSERT_TRUE(holds(message, "release what lies between")) << message;
  obey(message);

  EXPECT_EQ(failure(24_MiB), "");
  for (Block* block : blocks) cache_.release(block);
}

TEST_F(Advice, HelpsWhenAnotherProcessHasTheDevice) {
  cache_.set_limit(512_MiB);
  device_.take_elsewhere(1_GiB);

  const std::string message = failure(4_MiB);
  ASSERT_TRUE(holds(message, "end what else uses the device")) << message;
  device_.take_elsewhere(0);

  EXPECT_EQ(failure(4_MiB), "");
}

}  // namespace
}  // namespace garboard
