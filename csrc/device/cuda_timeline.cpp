#include "csrc/device/cuda_timeline.h"

#include <algorithm>

#include "csrc/device/capture.h"

namespace garboard {

void* CudaTimeline::take_event(Device device) noexcept {
  std::vector<void*>& spare = spare_events_of(device);
  if (spare.empty()) return events_.create(device.number);
  void* const event = spare.back();
  spare.pop_back();
  return event;
}

// The first that lies at or behind `ticket`; null if that is passed.
const CudaTimeline::Mark* CudaTimeline::mark_at(const Line& line, Ticket ticket) noexcept {
  if (ticket <= line.passed) return nullptr;
  const auto found = std::ranges::lower_bound(line.marks, ticket, {}, &Mark::ticket);
  return found == line.marks.end() ? nullptr : &*found;
}

void CudaTimeline::pass(Stream stream, Ticket ticket) noexcept {
  Line& line = line_of(stream);
  line.passed = std::max(line.passed, ticket);
  while (!line.marks.empty() && line.marks.front().ticket <= ticket) {
    spare_events_of(stream.device).push_back(line.marks.front().event);
    line.marks.pop_front();
  }
}

// Before an event is made: who records and never asks would have ever more of them.
void CudaTimeline::pass_oldest(Stream stream) noexcept {
  const Line& line = line_of(stream);
  while (!line.marks.empty() && events_.is_passed(line.marks.front().event))
    pass(stream, line.marks.front().ticket);
}

void CudaTimeline::end_captured_marks() noexcept {
  for (const CapturedMark& captured : captured_)
    spare_events_of(captured.stream.device).push_back(captured.mark.event);
  captured_.clear();
}

void* CudaTimeline::captured_event_at(Stream stream, Ticket ticket) const noexcept {
  const auto found = std::ranges::find_if(captured_, [&](const CapturedMark& captured) {
    return captured.stream == stream && captured.mark.ticket == ticket;
  });
  return found == captured_.end() ? nullptr : found->mark.event;
}

// Where the driver refuses, the capture is broken, and says so when it ends.
Ticket CudaTimeline::captured_ticket(Stream stream) noexcept {
  const Ticket here = ++line_of(stream).last;
  void* const event = take_event(stream.device);
  if (event && events_.record(event, stream)) {
    captured_.push_back({stream, {here, event}});
  } else if (event) {
    spare_events_of(stream.device).push_back(event);
  }
  return here;
}

Ticket CudaTimeline::ticket(Stream stream) noexcept {
  const bool is_captured = capture_of(stream) != 0;
  Ticket here = 0;
  {
    const std::lock_guard guard(mutex_);
    if (!is_anything_captured()) end_captured_marks();
    if (is_captured) return captured_ticket(stream);
    Line& line = line_of(stream);
    here = ++line.last;
    if (spare_events_of(stream.device).empty()) pass_oldest(stream);
    void* const event = take_event(stream.device);
    if (event && events_.record(event, stream)) {
      line.marks.push_back({here, event});
      return here;
    }
    if (event) spare_events_of(stream.device).push_back(event);
  }
  events_.await_stream(stream);
  const std::lock_guard guard(mutex_);
  pass(stream, here);
  return here;
}

bool CudaTimeline::is_passed(Stream stream, Ticket ticket) noexcept {
  const std::lock_guard guard(mutex_);
  if (is_anything_captured() && captured_event_at(stream, ticket)) return false;
  Line& line = line_of(stream);
  const Mark* const mark = mark_at(line, ticket);
  if (!mark) return true;
  if (!events_.is_passed(mark->event)) return false;
  pass(stream, mark->ticket);
  return true;
}

// The event may be used again for a later mark meanwhile: then this waits for that one too. A
// device that is broken does no more work, so nothing can be waited for.
void CudaTimeline::await(Stream stream, Ticket ticket) noexcept {
  Mark mark;
  {
    const std::lock_guard guard(mutex_);
    const Mark* const found = mark_at(line_of(stream), ticket);
    if (!found) return;
    mark = *found;
  }
  events_.await(mark.event);
  const std::lock_guard guard(mutex_);
  pass(stream, mark.ticket);
}

void CudaTimeline::let_wait(Stream waiter, Stream stream, Ticket ticket) noexcept {
  const bool is_captured = capture_of(waiter) != 0;
  {
    const std::lock_guard guard(mutex_);
    if (is_anything_captured()) {
      if (void* const event = captured_event_at(stream, ticket)) {
        events_.let_wait(waiter, event);  // from here on it is captured, too
        return;
      }
    }
    const Mark* const mark = mark_at(line_of(stream), ticket);
    if (!mark) return;
    // Captured work cannot wait for what is done: that is waited for here, once.
    if (!is_captured && events_.let_wait(waiter, mark->event)) return;
  }
  await(stream, ticket);
}

}  // namespace garboard
