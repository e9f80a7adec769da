// Tells the history of one device, and shows its heap beside it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "csrc/memory/heap/heap.h"
#include "csrc/memory/record/history.h"
#include "csrc/memory/record/memory_snapshot.h"

namespace garboard {

/// While nothing is recorded each call costs one predictable branch. Not thread-safe, `level` and
/// `is_on` apart: its arena locks. Nothing here asks the system for memory.
class Recorder {
 public:
  bool is_on() const noexcept { return history_.is_on(); }
  HistoryLevel level() const noexcept { return history_.level(); }

  /// Says for the calling thread, as long as it lives, whose request the events belong to; what
  /// finalizers and callbacks ask for meanwhile is theirs. Made without a lock: it may enter
  /// Python.
  class Asking {
   public:
    explicit Asking(const Recorder& recorder) noexcept : before_(now_) {
      if (recorder.is_on()) now_ = History::ask(recorder.level());
    }
    ~Asking() { now_ = before_; }
    static Origin now() noexcept { return now_; }
    Asking(const Asking&) = delete;
    Asking& operator=(const Asking&) = delete;

   private:
    // Initial-exec: the default model of a shared library costs a call an access.
    static constinit thread_local Origin now_ [[gnu::tls_model("initial-exec")]];
    Origin before_;
  };
  /// The number that the floors above gave this thread; 0 while nothing is recorded. Asked without
  /// a lock.
  std::uint32_t this_thread() const noexcept;

  void allocated(Block& block) noexcept {
    if (is_on()) [[unlikely]]
      record_alloc(block);
  }
  void freed(Block& block, std::uint32_t thread, HistoryAction action) noexcept;
  void moved(HistoryAction action, const Block& piece) noexcept;
  void mapped(const Held& held) noexcept;
  void returned(const Segment& segment) noexcept;
  void refused(std::size_t bytes, Stream stream, std::size_t left_bytes) noexcept;
  /// Bytes inside a storage.
  void booked(HistoryAction action, std::size_t bytes, const void* payload, Origin origin) noexcept;

  /// Goes on at `level` with an empty ring; `ring` becomes the old one. What blocks of `heap` were
  /// told before may mean nothing, or another caller, now.
  void restart(HistoryLevel level, History::Ring& ring, const Heap& heap) noexcept;
  void clear() noexcept { history_.clear(); }

  /// Fills `snapshot` where its vectors have room for what there is, and says what of them it has
  /// used; else fills nothing, and says what is needed.
  struct Extent {
    std::size_t segments = 0;
    std::size_t blocks = 0;
    std::size_t entries = 0;
    Extent with_margin() const noexcept {
      return {segments + segments / 4 + 64, blocks + blocks / 4 + 64, entries + entries / 4 + 64};
    }
    bool fits(const MemorySnapshot& snapshot) const noexcept;
    void resize(MemorySnapshot& snapshot) const;
  };
  Extent copy(const Heap& heap, MemorySnapshot& snapshot) noexcept;

 private:
  void record_alloc(Block& block) noexcept;
  void record(HistoryAction action, const void* address, std::size_t bytes, Stream stream,
              Origin origin) noexcept;

  History history_;
};

}  // namespace garboard
