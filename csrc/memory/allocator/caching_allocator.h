// Hands out the bytes of one device, and keeps what comes back for the next request.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "csrc/device/device.h"
#include "csrc/memory/allocator/allocation_ladder.h"
#include "csrc/memory/allocator/capture_pools.h"
#include "csrc/memory/allocator/grower.h"
#include "csrc/memory/allocator/mapper.h"
#include "csrc/memory/allocator/memory_hooks.h"
#include "csrc/memory/allocator/scratch_gate.h"
#include "csrc/memory/allocator/stream_sharing.h"
#include "csrc/memory/allocator/trimmer.h"
#include "csrc/memory/arena/arena.h"
#include "csrc/memory/heap/block.h"
#include "csrc/memory/heap/pool_counts.h"
#include "csrc/memory/policy/allocation_policy.h"
#include "csrc/memory/record/history.h"
#include "csrc/memory/record/memory_snapshot.h"
#include "csrc/memory/record/memory_stats.h"
#include "csrc/memory/record/out_of_memory_report.h"
#include "csrc/memory/sources/memory_source.h"

namespace garboard {

/// One for each device. A hit is constant-time pointer work under one lock, without a system call.
/// Everything slow (the source, callbacks, the garbage collector) runs without that lock, so any of
/// it may release blocks, and allocate: a nested request searches, grows and trims, no more.
///
/// Thread-safe. Blocks may be released on any thread.
class CachingAllocator {
 public:
  /// `source` outlives the allocator.
  explicit CachingAllocator(MemorySource& source, const AllocationPolicy& policy = {});
  /// Returns all segments; no block may be live.
  ~CachingAllocator();
  CachingAllocator(const CachingAllocator&) = delete;
  CachingAllocator& operator=(const CachingAllocator&) = delete;

  /// At least `bytes` for work on `stream`, uninitialised, aligned to the source's quantum (64 or
  /// more), above 256 KiB to a page. Null for 0 bytes.
  ///
  /// Looks for them in the cache, in new memory, in the free memory of other sizes and of other
  /// streams, and again after each reclaim callback, after each wait for a stream that still uses
  /// released blocks (oldest first), after each generation of garbage (youngest first), and after
  /// all that is free has been returned. Then it raises OutOfMemoryError, whose report says why.
  /// What a callback throws passes through.
  Block* allocate(std::size_t bytes, Stream stream);
  /// Work that `stream` is given until the release of `block` may use it too. The block is handed
  /// out again only when that stream has done it. Null is fine, and so is the stream it was asked
  /// for on. Throws std::bad_alloc.
  void used_on(Block* block, Stream stream);
  /// Takes `block` back; null is fine. Work queued before, on its stream and on those it was noted
  /// to be used on, may still use it.
  void release(Block* block) noexcept;

  /// Counts bytes that live elsewhere, beside a storage, as if they were a block's. Never refuses.
  /// They are recorded where it is said where they lie.
  void book(std::size_t bytes, const void* payload = nullptr) noexcept {
    books().add(bytes);
    if (arena_.recorder().is_on()) [[unlikely]]
      record_booking(HistoryAction::alloc, bytes, payload);
  }
  void unbook(std::size_t bytes, const void* payload = nullptr) noexcept {
    if (arena_.recorder().is_on()) [[unlikely]]
      record_booking(HistoryAction::free, bytes, payload);
    books().subtract(bytes);
  }
  /// Counts memory that is not ours, outside the limit.
  void book_foreign(std::size_t bytes) noexcept { books().add_foreign(bytes); }
  void unbook_foreign(std::size_t bytes) noexcept { books().subtract_foreign(bytes); }

  /// What kernels take from elsewhere for the time that they run.
  ScratchGate& scratch_gate() noexcept { return scratch_gate_; }
  /// Where captured work gets its memory.
  CapturePools& capture_pools() noexcept { return capture_pools_; }

  /// Returns all free memory to the source, except what is no whole granule; waits for the streams
  /// that still use released blocks. Says how many bytes that were.
  std::size_t empty_cache() noexcept;

  /// The most that segments and booked bytes may come to, from now on; none takes it off. What is
  /// cached beyond it is returned before this does. One below what is live is accepted: nothing is
  /// torn down, but every request that would take live bytes beyond the limit fails, whether the
  /// cache has room or not, and what is released meanwhile is returned as well: at once, or before
  /// the next request where that would have to wait for streams.
  void set_limit(std::optional<std::size_t> bytes,
                 LimitOrigin origin = LimitOrigin::program) noexcept;
  std::optional<std::size_t> limit() const noexcept {
    return arena_.locked([&] { return arena_.accounts().limit(); });
  }
  LimitOrigin limit_origin() const noexcept {
    return arena_.locked([&] { return arena_.accounts().limit_origin(); });
  }

  MemoryStats stats() const;
  /// Walks all blocks.
  CountsByPool counts_by_pool() const noexcept {
    return arena_.locked([&] { return arena_.heap().counts_by_pool(); });
  }
  /// What is live and reserved now becomes the peak.
  void reset_peaks() noexcept;
  /// What has been allocated and freed is counted from now on.
  void reset_accumulated() noexcept {
    arena_.locked([&] { arena_.heap().counts().reset_accumulated(); });
  }

  /// Called with the bytes wanted when memory runs out; may release blocks. The number returned
  /// takes it off again.
  int add_reclaim_callback(MemoryHooks::Reclaim callback);
  void remove_reclaim_callback(int number);
  /// Collects garbage of one generation, 0 to 2. Asked when memory runs out, and when it gets
  /// short, then in a small share of the time: see Pressure. Empty takes it off.
  void set_garbage_collector(MemoryHooks::Collect collect);
  /// Says who holds the live bytes, for the report of an OutOfMemoryError.
  void set_holders_report(MemoryHooks::Holders holders);

  /// Forgets what was recorded, and records the latest `most_entries` events from now on. Where it
  /// is off it costs a hit one predictable branch. Throws std::bad_alloc.
  void record_history(HistoryLevel level, std::size_t most_entries);
  HistoryLevel history_level() const noexcept { return arena_.recorder().level(); }
  /// All segments and blocks of this moment, and the recorded events up to it.
  MemorySnapshot snapshot();

  const MemorySource& source() const noexcept { return mapper_.source(); }

  /// The first broken invariant of the heap, or nothing. For tests: it walks all blocks.
  std::string fault() const;

  /// A fork copies one thread and every lock: it must happen while this one is ours.
  void before_fork() noexcept { arena_.lock(); }
  void after_fork_in_parent() noexcept { arena_.unlock(); }
  void after_fork_in_child() noexcept;

 private:
  Books& books() noexcept { return arena_.accounts().books(); }
  Block* allocate_for_anyone(std::size_t bytes, Stream stream);
  Block* allocate_attentively(std::size_t bytes, Stream stream);
  void release_attentively(Block& block) noexcept;
  void record_booking(HistoryAction action, std::size_t bytes, const void* payload) noexcept;

  // Each knows those above it alone, and takes the arena's lock for single steps.
  mutable Arena arena_;
  Mapper mapper_;
  Trimmer trimmer_{arena_, mapper_};
  ScratchGate scratch_gate_{arena_, trimmer_};
  StreamSharing sharing_;
  CapturePools capture_pools_{arena_, sharing_};
  Grower grower_;
  HookBoard hooks_{arena_};
  AllocationLadder ladder_;
};

}  // namespace garboard
