// Points in the work of streams, to wait for and to measure between.
#pragma once

#include <optional>

#include "csrc/device/capture.h"
#include "csrc/device/device.h"
#include "csrc/device/timeline.h"

namespace garboard {

/// Behind all that a stream had been given.
struct StreamPoint {
  Stream stream;
  Ticket ticket = 0;
  CaptureId capture = 0;  // whose work it lies in: nobody but that passes it

  static StreamPoint at(Stream stream);
  /// Never waits. Raises DeviceError for a point in captured work; so does the next one.
  bool is_passed() const;
  void await() const;
  /// Work that `waiter` is given from now on begins after it, on whichever device.
  void let_wait(Stream waiter) const;

 private:
  void refuse_captured(const char* op) const;
};

/// Not thread-safe.
class StreamEvent {
 public:
  explicit StreamEvent(bool is_timed = false) noexcept : is_timed_(is_timed) {}
  ~StreamEvent();
  StreamEvent(const StreamEvent&) = delete;
  StreamEvent& operator=(const StreamEvent&) = delete;

  bool is_timed() const noexcept { return is_timed_; }
  /// Where it was recorded last; nothing where it never was.
  const std::optional<StreamPoint>& point() const noexcept { return point_; }
  /// Moves it behind what `stream` has been given until now. Raises DeviceError for a stream of
  /// another device than the first.
  void record(Stream stream);
  /// From here to `end`: both are timed, recorded and passed, or DeviceError is raised.
  double elapsed_ms(const StreamEvent& end) const;

 private:
  void* require_time(const char* which) const;

  std::optional<StreamPoint> point_;
  void* time_mark_ = nullptr;
  bool is_timed_;
};

}  // namespace garboard
