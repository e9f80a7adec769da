#include "csrc/device/streams.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "csrc/device/capture.h"
#include "csrc/device/stream_driver.h"
#include "csrc/device/stream_event.h"

namespace garboard {

constinit thread_local std::array<void*, max_devices> detail::current_handles{};

namespace {

/// Beyond so many of a device, one that still has work is lent again rather than one more made.
constexpr std::size_t most_made_for_idleness = 32;

struct ShelvedStream {
  Stream stream;
  int priority;
};
/// The streams of a device that nobody holds, the one given back first in front.
struct Shelf {
  std::vector<ShelvedStream> streams;  // with room for all that were made
  StreamCounts counts;
};

constinit std::mutex mutex;  // never held while the driver is asked

// Never destroyed: finalizers may give streams back when the process is leaving.
Shelf& shelf_of(Device device) {
  static auto& shelves = *new std::array<Shelf, max_devices>;
  return shelves[static_cast<std::size_t>(device.slot())];
}

constinit std::array<std::atomic<const StreamDriver*>, max_devices> drivers{};
constinit std::array<std::atomic<Timeline*>, max_devices> timelines{};

// Theirs go back when the thread ends.
thread_local std::array<Counted<LentStream>, max_devices> current_owners;
constinit thread_local std::array<int, device_kind_count> current_numbers{};

std::size_t place_of(Device device) { return static_cast<std::size_t>(device.slot()); }

std::optional<ShelvedStream> take_shelved(Device device, int priority) {
  const std::lock_guard guard(mutex);
  Shelf& shelf = shelf_of(device);
  const auto found = std::ranges::find(shelf.streams, priority, &ShelvedStream::priority);
  if (found == shelf.streams.end()) return std::nullopt;
  const ShelvedStream taken = *found;
  shelf.streams.erase(found);
  return taken;
}

void put_back(const ShelvedStream& shelved) noexcept {
  const std::lock_guard guard(mutex);
  shelf_of(shelved.stream.device).streams.push_back(shelved);
}

// One that has failed is as good as another: the device has.
bool is_done(const StreamDriver& driver, Stream stream) noexcept {
  try {
    return driver.is_idle(stream);
  } catch (const Error&) {
    return true;
  }
}

bool may_make_more(Device device) {
  const std::lock_guard guard(mutex);
  return shelf_of(device).counts.made < most_made_for_idleness;
}

std::optional<ShelvedStream> make_stream(const StreamDriver& driver, Device device, int priority) {
  {
    const std::lock_guard guard(mutex);
    Shelf& shelf = shelf_of(device);
    shelf.streams.reserve(++shelf.counts.made);
  }
  if (void* const handle = driver.make(device, priority))
    return ShelvedStream{{device, handle}, priority};
  const std::lock_guard guard(mutex);
  --shelf_of(device).counts.made;
  return std::nullopt;
}

}  // namespace

void register_streams(Device device, const StreamDriver& driver, Timeline& timeline) noexcept {
  timelines[place_of(device)].store(&timeline, std::memory_order_release);
  drivers[place_of(device)].store(&driver, std::memory_order_release);
}

const StreamDriver* stream_driver_of(Device device) noexcept {
  return drivers[place_of(device)].load(std::memory_order_acquire);
}

Timeline* timeline_of(Device device) noexcept {
  return timelines[place_of(device)].load(std::memory_order_acquire);
}

Counted<LentStream> lend_stream(Device device, int priority) {
  const StreamDriver* const driver = stream_driver_of(device);
  if (!driver)
    throw DeviceError(text("Stream: device ", device,
                           " has the default stream alone; one whose work is queued is needed"));
  const PriorityRange range = driver->priorities(device);
  priority = std::clamp(priority, range.greatest, range.least);
  std::optional<ShelvedStream> found = take_shelved(device, priority);
  if (found && !is_done(*driver, found->stream) && may_make_more(device)) {
    put_back(*std::exchange(found, std::nullopt));
  }
  if (!found) found = make_stream(*driver, device, priority);
  if (!found) found = take_shelved(device, priority);
  if (!found)
    throw DeviceError(text("Stream: device ", device, " gives no more; end one of ",
                           stream_counts(device).lent, " first"));
  Counted<LentStream> lent(new LentStream(found->stream, found->priority));
  const std::lock_guard guard(mutex);
  ++shelf_of(device).counts.lent;
  return lent;
}

void destroy(LentStream* lent) noexcept {
  put_back({lent->stream, lent->priority});
  {
    const std::lock_guard guard(mutex);
    --shelf_of(lent->stream.device).counts.lent;
  }
  delete lent;
}

StreamCounts stream_counts(Device device) noexcept {
  const std::lock_guard guard(mutex);
  return shelf_of(device).counts;
}

Counted<LentStream> current_lent_stream(Device device) noexcept {
  return current_owners[place_of(device)];
}

Counted<LentStream> set_current_stream(Device device, Counted<LentStream> lent) noexcept {
  detail::current_handles[place_of(device)] = lent ? lent->stream.handle : nullptr;
  return std::exchange(current_owners[place_of(device)], std::move(lent));
}

bool is_idle(Stream stream) {
  refuse_captured("query", stream);
  const StreamDriver* const driver = stream_driver_of(stream.device);
  return !driver || driver->is_idle(stream);
}

void synchronize(Stream stream) {
  refuse_captured("synchronize", stream);
  if (const StreamDriver* const driver = stream_driver_of(stream.device))
    driver->synchronize(stream);
}

void let_wait(Stream waiter, Stream stream) {
  if (waiter != stream) StreamPoint::at(stream).let_wait(waiter);
}

int current_device_number(DeviceKind kind) noexcept {
  return current_numbers[static_cast<std::size_t>(kind)];
}

void set_current_device_number(DeviceKind kind, int number) noexcept {
  current_numbers[static_cast<std::size_t>(kind)] = number;
}

}  // namespace garboard
