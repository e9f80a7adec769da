// Simulated streams: they work when told so, and in the order that was asked for.
#include "csrc/device/simulated_timeline.h"

#include <gtest/gtest.h>

namespace garboard {
namespace {

Stream stream(std::uintptr_t number) { return {{}, reinterpret_cast<void*>(number)}; }

TEST(SimulatedTimeline, WorksOnlyWhenItIsTold) {
  SimulatedTimeline streams;
  streams.submit(stream(1));
  streams.submit(stream(1));

  EXPECT_EQ(streams.ticket(stream(1)), 2u);
  EXPECT_FALSE(streams.is_passed(stream(1), 1));
  streams.advance(stream(1), 1);
  EXPECT_TRUE(streams.is_passed(stream(1), 1));
  EXPECT_FALSE(streams.is_passed(stream(1), 2));
}

TEST(SimulatedTimeline, NeverPassesMoreThanItWasGiven) {
  SimulatedTimeline streams;
  streams.submit(stream(1));

  streams.advance(stream(1), 9);

  EXPECT_EQ(streams.passed(stream(1)), 1u);
}

TEST(SimulatedTimeline, StopsAtWorkThatWaitsForAnotherStream) {
  SimulatedTimeline streams;
  const Ticket first = streams.submit(stream(1));
  streams.submit(stream(2));
  streams.let_wait(stream(2), stream(1), first);
  const Ticket last = streams.submit(stream(2));

  streams.advance(stream(2), last);
  EXPECT_EQ(streams.passed(stream(2)), 1u);
  streams.advance(stream(1), first);
  streams.advance(stream(2), last);
  EXPECT_EQ(streams.passed(stream(2)), last);
}

TEST(SimulatedTimeline, WorksWhileTheHostWaits) {
  SimulatedTimeline streams;
  const Ticket first = streams.submit(stream(1));
  streams.let_wait(stream(2), stream(1), first);
  const Ticket last = streams.submit(stream(2));

  streams.await(stream(2), last);

  EXPECT_EQ(streams.passed(stream(1)), first);
  EXPECT_EQ(streams.passed(stream(2)), last);
  EXPECT_EQ(streams.host_wait_count(), 1u);
}

TEST(SimulatedTimeline, TellsWhatComesBeforeWhat) {
  SimulatedTimeline streams;
  const Ticket first = streams.submit(stream(1));

  EXPECT_TRUE(streams.is_before(stream(1), first, stream(1)));
  EXPECT_FALSE(streams.is_before(stream(1), first, stream(2)));
  streams.let_wait(stream(2), stream(1), first);
  EXPECT_TRUE(streams.is_before(stream(1), first, stream(2)));
  EXPECT_FALSE(streams.is_before(stream(1), streams.submit(stream(1)), stream(2)));
}

TEST(SimulatedTimeline, TellsOrderThroughAThirdStream) {
  SimulatedTimeline streams;
  const Ticket first = streams.submit(stream(1));
  const Ticket before = streams.submit(stream(2));
  streams.let_wait(stream(2), stream(1), first);

  streams.let_wait(stream(3), stream(2), before);
  EXPECT_FALSE(streams.is_before(stream(1), first, stream(3)));
  streams.let_wait(stream(3), stream(2), streams.ticket(stream(2)));
  EXPECT_TRUE(streams.is_before(stream(1), first, stream(3)));
}

}  // namespace
}  // namespace garboard
