// Which way slices are sorted or searched: a function of sizes alone.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "kernels/cuda/launch/launch_plan.h"

namespace garboard::kernels::cuda {

enum class SortWay : std::uint8_t {
  short_slices,  // several in a block, by comparing
  tiles,         // one in a block, by digits
  merging,
  digits,
  selection_by_blocks,  // a block each
  selection_by_grid,
};

inline constexpr std::int64_t longest_short_slice = 256;       // compared faster than counted
inline constexpr std::int64_t longest_of_tile = 16 * threads;  // which a block can share
inline constexpr std::int64_t most_selected_in_block = 1024;

namespace {

/// Whether the blocks of a grid share each slice: where they are few and long.
inline bool selects_by_grid(std::int64_t slices, std::int64_t size, std::int64_t key_bytes) {
  constexpr std::int64_t enough_blocks = 64, long_slice_bytes = 512 << 10;
  return slices < enough_blocks && size * key_bytes >= long_slice_bytes;
}

/// How slices are sorted. Costs, of those too long for a block, are in entries that are read and
/// written once at the memory's rate; a launch is worth many.
inline SortWay plan_whole_sort(std::int64_t slices, std::int64_t size, std::int64_t key_bytes) {
  if (size <= longest_short_slice) return SortWay::short_slices;
  if (size <= longest_of_tile) return SortWay::tiles;
  constexpr std::int64_t a_launch = 200'000, a_merge = 3, a_digit = 1;
  const std::int64_t count = slices * size;
  const auto merges = std::bit_width(static_cast<std::uint64_t>((size - 1) / sort_tile));
  const std::int64_t merging = a_launch * (3 + merges) + count * (4 + a_merge * merges);
  const std::int64_t digits = key_bytes * (3 * a_launch + count * a_digit);
  return digits < merging ? SortWay::digits : SortWay::merging;
}

/// How the first `wanted` in order of each slice are found.
inline SortWay plan_sort(std::int64_t slices, std::int64_t size, std::int64_t wanted,
                         std::int64_t key_bytes) {
  constexpr std::int64_t most_selected = 1 << 16, least_share = 8;
  if (size <= longest_of_tile) return plan_whole_sort(slices, size, key_bytes);
  const bool by_grid = selects_by_grid(slices, size, key_bytes);
  if (wanted <= most_selected_in_block)
    return by_grid ? SortWay::selection_by_grid : SortWay::selection_by_blocks;
  if (wanted <= std::min(most_selected, size / least_share)) return SortWay::selection_by_grid;
  return plan_whole_sort(slices, size, key_bytes);
}

}  // namespace
}  // namespace garboard::kernels::cuda
