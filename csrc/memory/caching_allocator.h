// Hands out the bytes of one device, and keeps what comes back for the next request.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "csrc/core/spin_lock.h"
#include "csrc/device/device.h"
#include "csrc/memory/block.h"
#include "csrc/memory/books.h"
#include "csrc/memory/heap.h"
#include "csrc/memory/history.h"
#include "csrc/memory/memory_hooks.h"
#include "csrc/memory/memory_snapshot.h"
#include "csrc/memory/memory_source.h"
#include "csrc/memory/memory_stats.h"
#include "csrc/memory/out_of_memory_report.h"
#include "csrc/memory/pool_counts.h"
#include "csrc/memory/pressure.h"
#include "csrc/memory/source_calls.h"
#include "csrc/memory/thrift.h"

namespace garboard {

/// One for each device. A hit is constant-time pointer work under one lock, without a system call.
/// Everything slow (the source, callbacks, the garbage collector) runs without that lock, so any of
/// it may release blocks, and allocate: a nested request searches, grows and trims, no more.
///
/// Thread-safe. Blocks may be released on any thread.
class CachingAllocator {
 public:
  /// `source` outlives the allocator.
  explicit CachingAllocator(MemorySource& source);
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

  /// Counts bytes that live elsewhere, inside a storage, as if they were a block's. Never refuses.
  /// They are recorded where it is said where they lie.
  void book(std::size_t bytes, const void* payload = nullptr) noexcept {
    books_.add(bytes);
    if (history_.is_on()) [[unlikely]]
      record_booking(HistoryAction::alloc, bytes, payload);
  }
  void unbook(std::size_t bytes, const void* payload = nullptr) noexcept {
    if (history_.is_on()) [[unlikely]]
      record_booking(HistoryAction::free, bytes, payload);
    books_.subtract(bytes);
  }
  /// Counts memory that is not ours, outside the limit.
  void book_foreign(std::size_t bytes) noexcept { books_.add_foreign(bytes); }
  void unbook_foreign(std::size_t bytes) noexcept { books_.subtract_foreign(bytes); }

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
  std::optional<std::size_t> limit() const noexcept;
  LimitOrigin limit_origin() const noexcept;

  MemoryStats stats() const;
  /// Walks all blocks.
  CountsByPool counts_by_pool() const;
  /// What is live and reserved now becomes the peak.
  void reset_peaks() noexcept;
  /// What has been allocated and freed is counted from now on.
  void reset_accumulated() noexcept;

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
  HistoryLevel history_level() const noexcept { return history_.level(); }
  /// All segments and blocks of this moment, and the recorded events up to it.
  MemorySnapshot snapshot();

  const MemorySource& source() const noexcept { return source_; }

  /// The first broken invariant of the heap, or nothing. For tests: it walks all blocks.
  std::string fault() const;

  /// A fork copies one thread and every lock: it must happen while this one is ours.
  void before_fork() noexcept { lock_.lock(); }
  void after_fork_in_parent() noexcept { lock_.unlock(); }
  void after_fork_in_child() noexcept;

 private:
  struct Request;
  struct SnapshotSize {
    std::size_t segments = 0;
    std::size_t blocks = 0;
  };
  struct GrowthPlan {
    Fit fit;
    bool is_roomy = false;    // for more than is needed
    bool is_thrifty = false;  // with memory that lies free elsewhere
    /// Where not, another plan follows.
    bool may_trim() const noexcept { return !is_roomy && !is_thrifty; }
  };
  using Rung = Block* (CachingAllocator::*)(Request&);
  struct NamedRung {
    MissStep step;
    Rung rung;
  };

  // Called without the lock. Those that return a block return null where they have none.
  Block* allocate_for_anyone(std::size_t bytes, Stream stream);
  Block* allocate_attentively(std::size_t bytes, Stream stream);
  void release_attentively(Block& block) noexcept;
  void release_shared(Block& block, std::uint32_t thread) noexcept;
  template <class Wanted>
  void seal(Wanted is_wanted) noexcept;
  void seal_all() noexcept;
  StreamPools* streams_with_pending() const noexcept;
  std::size_t retire_passed() noexcept;
  std::size_t retire(StreamPools& user, Ticket ticket) noexcept;
  std::size_t await_oldest() noexcept;
  void look_at_pending() noexcept;
  void trim_to_limit() noexcept;
  void note_active() noexcept;
  void record_booking(HistoryAction action, std::size_t bytes, const void* payload) noexcept;
  Block* allocate_slowly(std::size_t bytes, Stream stream);
  Block* climb(Request& request);
  Block* search(Request& request);
  Block* collect_under_pressure(Request& request);
  Block* find_room(Request& request);
  Block* find_room(Request& request, MissStep* step);
  Block* grow(Request& request);
  Block* grow_range(Request& request, GrowthPlan plan);
  Held hold(Request& request, GrowthPlan plan, Heap::Stock& stock);
  bool add_range(Request& request);
  bool charge(Request& request, std::size_t bytes, GrowthPlan plan);
  bool trimmed(Request& request, std::size_t bytes);
  void move_excess(Request& request, std::size_t bytes);
  bool map_missing(const Held& held);
  bool map_piece(const Block& piece);
  Block* grow_segment(Request& request);
  Block* add_segment(std::size_t bytes, std::size_t most_charged, Request& request);
  Block* cut_from_large(Request& request);
  Block* take_from_other_streams(Request& request);
  Block* await_pending(Request& request);
  Block* run_callbacks(Request& request);
  Block* collect_garbage(Request& request);
  Block* collect_garbage(Request& request, std::span<const int> generations, Rung look);
  Block* trim_everything(Request& request);
  std::size_t trim(std::size_t bytes, End end = End::highest) noexcept;
  std::size_t trim(Request& request, std::size_t bytes);
  std::size_t trim_piece(std::size_t bytes, End end) noexcept;
  void unmap_piece(const Block& piece) noexcept;
  std::size_t trim_segments(std::size_t bytes) noexcept;
  bool trim_for_segment(Request& request);
  void return_ranges() noexcept;
  void await_unmapping() const noexcept;
  std::size_t segment_bytes_for(std::size_t bytes) const noexcept;
  [[noreturn]] void fail(Request& request);
  std::shared_ptr<const MemoryHooks> hooks() const noexcept;
  template <class Change>
  void change_hooks(Change change);

  // Called under it.
  Block* take(std::size_t bytes, Stream stream) noexcept;
  Block* counted(Block* block) noexcept;
  void attend() noexcept;
  bool allows(std::size_t bytes) const noexcept {
    return books_.live_bytes() + bytes <= most_live_bytes_;
  }
  void give(Block& block) noexcept;
  std::size_t booked_bytes() const noexcept;
  std::size_t cached_bytes() const noexcept;
  std::size_t reserved_bytes() const noexcept;
  std::size_t charged_bytes() const noexcept;
  std::size_t ceiling_bytes() const noexcept;
  std::size_t excess_bytes(const Request& request, std::size_t bytes) noexcept;
  void record_alloc(Block& block) noexcept;
  void record_free(Block& block, std::uint32_t thread, HistoryAction action) noexcept;
  void record_memory(HistoryAction action, const Block& piece) noexcept;
  void record_growth(const Held& held) noexcept;
  void record_segment_free(const Segment& segment) noexcept;
  void record_out_of_memory(std::size_t bytes, Stream stream) noexcept;
  SnapshotSize snapshot_size() const noexcept;
  bool copy_into(MemorySnapshot& taken) noexcept;

  MemorySource& source_;
  SourceCalls maps_;
  SourceCalls unmaps_;
  alignas(64) Books books_;  // apart from the lock: booking takes none

  alignas(64) mutable SpinLock lock_;      // a leaf; what follows is under it
  std::atomic<bool> is_attentive_{false};  // there is a history, or one of these two is true
  std::atomic<bool> has_pending_{false};
  std::atomic<bool> is_over_limit_{false};  // when last looked
  std::size_t most_live_bytes_ = SIZE_MAX;  // `limit_` as a hit compares it
  History history_;
  Heap heap_;
  std::size_t mapping_bytes_ = 0;    // on their way in: some thread is asking the source for them
  std::size_t unmapping_bytes_ = 0;  // on their way out
  std::size_t peak_reserved_bytes_ = 0;
  std::optional<std::size_t> limit_;
  LimitOrigin limit_origin_ = LimitOrigin::program;
  Pressure pressure_;
  Thrift thrift_;
  std::uint64_t miss_count_ = 0;
  std::array<std::uint64_t, miss_step_names.size()> saved_by_{};  // by MissStep
  std::uint64_t retry_count_ = 0;
  struct {
    std::uint64_t runs = 0;
    std::uint64_t freed_bytes = 0;
    std::chrono::steady_clock::duration time{};
  } gc_;
  std::uint64_t out_of_memory_count_ = 0;
  std::uint64_t stolen_bytes_ = 0;
  std::uint64_t stream_wait_count_ = 0;
  std::atomic<std::uint32_t> looks_{0};
  std::shared_ptr<const MemoryHooks> hooks_;
};

}  // namespace garboard
