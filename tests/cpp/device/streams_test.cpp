#include "csrc/device/streams.h"

#include <gtest/gtest.h>

#include <thread>
#include <utility>
#include <vector>

#include "csrc/core/error.h"
#include "csrc/device/stream_event.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/reduce/reduce.h"
#include "csrc/tensor/storage.h"
#include "tests/cpp/support/stand_in.h"

namespace garboard {
namespace {

class StreamsTest : public testing::Test {
 protected:
  ~StreamsTest() override {
    stand_in::streams().finish();
    EXPECT_EQ(stream_counts(device_).lent, 0u);
    EXPECT_EQ(current_stream(device_), Stream{device_});
    EXPECT_EQ(stand_in::time_marks, 0);
  }
  static Ticket work_on(Stream stream) { return stand_in::streams().submit(stream); }

  const Device device_ = stand_in::device();
};

TEST_F(StreamsTest, AreLentAndGoBackWithTheLastShare) {
  Counted<LentStream> one = lend_stream(device_, 0);
  const Counted<LentStream> other = lend_stream(device_, 0);
  const Stream first = one->stream;

  EXPECT_NE(first, other->stream);
  EXPECT_EQ(stream_counts(device_).lent, 2u);
  const Counted<LentStream> share = one;
  one.reset();
  EXPECT_EQ(stream_counts(device_).lent, 2u);
}

TEST_F(StreamsTest, AreLentAgainRatherThanMade) {
  const Stream first = lend_stream(device_, 0)->stream;
  const std::size_t made = stream_counts(device_).made;

  for (int i = 0; i < 100; ++i) EXPECT_NE(lend_stream(device_, 0)->stream, Stream{device_});

  EXPECT_EQ(stream_counts(device_).made, made);
  EXPECT_NE(first, Stream{device_});
}

TEST_F(StreamsTest, ThatStillWorkAreLeftAloneWhileMoreCanBeMade) {
  std::vector<Stream> busy;
  {
    const Counted<LentStream> lent = lend_stream(device_, 0);
    busy.push_back(lent->stream);
    work_on(lent->stream);
  }

  const Counted<LentStream> next = lend_stream(device_, 0);

  EXPECT_NE(next->stream, busy[0]);
}

TEST_F(StreamsTest, ThatStillWorkAreLentWhereTheDeviceGivesNoMore) {
  const std::size_t most = std::exchange(stand_in::most_streams, stand_in::streams_made);
  std::vector<Counted<LentStream>> all;
  while (stream_counts(device_).lent < stream_counts(device_).made)
    all.push_back(lend_stream(device_, 0));
  if (all.empty()) {
    stand_in::most_streams = stand_in::streams_made + 1;
    all.push_back(lend_stream(device_, 0));
    stand_in::most_streams = stand_in::streams_made;
  }
  EXPECT_THROW(lend_stream(device_, 0), DeviceError);
  const Stream last = all.back()->stream;
  work_on(last);
  all.pop_back();

  EXPECT_EQ(lend_stream(device_, 0)->stream, last);

  stand_in::most_streams = most;
}

TEST_F(StreamsTest, HaveThePriorityThatIsNearest) {
  EXPECT_EQ(lend_stream(device_, 3)->priority, 0);
  EXPECT_EQ(lend_stream(device_, -1)->priority, -1);
  EXPECT_EQ(lend_stream(device_, -9)->priority, -2);
}

TEST_F(StreamsTest, AreRefusedWhereThereIsTheDefaultOneAlone) {
  EXPECT_THROW(lend_stream(Device{}, 0), DeviceError);
  EXPECT_TRUE(is_idle(Stream{}));
  synchronize(Stream{});
  EXPECT_TRUE(StreamPoint::at(Stream{}).is_passed());
}

TEST_F(StreamsTest, AreCurrentForOneThreadAndOneDevice) {
  const Counted<LentStream> lent = lend_stream(device_, 0);
  const Counted<LentStream> before = set_current_stream(device_, lent);

  EXPECT_EQ(current_stream(device_), lent->stream);
  EXPECT_EQ(current_lent_stream(device_), lent);
  EXPECT_EQ(current_stream(Device{}), Stream{});
  EXPECT_EQ(current_stream(Device::simulated(0)), Stream{Device::simulated(0)});
  std::thread([&] { EXPECT_EQ(current_stream(device_), Stream{device_}); }).join();
  EXPECT_EQ(set_current_stream(device_, before), lent);
}

TEST_F(StreamsTest, GoBackWhenTheThreadEndsThatUsedThem) {
  std::thread([&] {
    set_current_stream(device_, lend_stream(device_, 0));
    EXPECT_EQ(stream_counts(device_).lent, 1u);
  }).join();

  EXPECT_EQ(stream_counts(device_).lent, 0u);
}

TEST_F(StreamsTest, WaitForEachOtherWithoutTheHost) {
  const Counted<LentStream> one = lend_stream(device_, 0), other = lend_stream(device_, 0);
  const std::size_t host_waits = stand_in::streams().host_wait_count();
  const Ticket first = work_on(one->stream);

  EXPECT_FALSE(stand_in::streams().is_before(one->stream, first, other->stream));
  let_wait(other->stream, one->stream);

  EXPECT_TRUE(stand_in::streams().is_before(one->stream, first, other->stream));
  EXPECT_FALSE(is_idle(other->stream));
  synchronize(other->stream);
  EXPECT_TRUE(is_idle(one->stream));
  EXPECT_EQ(stand_in::streams().host_wait_count(), host_waits + 1);
}

TEST_F(StreamsTest, PassEvents) {
  const Counted<LentStream> lent = lend_stream(device_, 0);
  StreamEvent event;
  EXPECT_FALSE(event.point());
  work_on(lent->stream);
  event.record(lent->stream);
  const Ticket later = work_on(lent->stream);

  EXPECT_FALSE(event.point()->is_passed());
  event.point()->await();

  EXPECT_TRUE(event.point()->is_passed());
  EXPECT_LT(stand_in::streams().passed(lent->stream), later);
}

TEST_F(StreamsTest, LetWhatTheyAreGivenLaterWaitForAnEvent) {
  const Counted<LentStream> one = lend_stream(device_, 0), other = lend_stream(device_, 0);
  StreamEvent event;
  const Ticket before = work_on(one->stream);
  event.record(one->stream);
  const Ticket after = work_on(one->stream);

  event.point()->let_wait(other->stream);

  EXPECT_TRUE(stand_in::streams().is_before(one->stream, before, other->stream));
  EXPECT_FALSE(stand_in::streams().is_before(one->stream, after, other->stream));
}

TEST_F(StreamsTest, AreMeasuredBetweenEventsWithTiming) {
  const Counted<LentStream> lent = lend_stream(device_, 0);
  StreamEvent begin(true), end(true);
  EXPECT_THROW(begin.elapsed_ms(end), DeviceError);  // not recorded
  begin.record(lent->stream);
  for (int i = 0; i < 3; ++i) work_on(lent->stream);
  end.record(lent->stream);
  EXPECT_THROW(begin.elapsed_ms(end), DeviceError);  // not passed
  end.point()->await();

  EXPECT_EQ(begin.elapsed_ms(end), 3.0);
  StreamEvent timeless;
  timeless.record(lent->stream);
  EXPECT_THROW(begin.elapsed_ms(timeless), DeviceError);
}

TEST_F(StreamsTest, AreOfTheDeviceThatAnEventWasRecordedOnFirst) {
  StreamEvent event;
  event.record(Stream{device_});

  EXPECT_THROW(event.record(Stream{}), DeviceError);
}

/// The stream that each kernel was given, of the kernels that the test calls.
std::vector<Stream> given_streams;

const kernels::Table& noting_table() {
  static const kernels::Table table = [] {
    kernels::Table noting = kernels::cpu_table();
    noting.of<kernels::Fill>() = [](const kernels::Fill& of, Stream stream) {
      given_streams.push_back(stream);
      kernels::cpu_table().run(of, stream);
    };
    noting.binary[add.kernel.index] = [](const View& out, const View& a, const View& b,
                                         Stream stream) {
      given_streams.push_back(stream);
      kernels::cpu_table().binary[add.kernel.index](out, a, b, stream);
    };
    noting.unary[exp.kernel.index] = [](const View& out, const View& x, Stream stream) {
      given_streams.push_back(stream);
      kernels::cpu_table().unary[exp.kernel.index](out, x, stream);
    };
    return noting;
  }();
  return table;
}

TEST_F(StreamsTest, AreWhereKernelsAndTheirMemoryGo) {
  stand_in::table = noting_table;
  given_streams.clear();
  const Counted<LentStream> lent = lend_stream(device_, 0);
  const Counted<LentStream> before = set_current_stream(device_, lent);
  {
    const Tensor x = full({100}, Scalar::of(1.0), DType::float32, device_);
    exp(add(x, x));
  }
  set_current_stream(device_, before);
  full({100}, Scalar::of(1.0), DType::float32, device_);
  stand_in::table = nullptr;

  EXPECT_EQ(given_streams,
            (std::vector<Stream>{lent->stream, lent->stream, lent->stream, Stream{device_}}));
}

}  // namespace
}  // namespace garboard
