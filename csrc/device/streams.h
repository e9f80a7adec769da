// The streams that programs make, and which of them the work of a thread goes to.
#pragma once

#include <array>
#include <cstddef>

#include "csrc/core/counted.h"
#include "csrc/device/device.h"

namespace garboard {

struct StreamDriver;
class Timeline;

/// Says what `device` can do with streams, and the order of the work on them; both outlive
/// everything. Where it is not said, there is the default stream alone, and work is done when its
/// call returns.
void register_streams(Device device, const StreamDriver& driver, Timeline& timeline) noexcept;
/// Null where there is the default stream alone; so is the other one.
const StreamDriver* stream_driver_of(Device device) noexcept;
Timeline* timeline_of(Device device) noexcept;

/// A stream beside the default one, shared by all who hold it. With the last share it goes back,
/// and is lent again: its next owner's work comes after what it still has to do, and what an
/// allocator remembers of a stream never turns false.
class LentStream final : public RefCounted {
 public:
  LentStream(Stream stream, int priority) noexcept : stream(stream), priority(priority) {}

  const Stream stream;
  const int priority;
};

void destroy(LentStream* lent) noexcept;

/// `priority`: the smaller goes first; beyond what the device has, the nearest. Raises DeviceError
/// where the device has the default stream alone, or gives no more.
Counted<LentStream> lend_stream(Device device, int priority);

/// Of one device: streams that somebody holds, and all that its driver made.
struct StreamCounts {
  std::size_t lent = 0;
  std::size_t made = 0;
};
StreamCounts stream_counts(Device device) noexcept;

/// Whom this thread's current streams belong to; empty: the default stream.
Counted<LentStream> current_lent_stream(Device device) noexcept;
/// From now on the work that this thread gives to `device` goes to `lent`, a stream of it; empty
/// is the default stream. Returns the one before.
Counted<LentStream> set_current_stream(Device device, Counted<LentStream> lent) noexcept;

namespace detail {
/// By slot: what `current_lent_stream` stands for.
extern constinit thread_local std::array<void*, max_devices> current_handles;
}  // namespace detail

/// Where the work goes that this thread gives to `device`: kernels, copies, and memory for them.
[[gnu::always_inline]] inline Stream current_stream(Device device) noexcept {
  if (device.is_cpu()) [[likely]]
    return {};
  return {device, detail::current_handles[static_cast<std::size_t>(device.slot())]};
}

/// Whether all work of a stream is done. Raises DeviceError if some of it failed.
bool is_idle(Stream stream);
/// Waits until it is; of the stream alone. Raises DeviceError likewise.
void synchronize(Stream stream);
/// Work that `waiter` is given from now on begins after all that `stream` was given until now. The
/// caller does not wait.
void let_wait(Stream waiter, Stream stream);

/// The device that a kind's name means without a number, on this thread.
int current_device_number(DeviceKind kind) noexcept;
/// Whether there is such a device is the caller's to ask.
void set_current_device_number(DeviceKind kind, int number) noexcept;

}  // namespace garboard
