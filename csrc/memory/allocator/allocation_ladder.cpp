#include "csrc/memory/allocator/allocation_ladder.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <utility>

#include "csrc/core/error.h"
#include "csrc/memory/record/out_of_memory_report.h"

namespace garboard {
namespace {

// Set while this thread is on a ladder. What callbacks and finalizers ask for then must neither
// call them again nor collect inside a collection.
constinit thread_local bool is_on_ladder [[gnu::tls_model("initial-exec")]] = false;

class OnLadder {
 public:
  OnLadder() noexcept : before_(std::exchange(is_on_ladder, true)) {}
  ~OnLadder() { is_on_ladder = before_; }

 private:
  bool before_;
};

}  // namespace

Block* AllocationLadder::allocate(std::size_t bytes, Stream stream) {
  Request request{.bytes = bytes, .stream = stream, .is_nested = is_on_ladder};
  if (bytes > largest_request_bytes) fail(request);
  Block* block = nullptr;
  {
    const OnLadder guard;
    block = climb(request);
  }
  {
    const std::lock_guard guard(parts_.arena);
    ++miss_count_;
    if (block) ++saved_by_[static_cast<std::size_t>(request.step)];
  }
  if (!block) fail(request);
  return block;
}

Block* AllocationLadder::climb(Request& request) {
  // Cheapest first. Users rely on the order.
  static constexpr std::array<NamedRung, 4> ladder{{
      {MissStep::callbacks, &AllocationLadder::run_callbacks},
      {MissStep::pending, &AllocationLadder::await_pending},
      {MissStep::garbage, &AllocationLadder::collect_garbage},
      {MissStep::trim, &AllocationLadder::trim_everything},
  }};
  if (Block* const block = search(request)) return block;  // only the stock may have been missing
  if (!request.is_nested) {
    request.step = MissStep::garbage;
    if (Block* const block = collect_under_pressure(request)) return block;
  }
  if (Block* const block = find_room(request, &request.step)) return block;
  if (request.is_nested) return nullptr;
  request.largest_free =
      parts_.arena.locked([&] { return parts_.arena.heap().largest_free_bytes(); });
  for (const auto& [step, rung] : ladder) {
    request.step = step;
    if (Block* const block = (this->*rung)(request)) return block;
  }
  return nullptr;
}

Block* AllocationLadder::find_room(Request& request) {
  MissStep ignored;  // it was what has just been done that made room
  return find_room(request, &ignored);
}

Block* AllocationLadder::find_room(Request& request, MissStep* step) {
  static constexpr std::array<NamedRung, 4> steps{{
      {MissStep::search, &AllocationLadder::search},
      {MissStep::grow, &AllocationLadder::grow},
      {MissStep::other_sizes, &AllocationLadder::cut_from_large},
      {MissStep::other_streams, &AllocationLadder::take_from_other_streams},
  }};
  for (const auto& [name, rung] : steps) {
    *step = name;
    if (Block* const block = (this->*rung)(request)) return block;
  }
  return nullptr;
}

Block* AllocationLadder::search(Request& request) {
  Arena& arena = parts_.arena;
  parts_.sharing.search();
  {
    const std::lock_guard guard(arena);
    if (arena.heap().is_stocked(request.stream)) return arena.take(request.bytes, request.stream);
  }
  Heap::Stock stock = arena.heap().make_stock(request.stream);
  const std::lock_guard guard(arena);
  arena.heap().put(stock);
  return arena.take(request.bytes, request.stream);
}

// A small request for which its pool cannot grow must not fail while large ones have free blocks.
Block* AllocationLadder::cut_from_large(Request& request) {
  if (request.bytes > largest_small_bytes) return nullptr;
  const std::lock_guard guard(parts_.arena);
  return parts_.arena.take_from_large(request.bytes, request.stream);
}

Block* AllocationLadder::run_callbacks(Request& request) {
  const auto registered = parts_.hooks.now();
  for (const auto& [number, callback] : registered->reclaim) {
    const std::size_t live = live_bytes();
    const auto began = Clock::now();
    (*callback)(request.bytes);
    request.note("reclaim callback", freed_since(live), Clock::now() - began);
    if (Block* const block = find_room(request)) return block;
  }
  return nullptr;
}

// Oldest first, and no longer than it takes until the request fits.
Block* AllocationLadder::await_pending(Request& request) {
  for (;;) {
    const auto began = Clock::now();
    const std::size_t freed = parts_.sharing.await_oldest();
    if (freed == 0) return nullptr;
    parts_.arena.locked([&] { ++stream_wait_count_; });
    request.note("pending frees", freed, Clock::now() - began);
    if (Block* const block = find_room(request)) return block;
  }
}

Block* AllocationLadder::collect_garbage(Request& request) {
  static constexpr std::array all{0, 1, 2};
  return collect_garbage(request, all, &AllocationLadder::find_room);
}

// Before the memory is gone, and only for blocks that fit as they are: growing is still possible.
// Old objects are worth a look only when it is urgent: that costs most.
Block* AllocationLadder::collect_under_pressure(Request& request) {
  static constexpr std::array young{1};
  static constexpr std::array young_then_all{1, 2};
  std::span<const int> generations = young;
  {
    const std::lock_guard guard(parts_.arena);
    const Pressure::Load load{.live = live_bytes(),
                              .request = request.bytes,
                              .limit = parts_.arena.accounts().ceiling_bytes()};
    if (!pressure_.allows_collection(load, Clock::now())) return nullptr;
    if (pressure_.is_urgent(load)) generations = young_then_all;
  }
  return collect_garbage(request, generations, &AllocationLadder::search);
}

Block* AllocationLadder::collect_garbage(Request& request, std::span<const int> generations,
                                         Rung look) {
  static constexpr std::array<std::string_view, 3> names{
      "garbage generation 0", "garbage generation 1", "garbage generation 2"};
  const auto registered = parts_.hooks.now();
  if (!registered->collect) return nullptr;
  Block* block = nullptr;
  Clock::duration cost{};
  std::size_t freed = 0;
  for (const int generation : generations) {
    const std::size_t live = live_bytes();
    const auto began = Clock::now();
    (*registered->collect)(generation, !std::exchange(request.has_collected, true));
    const auto took = Clock::now() - began;
    const std::size_t freed_now = freed_since(live);
    request.note(names[generation], freed_now, took);
    cost += took;
    freed += freed_now;
    request.garbage_bytes += freed_now;
    parts_.arena.locked([&] { ++gc_.runs; });
    block = (this->*look)(request);
    if (block) break;
  }
  const std::lock_guard guard(parts_.arena);
  gc_.freed_bytes += freed;
  gc_.time += cost;
  pressure_.record_collection(Clock::now(), cost, freed, live_bytes());
  return block;
}

Block* AllocationLadder::trim_everything(Request& request) {
  if (Block* const block = await_pending(request)) return block;  // what garbage has left
  const auto began = Clock::now();
  const std::size_t freed = parts_.trimmer.trim(SIZE_MAX);
  parts_.trimmer.await_others();
  request.note("all free segments", freed, Clock::now() - began);
  return find_room(request);
}

void AllocationLadder::fail(Request& request) {
  const OnLadder guard;  // whoever tells the holders may ask for memory
  Accounts& accounts = parts_.arena.accounts();
  MemorySource& source = parts_.mapper.source();
  OutOfMemoryFacts facts;
  facts.device = source.name();
  facts.requested = request.bytes;
  facts.capacity = source.capacity_bytes();
  facts.largest_free_before = request.largest_free;
  facts.garbage = request.garbage_bytes;
  facts.device_free = source.free_bytes();
  facts.is_nested = request.is_nested;
  facts.rungs = std::move(request.tried);
  if (request.bytes <= largest_request_bytes)
    facts.segment = parts_.grower.segment_bytes_for(request.bytes);
  {
    const std::lock_guard lock(parts_.arena);
    accounts.fill_in(facts.stats);
    facts.limit = accounts.limit();
    facts.limit_origin = accounts.limit_origin();
  }
  const auto registered = parts_.hooks.now();
  if (registered->holders) facts.holders = (*registered->holders)();
  {
    const std::lock_guard lock(parts_.arena);
    ++out_of_memory_count_;
    const std::size_t ceiling = accounts.ceiling_bytes();
    const std::size_t left = ceiling - std::min(ceiling, accounts.charged_bytes());
    parts_.arena.recorder().refused(request.bytes, request.stream, left);
  }
  throw OutOfMemoryError(message_of(facts), report_of(facts));
}

void AllocationLadder::fill_in(MemoryStats& stats) const noexcept {
  const std::uint64_t served =
      std::accumulate(saved_by_.begin(), saved_by_.end(), std::uint64_t{0});
  stats.cache_hits = stats.allocation_count - served;
  stats.cache_misses = miss_count_;
  stats.saved_by = saved_by_;
  stats.stream_wait_count = stream_wait_count_;
  stats.gc_runs = gc_.runs;
  stats.gc_freed_bytes = gc_.freed_bytes;
  stats.gc_time_us = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(gc_.time).count());
  stats.out_of_memory_count = out_of_memory_count_;
}

}  // namespace garboard
