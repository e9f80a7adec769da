#include "csrc/device/stream_event.h"

#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "csrc/device/stream_driver.h"
#include "csrc/device/streams.h"
#include "csrc/device/timeline.h"

namespace garboard {
StreamPoint StreamPoint::at(Stream stream) {
  Timeline* const timeline = timeline_of(stream.device);
  return {stream, timeline ? timeline->ticket(stream) : Ticket{}, capture_of(stream)};
}

void StreamPoint::refuse_captured(const char* op) const {
  if (capture != 0)
    throw DeviceError(text(op, ": the event was recorded in captured work, which is not done by ",
                           stream.device, " but played; record one behind the replay"));
}

bool StreamPoint::is_passed() const {
  refuse_captured("query");
  Timeline* const timeline = timeline_of(stream.device);
  return !timeline || timeline->is_passed(stream, ticket);
}

void StreamPoint::await() const {
  refuse_captured("synchronize");
  if (Timeline* const timeline = timeline_of(stream.device)) timeline->await(stream, ticket);
}

// A stream that was lent again meanwhile is the same line of work still.
void StreamPoint::let_wait(Stream waiter) const {
  if (Timeline* const timeline = timeline_of(stream.device))
    timeline->let_wait(waiter, stream, ticket);
}

StreamEvent::~StreamEvent() {
  if (!time_mark_) return;
  const Device device = point_->stream.device;
  stream_driver_of(device)->end_time_mark(device, time_mark_);
}

void StreamEvent::record(Stream stream) {
  const StreamDriver* const driver = stream_driver_of(stream.device);
  if (point_ && point_->stream.device != stream.device)
    throw DeviceError(text("record: a stream of ", stream.device, " for an event of ",
                           point_->stream.device, "; another event is needed"));
  if (is_timed_) refuse_captured("record", stream);
  if (is_timed_ && driver && !time_mark_) {
    time_mark_ = driver->make_time_mark(stream.device);
    if (!time_mark_)
      throw DeviceError(text("record: device ", stream.device, " gives no event with timing"));
    point_ = StreamPoint{stream};  // whose device the mark is of
  }
  if (time_mark_) driver->record_time_mark(time_mark_, stream);
  point_ = StreamPoint::at(stream);
}

double StreamEvent::elapsed_ms(const StreamEvent& end) const {
  void* const first = require_time("first");
  void* const last = end.require_time("second");
  const Device device = point_->stream.device;
  if (device != end.point_->stream.device)
    throw DeviceError(text("elapsed_time: events of ", device, " and ", end.point_->stream.device,
                           "; both must be of one device"));
  if (!point_->is_passed() || !end.point_->is_passed())
    throw DeviceError(
        "elapsed_time: the device has not come to both events yet; call synchronize() of the "
        "second first");
  return stream_driver_of(device)->elapsed_ms(first, last);
}

void* StreamEvent::require_time(const char* which) const {
  if (!is_timed_)
    throw DeviceError(text("elapsed_time: the ", which,
                           " event keeps no time; make both with enable_timing=True"));
  if (!time_mark_)
    throw DeviceError(text("elapsed_time: the ", which,
                           " event was not recorded; call record() where it is to lie"));
  return time_mark_;
}

}  // namespace garboard
