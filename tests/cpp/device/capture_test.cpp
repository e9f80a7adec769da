#include "csrc/device/capture.h"

#include <gtest/gtest.h>

#include <string>

#include "csrc/core/error.h"
#include "csrc/device/cuda_timeline.h"
#include "csrc/device/stream_event.h"
#include "csrc/device/streams.h"
#include "tests/cpp/support/stand_in.h"

namespace garboard {
namespace {

class CaptureTest : public testing::Test {
 protected:
  ~CaptureTest() override {
    stand_in::streams().finish();
    EXPECT_FALSE(is_anything_captured());
    EXPECT_TRUE(stand_in::captured.empty());
  }

  const Device device_ = stand_in::device();
  const Counted<LentStream> lent_ = lend_stream(device_, 0);
  const Stream stream_ = lent_->stream;
};

template <class Act>
std::string told_by(Act act) {
  try {
    act();
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "nothing";
}

TEST_F(CaptureTest, KnowsWhoseWorkIsCaptured) {
  EXPECT_EQ(capture_of(stream_), 0u);
  const CaptureId capture = begin_capture(stream_);
  EXPECT_NE(capture, 0u);
  EXPECT_EQ(capture_of(stream_), capture);
  EXPECT_EQ(capture_of(Stream{device_}), 0u);
  EXPECT_EQ(capture_of(Stream{}), 0u);
  forget_captured(device_, end_capture(stream_));
  EXPECT_EQ(capture_of(stream_), 0u);
}

TEST_F(CaptureTest, IsOfNoDefaultStreamAndNotBegunTwice) {
  EXPECT_TRUE(told_by([&] { begin_capture(Stream{device_}); }).starts_with("capture_begin: "));
  EXPECT_TRUE(told_by([&] { begin_capture(Stream{}); }).starts_with("capture_begin: "));
  begin_capture(stream_);
  EXPECT_TRUE(told_by([&] { begin_capture(stream_); }).starts_with("capture_begin: "));
  forget_captured(device_, end_capture(stream_));
}

TEST_F(CaptureTest, RefusesWhoeverWaitsForIt) {
  begin_capture(stream_);
  EXPECT_TRUE(told_by([&] { synchronize(stream_); }).starts_with("synchronize: "));
  EXPECT_TRUE(told_by([&] { is_idle(stream_); }).starts_with("query: "));
  EXPECT_TRUE(told_by([&] { refuse_captured("any", device_); }).starts_with("any: "));
  EXPECT_EQ(told_by([&] { synchronize(Stream{device_}); }), "nothing");
  const StreamPoint point = StreamPoint::at(stream_);
  EXPECT_TRUE(told_by([&] { point.await(); }).starts_with("synchronize: "));
  forget_captured(device_, end_capture(stream_));

  EXPECT_TRUE(told_by([&] { point.is_passed(); }).starts_with("query: "));
  EXPECT_EQ(told_by([&] { synchronize(stream_); }), "nothing");
  EXPECT_EQ(told_by([&] { refuse_captured("any", device_); }), "nothing");
}

TEST_F(CaptureTest, IsPlayedAsOftenAsOneLikes) {
  begin_capture(stream_);
  void* const captured = end_capture(stream_);
  const int before = stand_in::played;
  play_captured(captured, stream_);
  play_captured(captured, Stream{device_});
  EXPECT_EQ(stand_in::played, before + 2);
  forget_captured(device_, captured);
}

/// Events that tell what was asked of them.
struct AskedEvents {
  int made = 0, recorded = 0, asked = 0, waited_for = 0, host_waits = 0;
};
AskedEvents* asked = nullptr;

constexpr CudaEvents asked_events{
    .create = [](int) noexcept -> void* { return &(++asked->made, *asked); },
    .record = [](void*, Stream) noexcept { return ++asked->recorded, true; },
    .is_passed = [](void*) noexcept { return ++asked->asked, true; },
    .await = [](void*) noexcept { return ++asked->host_waits, true; },
    .let_wait = [](Stream, void*) noexcept { return ++asked->waited_for, true; },
    .await_stream = [](Stream) noexcept { ++asked->host_waits; },
};

TEST_F(CaptureTest, HasPointsThatNobodyAsksTheDriverFor) {
  AskedEvents events;
  asked = &events;
  CudaTimeline timeline(asked_events);
  const Stream other{device_, &events};
  begin_capture(stream_);
  const Ticket inside = timeline.ticket(stream_);
  EXPECT_FALSE(timeline.is_passed(stream_, inside));
  EXPECT_EQ(events.asked, 0);
  timeline.let_wait(other, stream_, inside);  // which is captured from then on
  EXPECT_EQ(events.waited_for, 1);
  timeline.await(stream_, inside);
  EXPECT_EQ(events.host_waits, 0);
  forget_captured(device_, end_capture(stream_));

  timeline.ticket(other);
  EXPECT_TRUE(timeline.is_passed(stream_, inside));
  EXPECT_EQ(events.asked, 0);
  EXPECT_EQ(events.made, 1);  // what the capture recorded is recorded anew
}

TEST_F(CaptureTest, LetsTheHostWaitForWhatLiesOutside) {
  AskedEvents events;
  asked = &events;
  CudaTimeline timeline(asked_events);
  const Stream other{device_, &events};
  const Ticket outside = timeline.ticket(other);
  begin_capture(stream_);
  timeline.let_wait(stream_, other, outside);
  EXPECT_EQ(events.waited_for, 0);
  EXPECT_EQ(events.host_waits, 1);
  forget_captured(device_, end_capture(stream_));
}

}  // namespace
}  // namespace garboard
