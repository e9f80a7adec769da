// Capturing: the work that a stream is given is written down instead of done, and later started as
// a whole, again and again, on the same memory.
#pragma once

#include <atomic>
#include <cstdint>

#include "csrc/device/device.h"

namespace garboard {

/// Of a capture, like no other's of the process; 0 is none.
using CaptureId = std::uint64_t;

namespace detail {
extern constinit std::atomic<int> captures_under_way;
CaptureId asked_capture_of(Stream stream) noexcept;
[[noreturn]] void refuse_captured_work(const char* op, Stream stream);
}  // namespace detail

/// Whether anything is captured, on any device.
inline bool is_anything_captured() noexcept {
  return detail::captures_under_way.load(std::memory_order_relaxed) > 0;
}

/// What takes the work that `stream` is given. A stream that was told to wait for captured work is
/// captured with it.
inline CaptureId capture_of(Stream stream) noexcept {
  if (!is_anything_captured()) [[likely]]
    return 0;
  return detail::asked_capture_of(stream);
}

/// Raises DeviceError in the name of `op`, which has to wait for `stream`, where its work is not
/// done but captured.
inline void refuse_captured(const char* op, Stream stream) {
  if (capture_of(stream) != 0) [[unlikely]]
    detail::refuse_captured_work(op, stream);
}
/// Likewise for what has to wait for all streams of a device.
void refuse_captured(const char* op, Device device);

/// Captures what this stream, no default one, is given from now on. Raises DeviceError.
CaptureId begin_capture(Stream stream);
/// What was captured, to be played and forgotten. Raises DeviceError where something was not to be
/// captured, or streams that joined have not been waited for: the stream works as before then, too.
void* end_capture(Stream stream);
/// Gives `stream` the work anew. Raises DeviceError.
void play_captured(void* captured, Stream stream);
/// What is being played is played to its end.
void forget_captured(Device device, void* captured) noexcept;

}  // namespace garboard
