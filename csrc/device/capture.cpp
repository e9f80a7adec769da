#include "csrc/device/capture.h"

#include <array>

#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "csrc/device/stream_driver.h"
#include "csrc/device/streams.h"

namespace garboard {

constinit std::atomic<int> detail::captures_under_way{0};

namespace {

constinit std::array<std::atomic<int>, max_devices> captures_of_devices{};

std::atomic<int>& captures_of(Device device) {
  return captures_of_devices[static_cast<std::size_t>(device.slot())];
}

const CaptureDriver* driver_of(Device device) noexcept {
  const StreamDriver* const streams = stream_driver_of(device);
  return streams ? streams->captures : nullptr;
}

}  // namespace

CaptureId detail::asked_capture_of(Stream stream) noexcept {
  const CaptureDriver* const driver = driver_of(stream.device);
  return driver ? driver->capture_of(stream) : 0;
}

void detail::refuse_captured_work(const char* op, Stream stream) {
  throw DeviceError(text(op, ": it waits for a stream of ", stream.device,
                         " whose work is captured, and so not done; call it before the capture or "
                         "behind it"));
}

void refuse_captured(const char* op, Device device) {
  if (captures_of(device).load(std::memory_order_relaxed) > 0)
    throw DeviceError(text(op, ": it waits for all work of ", device,
                           ", some of which is captured, and so not done; call it before the "
                           "capture or behind it"));
}

CaptureId begin_capture(Stream stream) {
  const CaptureDriver* const driver = driver_of(stream.device);
  if (!driver)
    throw DeviceError(text("capture_begin: device ", stream.device, " captures no work"));
  if (!stream.handle)
    throw DeviceError(
        "capture_begin: the default stream is current, whose work cannot be captured; make "
        "another one current first");
  if (capture_of(stream) != 0)
    throw DeviceError("capture_begin: the current stream is being captured already");
  driver->begin(stream);
  // Before anybody asks: what is captured is known by its number from here on.
  ++captures_of(stream.device);
  ++detail::captures_under_way;
  return capture_of(stream);
}

void* end_capture(Stream stream) {
  struct Ended {
    Device device;
    ~Ended() {
      --captures_of(device);
      --detail::captures_under_way;
    }
  } const ended{stream.device};
  return driver_of(stream.device)->end(stream);
}

void play_captured(void* captured, Stream stream) {
  driver_of(stream.device)->play(captured, stream);
}

void forget_captured(Device device, void* captured) noexcept {
  driver_of(device)->forget(device, captured);
}

}  // namespace garboard
