// How CachingAllocator gets memory: by pages behind the addresses of a range, so that free memory
// merges and a block may span what separate growths mapped; or, from a source without ranges, in
// whole segments. The source is asked without the lock.
#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <utility>

#include "csrc/core/rounding.h"
#include "csrc/memory/allocation_request.h"
#include "csrc/memory/caching_allocator.h"
#include "csrc/memory/poison.h"

namespace garboard {
namespace {

constexpr std::size_t small_segment_bytes = 2_MiB;
/// A large segment is shared by requests of less: 2 MiB for each would cost a call of the source
/// each, and tear the memory into pieces that cannot merge.
constexpr std::size_t roomy_segment_bytes = 32_MiB;

}  // namespace

std::size_t CachingAllocator::segment_bytes_for(std::size_t bytes) const noexcept {
  const std::size_t least = bytes <= largest_small_bytes ? small_segment_bytes : bytes;
  return rounded_up(rounded_up(least, page_bytes), source_.granularity_bytes());
}

// First at the lowest addresses, and a bit more than is needed while there is plenty. Where there
// would be too much, at the end, with what lies free elsewhere: what follows each other there goes
// together later, and filling the holes between instead comes to rest later, if ever. Then exactly
// what is needed; then where most of it is there already. What a growth holds is not trimmed for
// it.
Block* CachingAllocator::grow(Request& request) {
  static constexpr std::array<GrowthPlan, 4> plans{{
      {.fit = Fit::lowest, .is_roomy = true},
      {.fit = Fit::highest, .is_thrifty = true},
      {.fit = Fit::lowest},
      {.fit = Fit::least},
  }};
  request.refused_bytes = SIZE_MAX;
  for (const GrowthPlan& plan : plans) {
    if (Block* const block = grow_range(request, plan)) return block;
  }
  return request.needs_segment ? grow_segment(request) : nullptr;
}

Block* CachingAllocator::grow_range(Request& request, GrowthPlan plan) {
  Heap::Stock stocks[] = {heap_.make_stock(request.stream), heap_.make_stock(request.stream)};
  Held held = hold(request, plan, stocks[0]);
  if (!held.first) return nullptr;
  if (plan.is_thrifty) move_excess(request, held.missing_bytes);
  do {
    if (held.missing_bytes >= request.refused_bytes) break;  // it would be refused again
    if (!charge(request, held.missing_bytes, plan)) break;
    const bool is_mapped = map_missing(held);
    const std::lock_guard guard(lock_);
    mapping_bytes_ -= held.missing_bytes;
    if (!is_mapped) {
      if (plan.may_trim()) request.refused_bytes = held.missing_bytes;
      continue;
    }
    heap_.put(stocks[1]);
    if (history_.is_on()) record_growth(held);
    // The limit may have been lowered, or reached by others, meanwhile.
    Block* block = nullptr;
    if (allows(request.bytes)) {
      block = counted(heap_.settle(held, request.bytes));
    } else {
      heap_.absorb(held);
    }
    peak_reserved_bytes_ = std::max(peak_reserved_bytes_, reserved_bytes());
    return block;
  } while (plan.may_trim() && trimmed(request, held.missing_bytes));
  const std::lock_guard guard(lock_);
  heap_.cancel(held);
  return nullptr;
}

Held CachingAllocator::hold(Request& request, GrowthPlan plan, Heap::Stock& stock) {
  {
    const std::lock_guard guard(lock_);
    heap_.put(stock);
    std::size_t most = plan.is_roomy ? heap_.chunk_bytes(request.bytes, request.stream) : 0;
    const std::size_t exact = segment_bytes_for(request.bytes);
    const std::size_t comfortable = Pressure::comfortable_bytes(ceiling_bytes());
    if (charged_bytes() + std::max(most, exact) > comfortable) most = 0;
    const bool is_plenty = excess_bytes(request, std::max(most, exact)) == 0;
    if (plan.is_roomy && (most == 0 || !is_plenty)) return {};
    if (plan.is_thrifty && (is_plenty || !thrift_.allows_moves())) return {};
    const Held held = heap_.hold(request.bytes, request.stream, most, plan.fit);
    if (held.first || plan.fit != Fit::lowest) return held;
  }
  if (!add_range(request)) return {};
  Heap::Stock again = heap_.make_stock(request.stream);
  const std::lock_guard guard(lock_);
  heap_.put(again);
  return heap_.hold(request.bytes, request.stream, 0, plan.fit);
}

// An eighth more than the device has: live blocks lie in the way of large ones. Addresses cost
// nothing; where even so many do not do, there is a second range.
bool CachingAllocator::add_range(Request& request) {
  const std::size_t capacity = source_.capacity_bytes();
  const std::size_t bytes = rounded_up(std::max(capacity, segment_bytes_for(request.bytes)) / 8 * 9,
                                       source_.granularity_bytes());
  auto range = std::make_unique<Segment>();
  Heap::Stock stock = heap_.make_stock(request.stream);
  range->address = static_cast<std::byte*>(source_.reserve(bytes));
  request.needs_segment = !range->address;
  if (request.needs_segment) return false;
  range->bytes = bytes;
  range->is_range = true;
  const std::lock_guard guard(lock_);
  heap_.put(stock);
  heap_.add(*range.release(), request.bytes, request.stream);
  return true;
}

// Before the source is asked: two threads must not both pass the limit. Where the limit has no
// room, as much is trimmed as the growth lacks, and nothing where all of it would not suffice.
bool CachingAllocator::charge(Request& request, std::size_t bytes, GrowthPlan plan) {
  for (;;) {
    std::size_t lacking = 0;
    {
      const std::lock_guard guard(lock_);
      if (!allows(request.bytes)) return false;
      const std::size_t charged = charged_bytes() + bytes;
      const std::size_t limit = limit_.value_or(SIZE_MAX);
      if (bytes == 0 || charged <= limit) {
        mapping_bytes_ += bytes;
        return true;
      }
      lacking = charged - limit;
      if (!plan.may_trim() || heap_.trimmable_bytes() < lacking) return false;
    }
    if (trim(request, lacking) == 0) return false;
  }
}

// With `bytes` more, beside what is live.
std::size_t CachingAllocator::excess_bytes(const Request& request, std::size_t bytes) noexcept {
  const std::size_t live = books_.live_bytes() + request.bytes;
  return thrift_.excess_bytes({.reserved = charged_bytes() + bytes,
                               .most_live = std::max(books_.peak_bytes(), live),
                               .handed_out = heap_.allocated(&PoolCounts::requested_bytes)});
}

// The lowest first, for new blocks come to lie at the other end. Not where the limit is in the way:
// then only what is lacking is trimmed.
void CachingAllocator::move_excess(Request& request, std::size_t bytes) {
  std::size_t excess = 0;
  {
    const std::lock_guard guard(lock_);
    if (!thrift_.allows_moves() || charged_bytes() + bytes > limit_.value_or(SIZE_MAX)) return;
    excess = rounded_up(excess_bytes(request, bytes), source_.granularity_bytes());
    excess = std::min(excess, heap_.trimmable_bytes());
  }
  if (excess == 0) return;
  const std::size_t moved = trim(excess, End::lowest);
  const std::lock_guard guard(lock_);
  thrift_.record_move(moved);
}

// Whether it is worth asking the source again.
bool CachingAllocator::trimmed(Request& request, std::size_t bytes) {
  if (trim(request, bytes) == 0) return false;
  request.refused_bytes = SIZE_MAX;
  return true;
}

// All of it or nothing. The pieces are ours: their neighbours keep off.
bool CachingAllocator::map_missing(const Held& held) {
  for (Block* piece = held.first;; piece = piece->after) {
    if (piece->state == BlockState::moving && !map_piece(*piece)) {
      for (Block* undone = held.first; undone != piece; undone = undone->after) {
        if (undone->state == BlockState::moving) unmap_piece(*undone);
      }
      return false;
    }
    if (piece == held.last) return true;
  }
}

bool CachingAllocator::map_piece(const Block& piece) {
  if (!maps_.timed([&] { return source_.map_at(piece.address, piece.bytes); })) return false;
  if (poisons_memory && source_.is_on_host()) poison(piece.address, piece.bytes);
  return true;
}

Block* CachingAllocator::grow_segment(Request& request) {
  std::size_t limit, comfortable;
  {
    const std::lock_guard guard(lock_);
    limit = limit_.value_or(SIZE_MAX);
    comfortable = Pressure::comfortable_bytes(ceiling_bytes());
  }
  const std::size_t exact = segment_bytes_for(request.bytes);
  if (request.bytes > largest_small_bytes && exact < roomy_segment_bytes) {
    const std::size_t roomy = rounded_up(roomy_segment_bytes, source_.granularity_bytes());
    if (Block* const block = add_segment(roomy, comfortable, request)) return block;
  }
  if (Block* const block = add_segment(exact, limit, request)) return block;
  return trim_for_segment(request) ? add_segment(exact, limit, request) : nullptr;
}

Block* CachingAllocator::add_segment(std::size_t bytes, std::size_t most_charged,
                                     Request& request) {
  auto segment = std::make_unique<Segment>();
  Heap::Stock stock = heap_.make_stock(request.stream);
  {
    const std::lock_guard guard(lock_);
    if (charged_bytes() > most_charged || bytes > most_charged - charged_bytes()) return nullptr;
    mapping_bytes_ += bytes;
  }
  segment->address = static_cast<std::byte*>(maps_.timed([&] { return source_.map(bytes); }));
  segment->bytes = bytes;
  if (segment->address && poisons_memory && source_.is_on_host()) poison(segment->address, bytes);

  const std::lock_guard guard(lock_);
  mapping_bytes_ -= bytes;
  if (!segment->address) return nullptr;
  heap_.put(stock);
  heap_.add(*segment, request.bytes, request.stream);
  if (history_.is_on()) record_memory(HistoryAction::segment_alloc, *segment->first);
  segment.release();
  peak_reserved_bytes_ = std::max(peak_reserved_bytes_, reserved_bytes());
  return take(request.bytes, request.stream);
}

}  // namespace garboard
