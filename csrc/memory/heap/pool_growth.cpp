// How the ranges of a pool get memory and lose it. In between the lock is given up, so all that
// takes part is marked, and nobody merges with it, takes it or trims it.
#include <algorithm>
#include <cassert>

#include "csrc/core/rounding.h"
#include "csrc/memory/heap/granules.h"
#include "csrc/memory/heap/pool.h"

namespace garboard {
namespace {

// What could be held, from below `gap`, where the free memory does: pieces of memory and gaps by
// turns, up to the one in which `needed` bytes end.
Held holdable(Block& gap, std::size_t needed, std::size_t granularity) {
  Block* const first = gap.before && gap.before->is_free() ? gap.before : &gap;
  std::byte* const end = first->address + needed;
  std::size_t missing = 0;
  for (Block* piece = first; piece; piece = piece->after) {
    if (piece->is_unmapped()) {
      const std::size_t left = end > piece->address ? end - piece->address : 0;
      missing += std::min(piece->bytes, rounded_up(left, granularity));
    } else if (!piece->is_free()) {
      break;
    }
    if (piece->end() >= end) return {first, piece, missing};
  }
  return {};
}

// Each gap was mapped by a call of its own.
void note_mapped(const Held& held, LargeHandles& handles) noexcept {
  for (const Block* piece = held.first;; piece = piece->after) {
    if (piece->state == BlockState::moving) handles.add(piece->address, piece->end());
    if (piece == held.last) return;
  }
}

}  // namespace

Held Pool::hold(Segment& range, std::size_t bytes, std::size_t most_bytes, std::size_t granularity,
                Fit fit) noexcept {
  const std::size_t needed = rounded(bytes);
  Held found;
  const bool is_upward = fit != Fit::highest;
  Block* gap = is_upward ? range.gaps.lowest() : range.gaps.highest();
  for (; gap; gap = is_upward ? gap->bin_after : gap->bin_before) {
    const Held next = holdable(*gap, needed, granularity);
    if (!next.first || (found.first && next.missing_bytes >= found.missing_bytes)) continue;
    found = next;
    if (fit != Fit::least) break;
  }
  if (!found.first) return found;

  std::byte* const end = found.first->address + needed;
  for (Block* piece = found.first;; piece = piece->after) {
    if (piece->is_free()) {
      detach(*piece);
      piece->state = BlockState::held;
    } else {
      range.gaps.remove(*piece);
      if (piece == found.last) {
        const std::size_t least = rounded_up(end - piece->address, granularity);
        const std::size_t before = found.missing_bytes - least;
        const std::size_t more = most_bytes > before ? most_bytes - before : 0;
        const std::size_t wanted = std::min(piece->bytes, std::max(least, more));
        found.missing_bytes = before + wanted;
        if (wanted < piece->bytes) range.gaps.insert(*split(*piece, wanted));
      }
      piece->state = BlockState::moving;
    }
    if (piece == found.last) return found;
  }
}

Block* Pool::settle(const Held& held, std::size_t bytes) noexcept {
  Block& block = *held.first;
  Segment& range = *block.segment;
  range.mapped_bytes += held.missing_bytes;
  if (!held.by_granules) note_mapped(held, range.large_handles);
  for (bool is_whole = held.first == held.last; !is_whole;) {
    Block& above = *block.after;
    is_whole = &above == held.last;
    swallow_above(block, above);
  }
  block.state = BlockState::live;
  const std::size_t needed = rounded(bytes);
  if (block.bytes > needed) {
    Block& rest = *split(block, needed);
    rest.state = BlockState::live;
    give(rest);
  }
  block.requested_bytes = bytes;
  block.stream = stream_;
  return &block;
}

void Pool::cancel(const Held& held) noexcept {
  for (Block *piece = held.first, *next = nullptr;; piece = next) {
    const bool is_last = piece == held.last;
    next = piece->after;
    if (piece->state == BlockState::held) {
      piece->state = BlockState::live;
      give(*piece);
    } else {
      open_gap(*piece);
    }
    if (is_last) return;
  }
}

// The highest granules: what lies low stays, and with it the range stays short.
Block* Pool::carve(Block& free, std::size_t bytes, std::size_t granularity) noexcept {
  const auto [start, end] = upper_granules(free, bytes, granularity);
  if (start == end) return nullptr;

  detach(free);
  if (end < free.end()) {
    Block& above = *split(free, end - free.address);
    above.state = BlockState::free;
    insert(above);
  }
  Block* carved = &free;
  if (start > free.address) {
    carved = split(free, start - free.address);
    insert(free);
  }
  carved->state = BlockState::moving;
  carved->segment->mapped_bytes -= carved->bytes;
  carved->segment->large_handles.remove(start, end);
  return carved;
}

void Pool::drop(Block& carved) noexcept { open_gap(carved); }

// Merges with gaps on both sides. What is free below the last one is the wilderness.
void Pool::open_gap(Block& block) noexcept {
  Segment& range = *block.segment;
  Block* gap = &block;
  if (Block* const after = gap->after; after && after->is_unmapped()) {
    range.gaps.remove(*after);
    swallow_above(*gap, *after);
  }
  if (Block* const before = gap->before; before && before->is_unmapped()) {
    range.gaps.remove(*before);
    swallow_above(*before, *gap);
    gap = before;
  }
  gap->state = BlockState::unmapped;
  gap->requested_bytes = 0;
  range.gaps.insert(*gap);
  Block* const below = gap->before;
  if (gap->after || wilderness_ || !below || !below->is_free()) return;
  bins_.remove(*below);
  wilderness_ = below;
}

// The upper part as a block of the same state; neither is in a bin or among the gaps yet.
Block* Pool::split(Block& block, std::size_t lower_bytes) noexcept {
  Block* const upper = supply_.take();
  upper->address = block.address + lower_bytes;
  upper->bytes = block.bytes - lower_bytes;
  upper->requested_bytes = 0;
  upper->state = block.state;
  upper->before = &block;
  upper->after = block.after;
  upper->segment = block.segment;
  upper->stream = block.stream;
  if (upper->after) upper->after->before = upper;
  block.after = upper;
  block.bytes = lower_bytes;
  return upper;
}

}  // namespace garboard
