// Why a request failed and what would help, worked out from plain facts.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "csrc/memory/record/holders.h"
#include "csrc/memory/record/memory_stats.h"

namespace garboard {

/// What one rung of the ladder did for a request.
struct RungFacts {
  std::string_view name;
  std::size_t freed_bytes = 0;
  double ms = 0;
};

/// Who decided what the limit is.
enum class LimitOrigin {
  program,        // set_limit
  machine,        // a share of its memory
  control_group,  // a share of what this process's group may use
};

/// All that is known when a request fails. Bytes, if not said otherwise.
struct OutOfMemoryFacts {
  std::string device;
  std::size_t requested = 0;
  std::size_t segment = 0;  // what the source would have had to give for it
  std::optional<std::size_t> limit;
  LimitOrigin limit_origin = LimitOrigin::program;
  std::size_t capacity = 0;                // of the device
  MemoryStats stats;                       // after all that was tried
  std::size_t largest_free_before = 0;     // when the cache and growing had failed
  std::size_t garbage = 0;                 // freed by collecting it
  std::optional<std::size_t> device_free;  // what the device says it could still give
  bool is_nested = false;  // made by a callback or a finalizer while another request was failing
  std::vector<RungFacts> rungs;
  HoldersReport holders;
};

/// All that is known when a kernel's scratch has no room, on whatever thread. Bytes.
struct ScratchRefusal {
  std::size_t requested = 0;
  std::size_t live = 0;
  std::size_t scratch = 0;  // that others have
  std::size_t limit = 0;

  /// How far it all goes beyond the limit.
  std::size_t excess() const noexcept {
    const std::size_t all = live + scratch + requested;
    return all > limit ? all - limit : 0;
  }
};

enum class Verdict {
  absurd,      // no device holds so much
  too_big,     // would not fit if nothing else were live
  host_cap,    // the device could hold it, the limit that nobody has set does not
  pending,     // enough would be free, but streams still use it
  cycles,      // live bytes leave no room, though cycles have been collected
  taken,       // live bytes leave no room
  fragmented,  // enough is free, but not in one piece
  foreign,     // somebody else has the device, though the limit has room
  refused,     // the device does not give what it has
};

Verdict verdict_of(const OutOfMemoryFacts& facts);

/// What the error says, one line: `allocate: 400.0 MiB asked on cpu, 912.0 MiB of the limit of
/// 1.0 GiB are live; ...`, with the smallest action that helps: where something has to be disposed,
/// the smallest holder that suffices and the largest are named.
std::string message_of(const OutOfMemoryFacts& facts);

std::string message_of(const ScratchRefusal& facts);
std::string report_of(const ScratchRefusal& facts);

/// The message, the verdict, every figure, what each rung freed, and who holds the rest.
std::string report_of(const OutOfMemoryFacts& facts);

}  // namespace garboard
