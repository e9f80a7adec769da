// The streams of a CUDA device: tickets made of events.
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "csrc/device/cuda_library.h"
#include "csrc/memory/timeline.h"

namespace garboard {

/// An event is used again once it is passed: making one is dear. What the driver refuses is made
/// good by waiting for the stream.
class CudaTimeline final : public Timeline {
 public:
  CudaTimeline(const CudaEvents& events, int device) : events_(events), device_(device) {}

  Ticket ticket(Stream stream) noexcept override;
  bool is_passed(Stream stream, Ticket ticket) noexcept override;
  void await(Stream stream, Ticket ticket) noexcept override;
  void let_wait(Stream waiter, Stream stream, Ticket ticket) noexcept override;

 private:
  struct Mark {
    Ticket ticket;
    void* event;
  };
  struct Line {
    Ticket last = 0;
    Ticket passed = 0;
    std::deque<Mark> marks = {};  // not known to be passed, oldest first
  };

  // Called under the mutex.
  void* take_event() noexcept;
  static const Mark* mark_at(const Line& line, Ticket ticket) noexcept;
  void pass(Line& line, Ticket ticket) noexcept;

  const CudaEvents& events_;
  int device_;
  std::mutex mutex_;  // never held while waiting
  std::map<void*, Line> lines_;
  std::vector<void*> spare_events_;
};

}  // namespace garboard
