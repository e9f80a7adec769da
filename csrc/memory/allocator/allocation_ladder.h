// What is done for a request that the cache has nothing for, rung by rung.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "csrc/memory/allocator/allocation_request.h"
#include "csrc/memory/allocator/grower.h"
#include "csrc/memory/allocator/mapper.h"
#include "csrc/memory/allocator/memory_hooks.h"
#include "csrc/memory/allocator/stream_sharing.h"
#include "csrc/memory/allocator/trimmer.h"
#include "csrc/memory/arena/arena.h"
#include "csrc/memory/policy/allocation_policy.h"
#include "csrc/memory/policy/pressure.h"
#include "csrc/memory/record/memory_stats.h"

namespace garboard {

/// Runs without the arena's lock, taken for single steps: a rung may enter the driver, a callback
/// or Python, and other threads' hits must not wait for that. Hence a new search after every rung:
/// what it freed may be gone again. Thread-safe. Calls all the others; none calls it, but for
/// callbacks and finalizers that ask for memory.
class AllocationLadder {
 public:
  /// All of them outlive it.
  struct Parts {
    Arena& arena;
    Mapper& mapper;
    Trimmer& trimmer;
    Grower& grower;
    StreamSharing& sharing;
    HookBoard& hooks;
  };
  AllocationLadder(const Parts& parts, const CollectionPolicy& policy) noexcept
      : parts_(parts), pressure_(policy) {}

  /// A block, or an OutOfMemoryError whose report says why. What a callback throws passes through.
  Block* allocate(std::size_t bytes, Stream stream);

  /// Under the arena's lock, once the accounts are filled in.
  void fill_in(MemoryStats& stats) const noexcept;

 private:
  using Request = AllocationRequest;
  using Clock = std::chrono::steady_clock;
  using Rung = Block* (AllocationLadder::*)(Request&);
  struct NamedRung {
    MissStep step;
    Rung rung;
  };

  // Those that return a block return null where they have none.
  Block* climb(Request& request);
  Block* find_room(Request& request);
  Block* find_room(Request& request, MissStep* step);
  Block* search(Request& request);
  Block* grow(Request& request) { return parts_.grower.grow(request); }
  Block* cut_from_large(Request& request);
  Block* take_from_other_streams(Request& request) {
    return parts_.sharing.take_from_others(request.bytes, request.stream);
  }
  Block* run_callbacks(Request& request);
  Block* await_pending(Request& request);
  Block* collect_under_pressure(Request& request);
  Block* collect_garbage(Request& request);
  Block* collect_garbage(Request& request, std::span<const int> generations, Rung look);
  Block* trim_everything(Request& request);
  [[noreturn]] void fail(Request& request);

  std::size_t live_bytes() const noexcept { return parts_.arena.accounts().books().live_bytes(); }
  std::size_t freed_since(std::size_t live) const noexcept {
    const std::size_t left = live_bytes();
    return live > left ? live - left : 0;
  }

  const Parts parts_;

  // Under the arena's lock.
  Pressure pressure_;
  std::uint64_t miss_count_ = 0;
  std::array<std::uint64_t, miss_step_names.size()> saved_by_{};  // by MissStep
  std::uint64_t stream_wait_count_ = 0;
  struct {
    std::uint64_t runs = 0;
    std::uint64_t freed_bytes = 0;
    Clock::duration time{};
  } gc_;
  std::uint64_t out_of_memory_count_ = 0;
};

}  // namespace garboard
