#include "csrc/memory/allocator/grower.h"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>

#include "csrc/core/rounding.h"

namespace garboard {

Grower::Grower(Arena& arena, Mapper& mapper, Trimmer& trimmer,
               const AllocationPolicy& policy) noexcept
    : arena_(arena),
      mapper_(mapper),
      trimmer_(trimmer),
      policy_(policy.growth),
      thrift_(policy.moving, mapper.source().granularity_bytes()) {}

std::size_t Grower::segment_bytes_for(std::size_t bytes) const noexcept {
  const std::size_t least = bytes <= largest_small_bytes ? policy_.small_segment_bytes : bytes;
  return rounded_up(rounded_up(least, page_bytes), granularity_bytes());
}

// First at the lowest addresses, and a bit more than is needed while there is plenty. Where there
// would be too much, at the end, with what lies free elsewhere: what follows each other there goes
// together later, and filling the holes between instead comes to rest later, if ever. Then exactly
// what is needed; then where most of it is there already. What a growth holds is not trimmed for
// it.
Block* Grower::grow(AllocationRequest& request) {
  static constexpr std::array<Plan, 4> plans{{
      {.fit = Fit::lowest, .is_roomy = true},
      {.fit = Fit::highest, .is_thrifty = true},
      {.fit = Fit::lowest},
      {.fit = Fit::least},
  }};
  request.refused_bytes = SIZE_MAX;
  for (const Plan& plan : plans) {
    if (Block* const block = grow_range(request, plan)) return block;
  }
  return request.needs_segment ? grow_segment(request) : nullptr;
}

Block* Grower::grow_range(AllocationRequest& request, const Plan& plan) {
  Heap::Stock stocks[] = {arena_.heap().make_stock(request.stream),
                          arena_.heap().make_stock(request.stream)};
  Held held = hold(request, plan, stocks[0]);
  if (!held.first) return nullptr;
  held.by_granules = is_short();
  if (plan.is_thrifty) move_excess(request, held.missing_bytes);
  do {
    if (held.missing_bytes >= request.refused_bytes) break;  // it would be refused again
    if (!charge(request, held.missing_bytes, plan)) break;
    const bool is_mapped = map_missing(held);
    const std::lock_guard guard(arena_);
    arena_.accounts().end_mapping(held.missing_bytes);
    if (is_mapped) {
      arena_.heap().put(stocks[1]);
      return arena_.settle(held, request.bytes);
    }
    if (plan.may_trim()) request.refused_bytes = held.missing_bytes;
  } while (plan.may_trim() && trim(request, held.missing_bytes));
  const std::lock_guard guard(arena_);
  arena_.heap().cancel(held);
  return nullptr;
}

Held Grower::hold(AllocationRequest& request, const Plan& plan, Heap::Stock& stock) {
  Heap& heap = arena_.heap();
  {
    const std::lock_guard guard(arena_);
    heap.put(stock);
    std::size_t most = plan.is_roomy ? chunk_bytes(request) : 0;
    const std::size_t wanted = std::max(most, segment_bytes_for(request.bytes));
    if (arena_.accounts().charged_bytes() + wanted > comfortable_bytes()) most = 0;
    const bool is_plenty =
        excess_bytes(request, std::max(most, segment_bytes_for(request.bytes))) == 0;
    if (plan.is_roomy && (most == 0 || !is_plenty)) return {};
    if (plan.is_thrifty && (is_plenty || !thrift_.allows_moves())) return {};
    const Held held = heap.hold(request.bytes, request.stream, most, plan.fit);
    if (held.first || plan.fit != Fit::lowest) return held;
  }
  if (!add_range(request)) return {};
  Heap::Stock again = heap.make_stock(request.stream);
  const std::lock_guard guard(arena_);
  heap.put(again);
  return heap.hold(request.bytes, request.stream, 0, plan.fit);
}

// An eighth more than the device has: live blocks lie in the way of large ones. Addresses cost
// nothing; where even so many do not do, there is a second range.
bool Grower::add_range(AllocationRequest& request) {
  const std::size_t most =
      std::max(mapper_.source().capacity_bytes(), segment_bytes_for(request.bytes));
  auto range = std::make_unique<Segment>();
  range->bytes = rounded_up(most / 8 * 9, granularity_bytes());
  range->is_range = true;
  range->large_handles = LargeHandles(range->bytes, mapper_.source().large_handle_bytes());
  Heap::Stock stock = arena_.heap().make_stock(request.stream);
  range->address = static_cast<std::byte*>(mapper_.source().reserve(range->bytes));
  request.needs_segment = !range->address;
  if (request.needs_segment) return false;
  range->large_handles.place(range->address);
  const std::lock_guard guard(arena_);
  arena_.heap().put(stock);
  arena_.add(*range.release(), request.bytes, request.stream);
  return true;
}

// Before the source is asked: two threads must not both pass the limit. Where the limit has no
// room, as much is trimmed as the growth lacks, and nothing where all of it would not suffice.
bool Grower::charge(AllocationRequest& request, std::size_t bytes, const Plan& plan) {
  for (;;) {
    std::size_t lacking = 0;
    {
      const std::lock_guard guard(arena_);
      Accounts& accounts = arena_.accounts();
      if (!accounts.allows(request.bytes)) return false;
      lacking = accounts.lacking_bytes(bytes);
      if (bytes == 0 || lacking == 0) {
        accounts.begin_mapping(bytes);
        return true;
      }
      if (!plan.may_trim() || arena_.heap().trimmable_bytes() < lacking) return false;
    }
    if (!trim(request, lacking)) return false;
  }
}

// The lowest first, for new blocks come to lie at the other end. Not where the limit is in the way:
// then only what is lacking is trimmed.
void Grower::move_excess(AllocationRequest& request, std::size_t bytes) {
  std::size_t excess = 0;
  {
    const std::lock_guard guard(arena_);
    if (!thrift_.allows_moves() || arena_.accounts().lacking_bytes(bytes) > 0) return;
    excess = rounded_up(excess_bytes(request, bytes), granularity_bytes());
    excess = std::min(excess, arena_.heap().trimmable_bytes());
  }
  if (excess == 0) return;
  const std::size_t moved = trimmer_.trim(excess, End::lowest);
  arena_.locked([&] { thrift_.record_move(moved); });
}

// All of it or nothing. The pieces are ours: their neighbours keep off.
bool Grower::map_missing(const Held& held) {
  for (Block* piece = held.first;; piece = piece->after) {
    if (piece->state == BlockState::moving && !mapper_.map(*piece, held.by_granules)) {
      for (Block* undone = held.first; undone != piece; undone = undone->after) {
        if (undone->state == BlockState::moving) mapper_.unmap(*undone);
      }
      return false;
    }
    if (piece == held.last) return true;
  }
}

Block* Grower::grow_segment(AllocationRequest& request) {
  const std::size_t exact = segment_bytes_for(request.bytes);
  if (request.bytes > largest_small_bytes && exact < policy_.roomy_segment_bytes) {
    const std::size_t roomy = rounded_up(policy_.roomy_segment_bytes, granularity_bytes());
    if (Block* const block = add_segment(request, roomy, true)) return block;
  }
  if (Block* const block = add_segment(request, exact, false)) return block;
  return trim_for_segment(request) ? add_segment(request, exact, false) : nullptr;
}

Block* Grower::add_segment(AllocationRequest& request, std::size_t bytes, bool is_roomy) {
  auto segment = std::make_unique<Segment>();
  segment->bytes = bytes;
  Heap::Stock stock = arena_.heap().make_stock(request.stream);
  const bool is_charged = arena_.locked([&] {
    Accounts& accounts = arena_.accounts();
    const std::size_t most = is_roomy ? comfortable_bytes() : accounts.limit_bytes();
    const std::size_t charged = accounts.charged_bytes();
    if (charged > most || bytes > most - charged) return false;
    accounts.begin_mapping(bytes);
    return true;
  });
  if (!is_charged) return nullptr;
  const bool is_mapped = mapper_.map(*segment);
  const std::lock_guard guard(arena_);
  arena_.accounts().end_mapping(bytes);
  if (!is_mapped) return nullptr;
  arena_.heap().put(stock);
  arena_.add(*segment.release(), request.bytes, request.stream);
  return arena_.take(request.bytes, request.stream);
}

// As much as the request lacks, and nothing where all that is free would not suffice.
bool Grower::trim_for_segment(AllocationRequest& request) {
  const std::size_t needed = segment_bytes_for(request.bytes);
  std::size_t lacking = 0;
  {
    const std::lock_guard guard(arena_);
    lacking = arena_.accounts().lacking_bytes(needed);
    if (lacking > 0 && arena_.heap().trimmable_bytes() < lacking) return false;
  }
  // Where the limit has room, it was the source that had none.
  return trim(request, lacking > 0 ? lacking : needed);
}

// Whether it is worth asking the source again.
bool Grower::trim(AllocationRequest& request, std::size_t bytes) {
  const auto began = AllocationRequest::Clock::now();
  const std::size_t freed = trimmer_.trim(bytes);
  if (freed == 0) return false;
  request.note("free segments", freed, AllocationRequest::Clock::now() - began);
  request.refused_bytes = SIZE_MAX;
  arena_.locked([&] { ++retry_count_; });
  return true;
}

std::size_t Grower::chunk_bytes(const AllocationRequest& request) const noexcept {
  const std::size_t mapped = arena_.heap().mapped_bytes(request.bytes, request.stream);
  const std::size_t chunk = std::min(mapped / policy_.chunk_share, policy_.largest_chunk_bytes);
  return rounded_down(chunk, granularity_bytes());
}

std::size_t Grower::comfortable_bytes() const noexcept {
  return static_cast<std::size_t>(static_cast<double>(arena_.accounts().ceiling_bytes()) *
                                  policy_.comfortable_share);
}

// Then what a live block keeps of a large handle would be missed, and a growth may take its time.
bool Grower::is_short() const noexcept {
  return arena_.locked([&] { return arena_.accounts().charged_bytes() > comfortable_bytes(); });
}

// With `bytes` more, beside what is live.
std::size_t Grower::excess_bytes(const AllocationRequest& request, std::size_t bytes) noexcept {
  const Accounts& accounts = arena_.accounts();
  const std::size_t live = accounts.books().live_bytes() + request.bytes;
  return thrift_.excess_bytes(
      {.reserved = accounts.charged_bytes() + bytes,
       .most_live = std::max(accounts.books().peak_bytes(), live),
       .handed_out = arena_.heap().allocated(&PoolCounts::requested_bytes)});
}

}  // namespace garboard
