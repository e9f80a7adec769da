// Streams that work when a test says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "csrc/device/timeline.h"

namespace garboard {

/// Work has no content here, only an order: the tickets of a stream count what it was given, and
/// waiting for another stream is work. Whoever waits on the host lets the device work.
/// Thread-safe.
class SimulatedTimeline final : public Timeline {
 public:
  /// Gives `stream` one more piece of work; the ticket behind it.
  Ticket submit(Stream stream);
  /// `stream` works until it has passed `ticket`, or comes to what must wait for another stream.
  void advance(Stream stream, Ticket ticket);
  /// All streams do all they were given.
  void finish();

  Ticket submitted(Stream stream) const;
  Ticket passed(Stream stream) const;
  /// Whether what `later` is given from now on begins after `stream` has passed `ticket`.
  bool is_before(Stream stream, Ticket ticket, Stream later) const;

  Ticket ticket(Stream stream) noexcept override;
  bool is_passed(Stream stream, Ticket ticket) noexcept override;
  void await(Stream stream, Ticket ticket) noexcept override;
  void let_wait(Stream waiter, Stream stream, Ticket ticket) noexcept override;

  // How often the allocator has asked.
  std::size_t event_count() const;  // tickets
  std::size_t query_count() const;
  std::size_t host_wait_count() const;

 private:
  using Handle = void*;
  struct Wait {
    Ticket from;  // the work behind it waits
    Handle stream;
    Ticket ticket;
  };
  struct Line {
    Ticket submitted = 0;
    Ticket passed = 0;
    std::vector<Wait> waits = {};
  };

  void work(Handle stream, Ticket ticket);
  static void pass(Line& line, Ticket ticket);
  bool orders(Handle stream, Ticket ticket, Handle later, Ticket from) const;

  mutable std::mutex lock_;
  std::map<Handle, Line> lines_;
  std::size_t event_count_ = 0;
  std::size_t query_count_ = 0;
  std::size_t host_wait_count_ = 0;
};

}  // namespace garboard
