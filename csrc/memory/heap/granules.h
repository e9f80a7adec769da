// What of a free block its source can take away: the one place that knows what must stay together.
#pragma once

#include <cstddef>

#include "csrc/core/rounding.h"
#include "csrc/memory/heap/segment.h"

namespace garboard {

struct Granules {
  std::byte* begin = nullptr;
  std::byte* end = nullptr;

  std::size_t bytes() const noexcept { return static_cast<std::size_t>(end - begin); }
};

/// Whole granules, and of large handles whole ones. None of a segment that comes and goes as one.
inline Granules granules_of(const Block& free, std::size_t granularity) noexcept {
  const Segment& segment = *free.segment;
  if (!segment.is_range) return {};
  const LargeHandles& handles = segment.large_handles;
  std::byte* const begin = handles.edge_above(rounded_up(free.address, granularity));
  std::byte* const end = handles.edge_below(rounded_down(free.end(), granularity));
  return begin < end ? Granules{begin, end} : Granules{};
}

/// Of these, the upper ones that come to `bytes`, or to a little more where a large handle goes
/// with them.
inline Granules upper_granules(const Block& free, std::size_t bytes,
                               std::size_t granularity) noexcept {
  Granules granules = granules_of(free, granularity);
  if (bytes >= granules.bytes()) return granules;
  std::byte* const begin = granules.end - rounded_up(bytes, granularity);
  granules.begin = free.segment->large_handles.edge_below(begin);
  return granules;
}

}  // namespace garboard
