// The memory of captured work: what it is given while it is captured it uses whenever it is played,
// so nobody else gets it, free or not, as long as it may be.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "csrc/device/capture.h"
#include "csrc/memory/allocator/stream_sharing.h"
#include "csrc/memory/arena/arena.h"

namespace garboard {

/// A pool of it, which captures share that are never played at the same time; 0 is none.
using CapturePool = std::uint64_t;

/// Of one allocator. Thread-safe, and called without the arena's lock, which it takes for single
/// steps. Pools that nobody holds any more stay for the next capture of their stream, which waits
/// for whoever may use them, and give up what is free as all others do.
class CapturePools {
 public:
  /// Both outlive them.
  CapturePools(Arena& arena, StreamSharing& sharing) noexcept : arena_(arena), sharing_(sharing) {}

  /// A new one, with one share. Throws std::bad_alloc.
  CapturePool open();
  /// One share more of one that has some. False where it has none. Throws std::bad_alloc.
  bool share(CapturePool pool);
  /// One share less. With the last one its free memory is everybody's: all that used it is done.
  void close(CapturePool pool) noexcept;

  /// What `capture` allocates comes from `pool` from now on. Throws std::bad_alloc.
  void begin(CaptureId capture, CapturePool pool);
  void end(CaptureId capture) noexcept;
  /// Where memory for the work of `stream` lies: a key of the heap. Throws std::bad_alloc.
  Stream key_for(Stream stream);

 private:
  struct Shares {
    CapturePool pool;
    int count;
  };
  struct Route {
    CaptureId capture;
    CapturePool pool;
  };
  struct Line {
    CapturePool pool;  // 0: nobody's
    StreamPools* pools;
  };

  struct Found {
    StreamPools* pools = nullptr;
    bool is_taken_over = false;  // from a capture that nobody holds any more
  };

  Found pools_for(CapturePool pool, Stream stream);
  Shares* shares_of(CapturePool pool) noexcept;

  Arena& arena_;
  StreamSharing& sharing_;
  std::mutex mutex_;  // taken before the arena's lock
  CapturePool last_ = 0;
  std::vector<Shares> shares_;
  std::vector<Route> routes_;
  std::vector<Line> lines_;
};

}  // namespace garboard
