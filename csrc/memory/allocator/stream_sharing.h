// Blocks that more than one stream uses: a block that another stream uses is handed out again only
// when that stream has passed all it was given before the release.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "csrc/memory/allocator/mapper.h"
#include "csrc/memory/arena/arena.h"
#include "csrc/memory/policy/allocation_policy.h"

namespace garboard {

/// Releasing records no event: many uses of one stream share one, and only the oldest is asked for.
/// Thread-safe, and called without the arena's lock: the driver is asked without it. Knows nobody
/// but arena and source.
class StreamSharing {
 public:
  /// Both outlive it.
  StreamSharing(Arena& arena, Mapper& mapper, const AllocationPolicy& policy) noexcept
      : arena_(arena), mapper_(mapper), allocations_per_look_(policy.allocations_per_look) {}

  /// Work that `stream` is given until the release may use `block`. Throws std::bad_alloc.
  void share(Block& block, Stream stream);
  /// Gives a shared block: it is pending until all its streams have passed.
  void release(Block& block, std::uint32_t thread) noexcept;

  /// While something is pending, at every allocation: has a look now and then.
  void look() noexcept;
  /// Frees what streams have passed by now. Never waits.
  void search() noexcept;
  /// Waits for the pending block that was released first, among all streams, and for what is freed
  /// with it. Says how many bytes that were; 0 where nothing is pending.
  std::size_t await_oldest() noexcept;
  /// A free block of another stream, or null. The work of `stream` waits for the owner's, the
  /// caller does not. Throws std::bad_alloc.
  Block* take_from_others(std::size_t bytes, Stream stream);
  /// The caller waits for what all streams were given, but for what is captured.
  void await_every_stream() noexcept;

  /// Under the arena's lock.
  void fill_in(MemoryStats& stats) const noexcept { stats.stolen_bytes = stolen_bytes_; }

 private:
  template <class Act>
  void for_each_stream(Act act) const;
  void let_wait(Stream waiter, Stream stream) noexcept;
  template <class Wanted>
  bool seal(Wanted is_wanted) noexcept;
  bool seal_all() noexcept;
  StreamPools* streams_with_pending() const noexcept;
  void retire_passed() noexcept;
  std::size_t retire(StreamPools& user, Ticket ticket) noexcept;
  Timeline& timeline() const noexcept { return *mapper_.source().timeline(); }

  Arena& arena_;
  Mapper& mapper_;
  const std::uint32_t allocations_per_look_;
  std::atomic<std::uint32_t> looks_{0};
  std::uint64_t stolen_bytes_ = 0;
};

}  // namespace garboard
