#include "csrc/device/cuda_timeline.h"

#include <gtest/gtest.h>
#include "csrc/device/cuda_library.h"

#include <map>
#include <memory>
#include <set>
#include <vector>

namespace garboard {
namespace {

/// Streams that have been given and have done so much, and events somewhere in between.
struct FakeStreams {
  struct Event {
    void* stream = nullptr;
    int position = 0;
  };
  std::map<void*, int> given, done;
  std::vector<std::unique_ptr<Event>> events;
  std::vector<std::pair<void*, int>> waits;  // of a stream, for a position
  int host_waits = 0;
  std::set<const char*> refused;

  bool refuses(const char* call) const { return refused.contains(call); }
};
FakeStreams* fake = nullptr;

constexpr const char* creating = "create";
constexpr const char* recording = "record";
constexpr const char* waiting = "let_wait";

FakeStreams::Event& event_of(void* event) { return *static_cast<FakeStreams::Event*>(event); }

constexpr CudaEvents fake_events{
    .create = [](int) noexcept -> void* {
      if (fake->refuses(creating)) return nullptr;
      fake->events.push_back(std::make_unique<FakeStreams::Event>());
      return fake->events.back().get();
    },
    .record =
        [](void* event, Stream stream) noexcept {
          if (fake->refuses(recording)) return false;
          event_of(event) = {stream.handle, fake->given[stream.handle]};
          return true;
        },
    .is_passed =
        [](void* event) noexcept {
          return fake->done[event_of(event).stream] >= event_of(event).position;
        },
    .await =
        [](void* event) noexcept {
          ++fake->host_waits;
          int& done = fake->done[event_of(event).stream];
          done = std::max(done, event_of(event).position);
          return true;
        },
    .let_wait =
        [](Stream, void* event) noexcept {
          if (fake->refuses(waiting)) return false;
          fake->waits.emplace_back(event_of(event).stream, event_of(event).position);
          return true;
        },
    .await_stream =
        [](Stream stream) noexcept {
          ++fake->host_waits;
          fake->done[stream.handle] = fake->given[stream.handle];
        },
};

class CudaTimelineTest : public testing::Test {
 protected:
  CudaTimelineTest() { fake = &fake_; }

  static Stream stream(std::uintptr_t number) {
    return {Device::of(cuda_kind, 0), reinterpret_cast<void*>(number)};
  }
  void work(Stream on) { ++fake_.given[on.handle]; }
  void finish(Stream on) { fake_.done[on.handle] = fake_.given[on.handle]; }

  FakeStreams fake_;
  CudaTimeline timeline_{fake_events};
};

TEST_F(CudaTimelineTest, PassesATicketWhenItsWorkIsDone) {
  work(stream(1));
  const Ticket first = timeline_.ticket(stream(1));

  EXPECT_FALSE(timeline_.is_passed(stream(1), first));
  finish(stream(1));
  EXPECT_TRUE(timeline_.is_passed(stream(1), first));
  EXPECT_TRUE(timeline_.is_passed(stream(1), 0));
}

TEST_F(CudaTimelineTest, NeverLetsATicketGoStale) {
  std::vector<Ticket> tickets;
  for (int i = 0; i < 5; ++i) {
    work(stream(1));
    tickets.push_back(timeline_.ticket(stream(1)));
    finish(stream(1));
    EXPECT_TRUE(timeline_.is_passed(stream(1), tickets.back()));
  }
  work(stream(1));
  const Ticket open = timeline_.ticket(stream(1));

  for (const Ticket ticket : tickets) EXPECT_TRUE(timeline_.is_passed(stream(1), ticket));
  EXPECT_FALSE(timeline_.is_passed(stream(1), open));
}

TEST_F(CudaTimelineTest, UsesEventsAgain) {
  for (int i = 0; i < 100; ++i) {
    work(stream(1));
    const Ticket ticket = timeline_.ticket(stream(1));
    finish(stream(1));
    ASSERT_TRUE(timeline_.is_passed(stream(1), ticket));
  }

  EXPECT_EQ(fake_.events.size(), 1u);
}

TEST_F(CudaTimelineTest, UsesEventsAgainWhereNobodyAsks) {
  for (int i = 0; i < 100; ++i) {
    work(stream(1));
    timeline_.ticket(stream(1));
    if (i % 10 == 9) finish(stream(1));
  }

  EXPECT_LE(fake_.events.size(), 11u);
}

TEST_F(CudaTimelineTest, PassesAllThatLiesBeforeAPassedMark) {
  work(stream(1));
  const Ticket first = timeline_.ticket(stream(1));
  work(stream(1));
  const Ticket second = timeline_.ticket(stream(1));

  timeline_.await(stream(1), second);

  EXPECT_EQ(fake_.host_waits, 1);
  fake_.done.clear();  // whoever asked the driver would hear of it
  EXPECT_TRUE(timeline_.is_passed(stream(1), first));
  timeline_.await(stream(1), first);
  EXPECT_EQ(fake_.host_waits, 1);
}

TEST_F(CudaTimelineTest, KeepsStreamsApart) {
  work(stream(1));
  work(stream(2));
  const Ticket one = timeline_.ticket(stream(1));
  const Ticket other = timeline_.ticket(stream(2));
  finish(stream(1));

  EXPECT_TRUE(timeline_.is_passed(stream(1), one));
  EXPECT_FALSE(timeline_.is_passed(stream(2), other));
}

TEST_F(CudaTimelineTest, KeepsTheDefaultStreamsOfDevicesApart) {
  const Stream one{Device::of(cuda_kind, 0)}, other{Device::of(cuda_kind, 1)};
  work(one);
  const Ticket ticket = timeline_.ticket(one);
  timeline_.await(one, ticket);
  work(other);

  EXPECT_FALSE(timeline_.is_passed(other, timeline_.ticket(other)));
  EXPECT_EQ(fake_.events.size(), 2u) << "an event serves the device it was made for";
}

TEST_F(CudaTimelineTest, LetsAStreamWaitWithoutTheHost) {
  work(stream(1));
  const Ticket ticket = timeline_.ticket(stream(1));

  timeline_.let_wait(stream(2), stream(1), ticket);

  ASSERT_EQ(fake_.waits.size(), 1u);
  EXPECT_EQ(fake_.waits[0], std::pair(stream(1).handle, 1));
  EXPECT_EQ(fake_.host_waits, 0);
  timeline_.await(stream(1), ticket);
  timeline_.let_wait(stream(2), stream(1), ticket);  // passed: there is nothing to wait for
  EXPECT_EQ(fake_.waits.size(), 1u);
}

TEST_F(CudaTimelineTest, MakesGoodByWaitingWhatTheDriverRefuses) {
  for (const char* call : {creating, recording, waiting}) {
    fake_.refused = {call};
    const int waits = fake_.host_waits;
    work(stream(1));

    const Ticket ticket = timeline_.ticket(stream(1));
    timeline_.let_wait(stream(2), stream(1), ticket);

    EXPECT_EQ(fake_.host_waits, waits + 1) << call;
    EXPECT_TRUE(timeline_.is_passed(stream(1), ticket)) << call;
    fake_.refused = {};
    work(stream(1));
    EXPECT_FALSE(timeline_.is_passed(stream(1), timeline_.ticket(stream(1)))) << call;
    finish(stream(1));
    timeline_.await(stream(1), timeline_.ticket(stream(1)));
  }
}

}  // namespace
}  // namespace garboard
