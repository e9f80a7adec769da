// The heap of one device with its accounts and its record, under one lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "csrc/core/spin_lock.h"
#include "csrc/memory/arena/accounts.h"
#include "csrc/memory/arena/recorder.h"
#include "csrc/memory/heap/heap.h"
#include "csrc/memory/sources/memory_source.h"

namespace garboard {

/// All memory and all blocks come and go through here, so heap, accounts and record tell one story.
/// Lockable, with a lock that is a leaf: under it no source, no callback, no memory of the system.
/// What is not said to need none is called under it.
class Arena {
 public:
  /// `source` outlives it.
  explicit Arena(const MemorySource& source) noexcept
      : accounts_(heap_, source), heap_(source.quantum_bytes(), source.granularity_bytes()) {}

  void lock() noexcept { lock_.lock(); }
  void unlock() noexcept { lock_.unlock(); }
  /// What `act` returns, under the lock.
  template <class Act>
  auto locked(Act act) noexcept {
    const std::lock_guard guard(*this);
    return act();
  }

  /// Whether a hit has more to do than to take a block: something is recorded, pending, captured,
  /// or more than the limit allows. These four need no lock, and tell what `attend` has seen last.
  bool is_attentive() const noexcept { return is_attentive_.load(std::memory_order_relaxed); }
  bool has_pending() const noexcept { return has_pending_.load(std::memory_order_relaxed); }
  bool is_over_limit() const noexcept { return is_over_limit_.load(std::memory_order_relaxed); }
  /// Whether work of the device is captured: then nothing goes back to the source, for which the
  /// device would have to be waited for.
  bool is_captured() const noexcept { return is_captured_.load(std::memory_order_relaxed); }
  void attend() noexcept;
  void set_captured(bool is_captured) noexcept {
    is_captured_.store(is_captured, std::memory_order_relaxed);
    attend();
  }

  Accounts& accounts() noexcept { return accounts_; }
  const Accounts& accounts() const noexcept { return accounts_; }
  Recorder& recorder() noexcept { return recorder_; }
  const Recorder& recorder() const noexcept { return recorder_; }
  /// For what moves no bytes: looking, stocking, holding.
  Heap& heap() noexcept { return heap_; }
  const Heap& heap() const noexcept { return heap_; }

  // Null where there is no such block, and where it would take live bytes beyond the limit.
  Block* take(std::size_t bytes, Stream stream) noexcept {
    return accounts_.allows(bytes) ? counted(heap_.take(bytes, stream)) : nullptr;
  }
  /// A small one, out of what large requests have left.
  Block* take_from_large(std::size_t bytes, Stream stream) noexcept;
  Block* take_from_others(std::size_t bytes, Stream stream) noexcept;

  /// Unrecorded: while nothing is.
  void give(Block& block) noexcept {
    accounts_.books().subtract(block.requested_bytes);
    heap_.give(block);
  }
  void give(Block& block, std::uint32_t thread) noexcept {
    recorder_.freed(block, thread, HistoryAction::free);
    give(block);
  }
  /// Gives a shared one: for its user it is not live any more. Whether a batch is due.
  bool suspend(Block& block, std::uint32_t thread) noexcept;
  /// Nobody uses it any more.
  void end_pending(Block& block) noexcept;

  /// What is held has memory: a block out of it, or null where the limit was lowered, or reached by
  /// others, meanwhile.
  Block* settle(const Held& held, std::size_t bytes) noexcept;
  /// A segment has come, for requests of that size.
  void add(Segment& segment, std::size_t bytes, Stream stream) noexcept;
  /// A piece on its way out, as from Heap::carve, until it is dropped.
  Block* carve(std::size_t bytes, End end) noexcept;
  void drop(Block& carved) noexcept;
  /// As from the heap; on their way out, until `accounts` are told that it is over.
  Segment* take_free_segments(std::size_t bytes) noexcept;

  /// In a forked child, whose other threads are gone.
  void forget_others() noexcept;

 private:
  Block* counted(Block* block) noexcept {
    if (!block) return nullptr;
    accounts_.books().add(block->requested_bytes);
    recorder_.allocated(*block);
    return block;
  }

  Accounts accounts_;  // in front: a hit needs its first line, and the lock's
  alignas(64) SpinLock lock_;
  std::atomic<bool> is_attentive_{false};
  std::atomic<bool> has_pending_{false};
  std::atomic<bool> is_over_limit_{false};
  std::atomic<bool> is_captured_{false};
  Recorder recorder_;
  Heap heap_;
};

}  // namespace garboard
