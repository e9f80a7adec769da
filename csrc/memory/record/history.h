// What has happened to the memory of one device: a ring of plain entries that keeps the latest.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "csrc/core/ticks.h"

namespace garboard {

/// How much is asked about whoever wants memory.
enum class HistoryLevel : std::uint8_t {
  off,    // nothing is recorded
  site,   // the line of the user's program
  stack,  // all lines that led there
};

/// As PyTorch's memory snapshots name them, and `free` for two that follow each other at once.
enum class HistoryAction : std::uint8_t {
  alloc,
  free,            // requested and completed
  free_requested,  // its user is done with it
  free_completed,  // it can be handed out again
  segment_alloc,
  segment_free,
  segment_map,
  segment_unmap,
  oom,
  snapshot,
};

inline constexpr bool is_of_a_block(HistoryAction action) noexcept {
  return action <= HistoryAction::free_completed;
}

/// Who wants memory, in numbers that the floors above gave and can read. 0: nobody knows.
struct Origin {
  std::uint32_t caller = 0;
  std::uint32_t tag = 0;
  std::uint32_t thread = 0;
};

/// Owns nothing, points nowhere: 48 bytes.
struct HistoryEntry {
  std::uint64_t address = 0;  // of `oom`: the bytes the device had left
  std::uint64_t bytes = 0;    // as they were requested; of a segment all
  std::uint64_t ticks = 0;    // see csrc/core/ticks.h; in the ring 0 where the clock was not read
  Origin origin = {};         // of a free block: who had asked for it, and who let go
  HistoryAction action = HistoryAction::snapshot;
  bool is_booked = false;    // the bytes lie inside a storage, in no segment
  std::uint64_t stream = 0;  // the driver's handle; 0: the default one
};
static_assert(sizeof(HistoryEntry) == 48);

/// Says who is asking, on the calling thread. `off` asks for the thread alone. It may enter Python.
using OriginSource = Origin (*)(HistoryLevel) noexcept;

/// Not thread-safe, `level` apart: its allocator locks. What needs the system, or the floors above,
/// is done without the lock: rings are made before and ended after it, origins are asked before.
class History {
 public:
  /// The entries, and how many were ever written.
  struct Ring {
    Ring() = default;
    /// Pages nobody has written cost nothing. Throws std::bad_alloc.
    explicit Ring(std::size_t most_entries);

    std::unique_ptr<HistoryEntry[], void (*)(HistoryEntry*)> entries{nullptr, nullptr};
    std::size_t most_entries = 0;
    std::size_t next = 0;  // where the next one goes
    std::uint64_t written = 0;
  };

  bool is_on() const noexcept { return level() != HistoryLevel::off; }
  HistoryLevel level() const noexcept { return level_.load(std::memory_order_relaxed); }

  /// Goes on at `level` with an empty ring; `ring` becomes the old one.
  void restart(HistoryLevel level, Ring& ring) noexcept;
  /// Forgets all entries.
  void clear() noexcept { ring_.next = ring_.written = 0; }

  /// Reading the clock is a good part of what an event costs, and where events are many they are
  /// small: of blocks up to so many bytes every fourth event has it read.
  static constexpr std::uint64_t most_untimed_bytes = 4096;

  /// Stamps the entry with the time, now or when it is copied. Overwrites the oldest one where the
  /// ring is full. Written field by field into its place: a copy of what has just been put together
  /// would wait for it.
  void record(const HistoryEntry& entry) noexcept {
    if (ring_.most_entries == 0) return;
    HistoryEntry& place = ring_.entries[ring_.next];
    __builtin_prefetch(&place + 8, 1);  // the ring is larger than the caches; past its end harmless
    place.address = entry.address;
    place.bytes = entry.bytes;
    const bool is_small = entry.bytes <= most_untimed_bytes && is_of_a_block(entry.action);
    place.ticks = is_small && ring_.written % 4 != 0 ? 0 : ticks_now();
    place.origin.caller = entry.origin.caller;
    place.origin.tag = entry.origin.tag;
    place.origin.thread = entry.origin.thread;
    place.action = entry.action;
    place.is_booked = entry.is_booked;
    place.stream = entry.stream;
    ++ring_.written;
    if (++ring_.next == ring_.most_entries) ring_.next = 0;
  }

  /// How many entries there are, and how many more have been overwritten.
  std::size_t size() const noexcept;
  std::uint64_t lost_count() const noexcept { return ring_.written - size(); }
  /// Copies them, oldest first, to `to`, which has room for `size()`. Those whose time was not read
  /// are told one between their neighbours'.
  void copy(HistoryEntry* to) const noexcept;

  /// Set by the floor that knows the program, for all devices; null: nobody knows. It is called
  /// without any lock of ours.
  static void set_origin_source(OriginSource source) noexcept { origin_source_ = source; }
  static Origin ask(HistoryLevel level) noexcept {
    const OriginSource source = origin_source_.load(std::memory_order_acquire);
    return source ? source(level) : Origin{};
  }

 private:
  static constinit std::atomic<OriginSource> origin_source_;

  std::atomic<HistoryLevel> level_{HistoryLevel::off};
  Ring ring_;
};

inline constinit std::atomic<OriginSource> History::origin_source_{nullptr};

}  // namespace garboard
