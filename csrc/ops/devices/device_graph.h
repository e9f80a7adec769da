// Work of a device that is captured once and played again and again, as a whole and on the same
// memory: what the host takes to queue it is one call.
#pragma once

#include <optional>

#include "csrc/device/capture.h"
#include "csrc/device/device.h"
#include "csrc/device/streams.h"
#include "csrc/memory/allocator/capture_pools.h"
#include "csrc/ops/random/captured_numbers.h"

namespace garboard {

/// A share of a pool that captured work gets its memory from.
class SharedCapturePool {
 public:
  SharedCapturePool() noexcept = default;
  /// A new one, or a share of one that somebody holds. Raises DeviceError where nobody does.
  explicit SharedCapturePool(Device device, CapturePool pool = 0);
  ~SharedCapturePool();
  SharedCapturePool(SharedCapturePool&& other) noexcept;
  SharedCapturePool& operator=(SharedCapturePool other) noexcept;

  Device device() const noexcept { return device_; }
  CapturePool number() const noexcept { return number_; }
  explicit operator bool() const noexcept { return number_ != 0; }

 private:
  Device device_;
  CapturePool number_ = 0;
};

/// Not thread-safe. Everything may raise DeviceError, and OutOfMemoryError.
class DeviceGraph {
 public:
  DeviceGraph() noexcept = default;
  DeviceGraph(const DeviceGraph&) = delete;
  DeviceGraph& operator=(const DeviceGraph&) = delete;
  ~DeviceGraph() { reset(); }

  bool is_capturing() const noexcept { return capture_ != 0; }
  bool is_captured() const noexcept { return captured_; }

  /// What the current stream of `device` is given from now on is captured; its memory comes from
  /// `pool`, or one of its own.
  void begin(Device device, CapturePool pool);
  /// Of the stream it began on, whichever is current. Without what could not be captured the graph
  /// is as new.
  void end();
  /// On the current stream, behind the last replay.
  void replay();
  /// Waits for what the streams were given that it was played on, and gives its memory up.
  void reset() noexcept;
  /// What its memory comes from, from the capture on.
  const SharedCapturePool& pool() const;

 private:
  void end_capture_routes() noexcept;

  Stream stream_;
  Counted<LentStream> lent_;  // keeps the stream while it is captured
  CaptureId capture_ = 0;
  void* captured_ = nullptr;
  SharedCapturePool pool_;
  std::optional<CapturedNumbers> numbers_;
  std::optional<Stream> played_on_;  // last
};

}  // namespace garboard
