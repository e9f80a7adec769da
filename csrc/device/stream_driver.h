// What a kind of device knows of streams beside the default one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "csrc/device/device.h"

namespace garboard {

/// Of two streams the one with the smaller number goes first.
struct PriorityRange {
  int least = 0;
  int greatest = 0;
};

/// How a driver captures the work of streams: see capture.h. All are thread-safe.
struct CaptureDriver {
  /// Raises DeviceError.
  void (*begin)(Stream stream);
  /// Raises DeviceError; the capture is over then, too.
  void* (*end)(Stream stream);
  /// Its number; 0 where the stream's work is done, and where the capture is broken.
  std::uint64_t (*capture_of)(Stream stream) noexcept;
  /// Raises DeviceError.
  void (*play)(void* captured, Stream stream);
  void (*forget)(Device device, void* captured) noexcept;
};

/// Plain functions, filled once; all are thread-safe.
struct StreamDriver {
  /// A stream for good: it is lent again and again. Null where the device refuses.
  void* (*make)(Device device, int priority) noexcept;
  PriorityRange (*priorities)(Device device) noexcept;
  /// Whether all it was given is done. Raises DeviceError if some of it failed.
  bool (*is_idle)(Stream stream);
  /// Waits until it is. Raises likewise.
  void (*synchronize)(Stream stream);
  /// Between its device and pinned memory: the copy is queued, and the call returns. Raises
  /// DeviceError.
  void (*copy)(void* to, const void* from, std::size_t bytes, Stream stream);

  // Points in time, which a stream passes. They end while work that passes them is queued, too.

  /// Null where the device refuses.
  void* (*make_time_mark)(Device device) noexcept;
  void (*end_time_mark)(Device device, void* mark) noexcept;
  /// Raises DeviceError.
  void (*record_time_mark)(void* mark, Stream stream);
  /// Between two that have been passed. Raises DeviceError.
  double (*elapsed_ms)(void* first, void* last);

  const CaptureDriver* captures = nullptr;  // null: work is done, never captured
};

}  // namespace garboard
