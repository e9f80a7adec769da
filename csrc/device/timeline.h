// The order of work on the streams of one device.
#pragma once

#include <cstdint>

#include "csrc/device/device.h"

namespace garboard {

/// A point in the work of one stream, never smaller than one that lies before it; 0 lies before all
/// work. Never goes stale.
using Ticket = std::uint64_t;

/// What an allocator has to know of the streams of its device. Thread-safe, and called without the
/// allocator's lock. What the driver refuses is made good by waiting.
class Timeline {
 public:
  virtual ~Timeline() = default;

  /// The point behind all work that `stream` has been given until now. Costs an event.
  virtual Ticket ticket(Stream stream) noexcept = 0;
  /// Whether `stream` has done all work before that point. Never waits.
  virtual bool is_passed(Stream stream, Ticket ticket) noexcept = 0;
  /// Waits until it has.
  virtual void await(Stream stream, Ticket ticket) noexcept = 0;
  /// Work that `waiter` is given from now on begins after that; the caller does not wait.
  virtual void let_wait(Stream waiter, Stream stream, Ticket ticket) noexcept = 0;
};

}  // namespace garboard
