// Streams of a device that does nothing before it must: work lies in its stream until somebody
// waits for it. Whoever forgets to wait, or hands memory out too early, gets wrong elements.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "csrc/device/device.h"

namespace garboard::shim {

/// Thread-safe; work runs one piece at a time, on whichever thread waits for it.
class LateStreams {
 public:
  using Number = std::uint64_t;  // of pieces of work, from 1

  /// The number of the piece.
  Number queue(Stream stream, std::function<void()> work) {
    const std::lock_guard guard(mutex_);
    Line& line = line_of(stream);
    line.pieces.push_back(std::move(work));
    return ++line.given;
  }
  Number given(Stream stream) {
    const std::lock_guard guard(mutex_);
    return line_of(stream).given;
  }
  /// Whether that piece, and so all before it, is done. Who asks often enough is told so: each time
  /// the device does one piece more.
  bool is_done(Stream stream, Number number) {
    const std::lock_guard guard(mutex_);
    Line& line = line_of(stream);
    const bool was_done = line.done >= number;
    if (!was_done) work(stream, line.done + 1);
    return was_done;
  }
  void await(Stream stream, Number number) {
    const std::lock_guard guard(mutex_);
    work(stream, number);
  }
  void await_all(Stream stream) { await(stream, given(stream)); }
  /// All streams of the device.
  void await_all(Device device) {
    const std::lock_guard guard(mutex_);
    for (auto& [key, line] : lines_)
      if (key.first == device.slot()) work({device, key.second}, line.given);
  }
  /// Work that `waiter` is given from now on begins after that piece.
  void let_wait(Stream waiter, Stream stream, Number number) {
    queue(waiter, [this, stream, number] { work(stream, number); });
  }

 private:
  struct Line {
    Number given = 0;
    Number done = 0;
    std::deque<std::function<void()>> pieces = {};
  };

  Line& line_of(Stream stream) { return lines_[{stream.device.slot(), stream.handle}]; }

  // Nothing can be told to wait for what comes later, so this ends.
  void work(Stream stream, Number number) {
    Line& line = line_of(stream);
    while (line.done < number) {
      const std::function<void()> piece = std::move(line.pieces.front());
      line.pieces.pop_front();
      piece();
      ++line.done;
    }
  }

  std::recursive_mutex mutex_;  // what waits for another stream does that stream's work
  std::map<std::pair<int, void*>, Line> lines_;
};

}  // namespace garboard::shim
