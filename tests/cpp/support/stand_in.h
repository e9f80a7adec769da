// A second backend for tests: what a device's own folder has. Its memory is its own, and elements
// are computed by the CPU's kernels, which can reach it. Its streams do what a test gives them,
// when the test says so.
#pragma once

#include <cstring>
#include <map>

#include "csrc/core/bytes.h"
#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "csrc/device/backend.h"
#include "csrc/device/capture.h"
#include "csrc/device/stream_driver.h"
#include "csrc/device/streams.h"
#include "csrc/memory/allocator/allocators.h"
#include "csrc/memory/sources/simulated_source.h"
#include "kernels/table.h"

namespace garboard::stand_in {

inline int synchronized = 0;                        // how often
inline const kernels::Table& (*table)() = nullptr;  // instead of the CPU's

inline void require(const char* op, Device device) {
  if (device.number > 0)
    throw DeviceError(text(op, ": device ", device, "; there is one, numbered 0"));
}

inline SimulatedSource& source() {
  static auto& once =
      *new SimulatedSource({.capacity_bytes = 64_MiB, .name = "standin:0", .has_streams = true});
  return once;
}
inline SimulatedTimeline& streams() { return source().streams(); }

inline std::size_t most_streams = 64;  // that the driver gives
inline std::size_t streams_made = 0;
inline int time_marks = 0;  // that live

struct TimeMark {
  Stream stream;
  Ticket ticket = 0;  // one piece of work takes a millisecond
};

/// Whose work is captured, and as what; a test may let others join.
inline std::map<void*, CaptureId> captured;
inline CaptureId last_capture = 0;
inline int played = 0;

inline const CaptureDriver captures{
    .begin = [](Stream it) { captured[it.handle] = ++last_capture; },
    .end = [](Stream it) -> void* {
      const CaptureId ended = captured[it.handle];
      std::erase_if(captured, [&](const auto& one) { return one.second == ended; });
      return &last_capture;
    },
    .capture_of =
        [](Stream it) noexcept {
          const auto found = captured.find(it.handle);
          return found == captured.end() ? 0 : found->second;
        },
    .play = [](void*, Stream it) { ++played, streams().submit(it); },
    .forget = [](Device, void*) noexcept {},
};

inline const StreamDriver driver{
    .make = [](Device, int) noexcept -> void* {
      return streams_made == most_streams ? nullptr : reinterpret_cast<void*>(++streams_made);
    },
    .priorities = [](Device) noexcept { return PriorityRange{.least = 0, .greatest = -2}; },
    .is_idle = [](Stream it) { return streams().passed(it) == streams().submitted(it); },
    .synchronize = [](Stream it) { streams().await(it, streams().submitted(it)); },
    .copy =
        [](void* to, const void* from, std::size_t bytes, Stream it) {
          std::memcpy(to, from, bytes);
          streams().submit(it);
        },
    .make_time_mark = [](Device) noexcept -> void* { return ++time_marks, new TimeMark; },
    .end_time_mark =
        [](Device, void* mark) noexcept {
          --time_marks;
          delete static_cast<TimeMark*>(mark);
        },
    .record_time_mark =
        [](void* mark, Stream stream) {
          *static_cast<TimeMark*>(mark) = {stream, streams().submitted(stream)};
        },
    .elapsed_ms =
        [](void* first, void* last) {
          return static_cast<double>(static_cast<TimeMark*>(last)->ticket) -
                 static_cast<double>(static_cast<TimeMark*>(first)->ticket);
        },
    .captures = &captures,
};

inline constexpr Backend backend{
    .require = require,
    .synchronize = [](Device) { ++synchronized; },
    .table = []() -> const kernels::Table& { return table ? table() : kernels::cpu_table(); },
};

/// The device, which is there from the first call on.
inline Device device() {
  static const Device first = [] {
    const Device it = Device::of(add_backend("standin", backend), 0);  // the one line
    register_source(it, &source());
    register_streams(it, driver, streams());
    return it;
  }();
  return first;
}

}  // namespace garboard::stand_in
