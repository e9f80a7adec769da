// What CachingAllocator::allocate does when the cache has nothing. All of it runs without the lock,
// taken for single steps: a rung may enter the driver, a callback or Python, and other threads'
// hits must not wait for that. Hence a new search after every rung: what it freed may be gone
// again.
#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <utility>

#include "csrc/core/error.h"
#include "csrc/memory/allocation_request.h"
#include "csrc/memory/caching_allocator.h"
#include "csrc/memory/out_of_memory_report.h"

namespace garboard {
namespace {

using Clock = std::chrono::steady_clock;

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

Block* CachingAllocator::allocate_slowly(std::size_t bytes, Stream stream) {
  Request request{.bytes = bytes, .stream = stream, .is_nested = is_on_ladder};
  if (bytes > largest_request_bytes) fail(request);
  Block* block = nullptr;
  {
    const OnLadder guard;
    block = climb(request);
  }
  {
    const std::lock_guard guard(lock_);
    ++miss_count_;
    if (block) ++saved_by_[static_cast<std::size_t>(request.step)];
  }
  if (!block) fail(request);
  return block;
}

Block* CachingAllocator::climb(Request& request) {
  // Cheapest first. Users rely on the order.
  static constexpr std::array<NamedRung, 4> ladder{{
      {MissStep::callbacks, &CachingAllocator::run_callbacks},
      {MissStep::pending, &CachingAllocator::await_pending},
      {MissStep::garbage, &CachingAllocator::collect_garbage},
      {MissStep::trim, &CachingAllocator::trim_everything},
  }};
  if (Block* const block = search(request)) return block;  // only the stock may have been missing
  if (!request.is_nested) {
    request.step = MissStep::garbage;
    if (Block* const block = collect_under_pressure(request)) return block;
  }
  if (Block* const block = find_room(request, &request.step)) return block;
  if (request.is_nested) return nullptr;
  request.largest_free = stats().largest_free_block;
  for (const auto& [step, rung] : ladder) {
    request.step = step;
    if (Block* const block = (this->*rung)(request)) return block;
  }
  return nullptr;
}

Block* CachingAllocator::search(Request& request) {
  seal_all();
  retire_passed();
  {
    const std::lock_guard guard(lock_);
    if (heap_.is_stocked(request.stream)) return take(request.bytes, request.stream);
  }
  Heap::Stock stock = heap_.make_stock(request.stream);
  const std::lock_guard guard(lock_);
  heap_.put(stock);
  return take(request.bytes, request.stream);
}

Block* CachingAllocator::find_room(Request& request) {
  MissStep ignored;  // it was what has just been done that made room
  return find_room(request, &ignored);
}

Block* CachingAllocator::find_room(Request& request, MissStep* step) {
  static constexpr std::array<NamedRung, 4> steps{{
      {MissStep::search, &CachingAllocator::search},
      {MissStep::grow, &CachingAllocator::grow},
      {MissStep::other_sizes, &CachingAllocator::cut_from_large},
      {MissStep::other_streams, &CachingAllocator::take_from_other_streams},
  }};
  for (const auto& [name, rung] : steps) {
    *step = name;
    if (Block* const block = (this->*rung)(request)) return block;
  }
  return nullptr;
}

// A small request for which its pool cannot grow must not fail while large ones have free blocks.
Block* CachingAllocator::cut_from_large(Request& request) {
  if (request.bytes > largest_small_bytes) return nullptr;
  const std::lock_guard guard(lock_);
  if (!allows(request.bytes) || !heap_.is_stocked(request.stream)) return nullptr;
  return counted(heap_.take_from_large(request.bytes, request.stream));
}

Block* CachingAllocator::run_callbacks(Request& request) {
  const auto registered = hooks();
  for (const auto& [number, callback] : registered->reclaim) {
    const std::size_t live = books_.live_bytes();
    const auto began = Clock::now();
    (*callback)(request.bytes);
    const std::size_t left = books_.live_bytes();
    request.note("reclaim callback", live > left ? live - left : 0, Clock::now() - began);
    if (Block* const block = find_room(request)) return block;
  }
  return nullptr;
}

// Oldest first, and no longer than it takes until the request fits.
Block* CachingAllocator::await_pending(Request& request) {
  for (;;) {
    const auto began = Clock::now();
    const std::size_t freed = await_oldest();
    if (freed == 0) return nullptr;
    {
      const std::lock_guard guard(lock_);
      ++stream_wait_count_;
    }
    request.note("pending frees", freed, Clock::now() - began);
    if (Block* const block = find_room(request)) return block;
  }
}

Block* CachingAllocator::collect_garbage(Request& request) {
  static constexpr std::array all{0, 1, 2};
  return collect_garbage(request, all, &CachingAllocator::find_room);
}

// Before the memory is gone, and only for blocks that fit as they are: growing is still possible.
// Old objects are worth a look only when it is urgent: that costs most.
Block* CachingAllocator::collect_under_pressure(Request& request) {
  static constexpr std::array young{1};
  static constexpr std::array young_then_all{1, 2};
  std::span<const int> generations = young;
  {
    const std::lock_guard guard(lock_);
    const Pressure::Load load{
        .live = books_.live_bytes(), .request = request.bytes, .limit = ceiling_bytes()};
    if (!hooks_->collect || !pressure_.allows_collection(load, Clock::now())) return nullptr;
    if (load.is_urgent()) generations = young_then_all;
  }
  return collect_garbage(request, generations, &CachingAllocator::search);
}

Block* CachingAllocator::collect_garbage(Request& request, std::span<const int> generations,
                                         Rung look) {
  static constexpr std::array<std::string_view, 3> names{
      "garbage generation 0", "garbage generation 1", "garbage generation 2"};
  const auto registered = hooks();
  if (!registered->collect) return nullptr;
  Block* block = nullptr;
  Clock::duration cost{};
  std::size_t freed = 0;
  for (const int generation : generations) {
    const std::size_t live = books_.live_bytes();
    const auto began = Clock::now();
    (*registered->collect)(generation, !std::exchange(request.has_collected, true));
    const auto took = Clock::now() - began;
    const std::size_t left = books_.live_bytes();
    const std::size_t freed_now = live > left ? live - left : 0;
    request.note(names[generation], freed_now, took);
    cost += took;
    freed += freed_now;
    request.garbage_bytes += freed_now;
    {
      const std::lock_guard guard(lock_);
      ++gc_.runs;
    }
    block = (this->*look)(request);
    if (block) break;
  }
  const std::lock_guard guard(lock_);
  gc_.freed_bytes += freed;
  gc_.time += cost;
  pressure_.record_collection(Clock::now(), cost, freed, books_.live_bytes());
  return block;
}

Block* CachingAllocator::trim_everything(Request& request) {
  if (Block* const block = await_pending(request)) return block;  // what garbage has left
  const auto began = Clock::now();
  const std::size_t freed = trim(SIZE_MAX);
  await_unmapping();
  request.note("all free segments", freed, Clock::now() - began);
  return find_room(request);
}

void CachingAllocator::fail(Request& request) {
  const OnLadder guard;  // whoever tells the holders may ask for memory
  const MemoryStats stats = this->stats();
  const auto registered = hooks();
  OutOfMemoryFacts facts{
      .device = source_.name(),
      .requested = request.bytes,
      .limit = limit(),
      .limit_origin = limit_origin(),
      .capacity = source_.capacity_bytes(),
      .live = stats.live_bytes,
      .booked = stats.booked_bytes,
      .reserved = stats.reserved_bytes,
      .pending = stats.pending_bytes,
      .cached = stats.cached_bytes,
      .largest_free_before = request.largest_free,
      .largest_free = stats.largest_free_block,
      .garbage = request.garbage_bytes,
      .device_free = source_.free_bytes(),
      .foreign = stats.foreign_bytes,
      .is_nested = request.is_nested,
      .rungs = std::move(request.tried),
      .holders = {},
  };
  if (request.bytes <= largest_request_bytes) facts.segment = segment_bytes_for(request.bytes);
  if (registered->holders) facts.holders = (*registered->holders)();
  {
    const std::lock_guard guard(lock_);
    ++out_of_memory_count_;
    if (history_.is_on()) record_out_of_memory(request.bytes, request.stream);
  }
  throw OutOfMemoryError(message_of(facts), report_of(facts));
}

}  // namespace garboard
