#include "csrc/memory/cuda_timeline.h"

#include <algorithm>

namespace garboard {

void* CudaTimeline::take_event() noexcept {
  if (spare_events_.empty()) return events_.create(device_);
  void* const event = spare_events_.back();
  spare_events_.pop_back();
  return event;
}

// The first that lies at or behind `ticket`; null if that is passed.
const CudaTimeline::Mark* CudaTimeline::mark_at(const Line& line, Ticket ticket) noexcept {
  if (ticket <= line.passed) return nullptr;
  const auto found = std::ranges::lower_bound(line.marks, ticket, {}, &Mark::ticket);
  return found == line.marks.end() ? nullptr : &*found;
}

void CudaTimeline::pass(Line& line, Ticket ticket) noexcept {
  line.passed = std::max(line.passed, ticket);
  while (!line.marks.empty() && line.marks.front().ticket <= ticket) {
    spare_events_.push_back(line.marks.front().event);
    line.marks.pop_front();
  }
}

Ticket CudaTimeline::ticket(Stream stream) noexcept {
  Ticket here = 0;
  {
    const std::lock_guard guard(mutex_);
    Line& line = lines_[stream.handle];
    here = ++line.last;
    void* const event = take_event();
    if (event && events_.record(event, stream)) {
      line.marks.push_back({here, event});
      return here;
    }
    if (event) spare_events_.push_back(event);
  }
  events_.await_stream(stream);
  const std::lock_guard guard(mutex_);
  pass(lines_[stream.handle], here);
  return here;
}

bool CudaTimeline::is_passed(Stream stream, Ticket ticket) noexcept {
  const std::lock_guard guard(mutex_);
  Line& line = lines_[stream.handle];
  const Mark* const mark = mark_at(line, ticket);
  if (!mark) return true;
  if (!events_.is_passed(mark->event)) return false;
  pass(line, mark->ticket);
  return true;
}

// The event may be used again for a later mark meanwhile: then this waits for that one too. A
// device that is broken does no more work, so nothing can be waited for.
void CudaTimeline::await(Stream stream, Ticket ticket) noexcept {
  Mark mark;
  {
    const std::lock_guard guard(mutex_);
    const Mark* const found = mark_at(lines_[stream.handle], ticket);
    if (!found) return;
    mark = *found;
  }
  events_.await(mark.event);
  const std::lock_guard guard(mutex_);
  pass(lines_[stream.handle], mark.ticket);
}

void CudaTimeline::let_wait(Stream waiter, Stream stream, Ticket ticket) noexcept {
  {
    const std::lock_guard guard(mutex_);
    const Mark* const mark = mark_at(lines_[stream.handle], ticket);
    if (!mark || events_.let_wait(waiter, mark->event)) return;
  }
  await(stream, ticket);
}

}  // namespace garboard
