// The figures of the allocator that were fitted to programs, in one place.
//
// To fit them anew, `./run bench allocator` plays the recorded programs and MiniMalloc's sets: the
// most that was mapped and the smallest device, over the most that was live, and what was moved for
// it. Change one figure at a time, double and half, and keep the change where no program needs more
// than 1.05 and none moves in its last quarter what it did not before. The models that a figure
// lost against stand in docs/design/0007. On a device whose calls have another price, record a
// program there first (tests/bench/traces/README.md) and time its map and unmap: what is moved
// costs a call each way, and waits for the device's work. What is no fit, but a law of the heap
// (the size of a page, what counts as small), stands in heap.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "csrc/core/bytes.h"
#include "csrc/device/backend.h"

namespace garboard {

/// When memory that lies free is moved to where it is wanted: see Thrift.
struct MovingPolicy {
  /// Off, free memory stays where it is until a limit is reached or the device has no more.
  bool is_on = true;
  /// The share of what was ever live that may lie free, and how much it rises each time as much has
  /// been moved as was ever live.
  double slack = 0.03;
  double slack_per_turn = 0.02;
  /// After so many times nothing is moved any more.
  double most_turns = 2;
  /// Nor once it has been in vain: while so many times what was ever live was handed out, so much
  /// of it was moved. A program that comes to rest moves less.
  double window_turns = 4;
  double vain_turns = 0.35;
  /// A smaller slack is not worth a call.
  std::size_t least_granules = 16;
};

/// How much more than a request needs is asked for: see Grower.
struct GrowthPolicy {
  /// A growth takes this share of what its pool has: a bit more than it needs, seldom.
  std::size_t chunk_share = 64;
  std::size_t largest_chunk_bytes = 32_MiB;
  /// Nothing more than is needed once this share of the limit is taken, and no large handles.
  double comfortable_share = 0.8;
  /// Where there are no ranges, small requests share a segment, and so do larger ones of less than
  /// a roomy one: 2 MiB for each would tear the memory into pieces that cannot merge.
  std::size_t small_segment_bytes = 2_MiB;
  std::size_t roomy_segment_bytes = 32_MiB;
};

/// When garbage is looked for before memory runs out: see Pressure.
struct CollectionPolicy {
  /// From this share of the limit on memory is short.
  double short_from = 0.75;
  /// And from this on it is worth a look at old objects.
  double urgent_from = 0.9;
  /// The most of the time that collecting may take. It is doubled when the last collection freed
  /// `rich_share` of the limit, when memory is urgently short, and at `dire_from`.
  double time_share = 0.05;
  double rich_share = 0.1;
  double dire_from = 0.95;
  /// What has come since the last collection, and could be garbage, is at least this share.
  double candidate_share = 0.05;
  /// How much a collection's cost counts beside what the earlier ones have cost.
  double news_share = 0.25;
};

/// Given to an allocator when it is made.
struct AllocationPolicy {
  MovingPolicy moving;
  GrowthPolicy growth;
  CollectionPolicy collection;
  /// While blocks are pending, so many allocations have one look at the oldest of them.
  std::uint32_t allocations_per_look = 64;

  /// The one for `device`.
  static AllocationPolicy of(Device device) noexcept {
    AllocationPolicy policy;
    policy.moving.is_on = backend_of(device).moves_memory;
    return policy;
  }
};

}  // namespace garboard
