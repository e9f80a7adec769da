// The streams of CUDA devices: tickets made of events.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "csrc/device/cuda_library.h"
#include "csrc/device/timeline.h"

namespace garboard {

/// An event is used again once it is passed: making one is dear. What the driver refuses is made
/// good by waiting for the stream. A point in captured work counts as passed as soon as nothing is
/// captured any more: whoever plays that work comes later.
class CudaTimeline final : public Timeline {
 public:
  explicit CudaTimeline(const CudaEvents& events) : events_(events) {}

  Ticket ticket(Stream stream) noexcept override;
  bool is_passed(Stream stream, Ticket ticket) noexcept override;
  void await(Stream stream, Ticket ticket) noexcept override;
  void let_wait(Stream waiter, Stream stream, Ticket ticket) noexcept override;

 private:
  struct Mark {
    Ticket ticket;
    void* event;
  };
  /// In captured work, which nobody but what is captured with it can wait for.
  struct CapturedMark {
    Stream stream;
    Mark mark;
  };
  /// Of one stream: every device has a default stream of its own.
  struct Line {
    Ticket last = 0;
    Ticket passed = 0;
    std::deque<Mark> marks = {};  // not known to be passed, oldest first
  };

  // Called under the mutex.
  Line& line_of(Stream stream) noexcept { return lines_[{stream.device.slot(), stream.handle}]; }
  std::vector<void*>& spare_events_of(Device device) noexcept {
    return spare_events_[static_cast<std::size_t>(device.slot())];
  }
  void* take_event(Device device) noexcept;
  static const Mark* mark_at(const Line& line, Ticket ticket) noexcept;
  void pass(Stream stream, Ticket ticket) noexcept;
  void pass_oldest(Stream stream) noexcept;
  Ticket captured_ticket(Stream stream) noexcept;
  void* captured_event_at(Stream stream, Ticket ticket) const noexcept;
  void end_captured_marks() noexcept;

  const CudaEvents& events_;
  std::mutex mutex_;  // never held while waiting
  std::map<std::pair<int, void*>, Line> lines_;
  std::array<std::vector<void*>, max_devices> spare_events_;  // an event serves one device
  std::vector<CapturedMark> captured_;                        // until nothing is captured any more
};

}  // namespace garboard
