// Streams of a device that does nothing before it must: work lies in its stream until somebody
// waits for it. Whoever forgets to wait, or hands memory out too early, gets wrong elements.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "csrc/device/device.h"

namespace garboard::shim {

/// Thread-safe; work runs one piece at a time, on whichever thread waits for it.
class LateStreams {
 public:
  using Number = std::uint64_t;  // of pieces of work, from 1
  using Pieces = std::vector<std::function<void()>>;

  /// The number of the piece.
  Number queue(Stream stream, std::function<void()> work) {
    const std::lock_guard guard(mutex_);
    Line& line = line_of(stream);
    if (line.capture) {
      line.capture->pieces.push_back(std::move(work));
      return line.given;
    }
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

  // Captures: pieces in the order they were given, on whichever stream of the capture.

  struct Capture {
    std::uint64_t number;
    Pieces pieces = {};
  };
  void begin_capture(Stream stream) {
    const std::lock_guard guard(mutex_);
    line_of(stream).capture = std::make_shared<Capture>(++captures_);
  }
  /// Of the stream and all that joined it.
  Pieces end_capture(Stream stream) {
    const std::lock_guard guard(mutex_);
    const std::shared_ptr<Capture> ended = line_of(stream).capture;
    for (auto& [key, line] : lines_)
      if (line.capture == ended) line.capture.reset();
    return std::move(ended->pieces);
  }
  /// 0: what the stream is given is done.
  std::uint64_t capture_of(Stream stream) {
    const std::lock_guard guard(mutex_);
    const Line& line = line_of(stream);
    return line.capture ? line.capture->number : 0;
  }
  /// Of any stream of the device.
  bool is_captured(Device device) {
    const std::lock_guard guard(mutex_);
    for (const auto& [key, line] : lines_)
      if (key.first == device.slot() && line.capture) return true;
    return false;
  }
  /// What `waiter` is given from now on is captured with what `stream` is given.
  void join(Stream waiter, Stream stream) {
    const std::lock_guard guard(mutex_);
    line_of(waiter).capture = line_of(stream).capture;
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
    std::shared_ptr<Capture> capture = {};
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
  std::uint64_t captures_ = 0;
};

}  // namespace garboard::shim
