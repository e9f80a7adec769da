// Gets memory: by pages behind the addresses of a range, so that free memory merges and a block may
// span what separate growths mapped; or, from a source without ranges, in whole segments.
#pragma once

#include <cstddef>
#include <cstdint>

#include "csrc/memory/allocator/allocation_request.h"
#include "csrc/memory/allocator/mapper.h"
#include "csrc/memory/allocator/trimmer.h"
#include "csrc/memory/arena/arena.h"
#include "csrc/memory/policy/allocation_policy.h"
#include "csrc/memory/policy/thrift.h"

namespace garboard {

/// A growth is a transaction: what it needs is held, charged and mapped, or all of that undone.
/// Thread-safe, and called without the arena's lock, which it takes for single steps. Calls the
/// trimmer.
class Grower {
 public:
  /// The three outlive it.
  Grower(Arena& arena, Mapper& mapper, Trimmer& trimmer, const AllocationPolicy& policy) noexcept;

  /// A block out of new memory, with free memory returned for it where the limit has no room, or
  /// null. Throws std::bad_alloc.
  Block* grow(AllocationRequest& request);
  /// What the source would have to give for `bytes`.
  std::size_t segment_bytes_for(std::size_t bytes) const noexcept;

  /// Under the arena's lock.
  void fill_in(MemoryStats& stats) const noexcept {
    stats.moved_bytes = thrift_.moved_bytes();
    stats.retry_count = retry_count_;
  }

 private:
  struct Plan {
    Fit fit;
    bool is_roomy = false;    // for more than is needed
    bool is_thrifty = false;  // with memory that lies free elsewhere
    /// Where not, another plan follows.
    bool may_trim() const noexcept { return !is_roomy && !is_thrifty; }
  };

  Block* grow_range(AllocationRequest& request, const Plan& plan);
  Held hold(AllocationRequest& request, const Plan& plan, Heap::Stock& stock);
  bool add_range(AllocationRequest& request);
  bool charge(AllocationRequest& request, std::size_t bytes, const Plan& plan);
  void move_excess(AllocationRequest& request, std::size_t bytes);
  bool map_missing(const Held& held);
  Block* grow_segment(AllocationRequest& request);
  Block* add_segment(AllocationRequest& request, std::size_t bytes, bool is_roomy);
  bool trim_for_segment(AllocationRequest& request);
  bool trim(AllocationRequest& request, std::size_t bytes);
  std::size_t granularity_bytes() const noexcept { return mapper_.source().granularity_bytes(); }

  bool is_short() const noexcept;

  // Called under the lock.
  std::size_t chunk_bytes(const AllocationRequest& request) const noexcept;
  std::size_t comfortable_bytes() const noexcept;
  std::size_t excess_bytes(const AllocationRequest& request, std::size_t bytes) noexcept;

  Arena& arena_;
  Mapper& mapper_;
  Trimmer& trimmer_;
  const GrowthPolicy policy_;
  Thrift thrift_;  // under the arena's lock, as what follows
  std::uint64_t retry_count_ = 0;
};

}  // namespace garboard
