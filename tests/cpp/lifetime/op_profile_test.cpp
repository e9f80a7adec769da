#include "csrc/lifetime/op_profile.h"

#include <gtest/gtest.h>

#include <thread>

#include "csrc/lifetime/dispose_scope.h"
#include "csrc/lifetime/registry.h"

namespace garboard {
namespace {

struct Listed {
  explicit Listed(std::int64_t bytes) {
    record.bytes = bytes;
    registry().add(record);
  }
  ~Listed() { registry().remove(record); }
  Listed(const Listed&) = delete;
  Listed& operator=(const Listed&) = delete;

  StorageRecord record;
};

TEST(OpProfile, RecordsNothingWhileItIsOff) {
  { const OpProfile::MaybeOp op("before"); }
  ASSERT_TRUE(OpProfile::start(false));

  EXPECT_TRUE(OpProfile::stop().events.empty());
}

TEST(OpProfile, NestsOpsOfAThread) {
  ASSERT_TRUE(OpProfile::start(false));
  {
    const OpProfile::Op outer("outer");
    { const OpProfile::Op first("first", "detail"); }
    { const OpProfile::MaybeOp second("sec", "ond"); }
  }
  { const OpProfile::Op alone("alone"); }

  const OpProfile::Result result = OpProfile::stop();

  ASSERT_EQ(result.events.size(), 4u);
  EXPECT_EQ(result.events[1].detail, "detail");
  EXPECT_EQ(result.events[2].name, "second");
  EXPECT_EQ(result.events[0].parent, -1);
  EXPECT_EQ(result.events[1].parent, 0);
  EXPECT_EQ(result.events[2].parent, 0);
  EXPECT_EQ(result.events[3].parent, -1);
  for (const OpProfile::Event& event : result.events) {
    EXPECT_LE(result.begin_ns, event.begin_ns);
    EXPECT_LE(event.begin_ns, event.end_ns);
    EXPECT_LE(event.end_ns, result.end_ns);
  }
}

TEST(OpProfile, BooksBytesToTheInnermostOp) {
  ASSERT_TRUE(OpProfile::start(true));
  {
    const OpProfile::Op outer("outer");
    const Listed kept(10);
    const OpProfile::Op inner("inner");
    const Listed brief(100);
  }
  { const Listed outside(7); }

  const OpProfile::Result result = OpProfile::stop();

  ASSERT_EQ(result.events.size(), 2u);
  EXPECT_EQ(result.events[0].allocated[0], 10);
  EXPECT_EQ(result.events[0].freed[0], 10);
  EXPECT_EQ(result.events[1].allocated[0], 100);
  EXPECT_EQ(result.events[1].freed[0], 100);
  ASSERT_EQ(result.memory.size(), 6u);
  EXPECT_EQ(result.memory[0].bytes, 10);
  EXPECT_EQ(result.memory[2].bytes, -100);
  EXPECT_EQ(result.memory[2].serial, result.memory[1].serial);
  EXPECT_EQ(result.memory[5].bytes, -7);
}

TEST(OpProfile, SeesWhatWaitsWhenItArrivesAndWhatIsInScopes) {
  const OpenScope scope;
  ASSERT_TRUE(OpProfile::start(true));
  StorageRecord arriving, abandoned;
  arriving.bytes = abandoned.bytes = 5;
  registry().expect(arriving);
  registry().expect(abandoned);
  registry().abandon(abandoned);
  registry().arrive(arriving);
  registry().remove(arriving);

  const OpProfile::Result result = OpProfile::stop();

  ASSERT_EQ(result.memory.size(), 2u);
  EXPECT_EQ(result.memory[0].bytes, 5);
  EXPECT_EQ(result.memory[1].bytes, -5);
}

TEST(OpProfile, KeepsThePeakExact) {
  registry().reset_peak({});
  const std::int64_t start = registry().peak({}).bytes;
  ASSERT_TRUE(OpProfile::start(true));
  { const Listed high(100); }
  OpProfile::stop();
  { const Listed low(50); }

  EXPECT_EQ(registry().peak({}).bytes - start, 100);
}

TEST(OpProfile, IsOneAtATime) {
  ASSERT_TRUE(OpProfile::start(false));
  EXPECT_FALSE(OpProfile::start(false));
  OpProfile::stop();

  ASSERT_TRUE(OpProfile::start(false));
  OpProfile::stop();
}

TEST(OpProfile, EndsWhatStillRuns) {
  ASSERT_TRUE(OpProfile::start(false));
  const OpProfile::Op open("open");

  const OpProfile::Result result = OpProfile::stop();

  EXPECT_EQ(result.events.at(0).end_ns, result.end_ns);
  ASSERT_TRUE(OpProfile::start(false));  // `open` is none of its events, and no parent
  { const OpProfile::Op next("next"); }
  EXPECT_EQ(OpProfile::stop().events.at(0).parent, -1);
}

TEST(OpProfile, KeepsThreadsApart) {
  ASSERT_TRUE(OpProfile::start(false));
  {
    const OpProfile::Op outer("outer");
    std::thread([] { const OpProfile::Op elsewhere("elsewhere"); }).join();
  }

  const OpProfile::Result result = OpProfile::stop();

  EXPECT_EQ(result.events.at(1).parent, -1);
  EXPECT_NE(result.events.at(1).thread, result.events.at(0).thread);
}

}  // namespace
}  // namespace garboard
