// How many threads do how much: functions of sizes, strides and addresses alone. Nothing here asks
// for the number of multiprocessors, so every GPU adds up in the same order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "csrc/core/host_device.h"
#include "csrc/device/device.h"
#include "kernels/cuda/launch/offsets.h"

namespace garboard::kernels::cuda {

inline constexpr int threads = 256;  // of every block that does not say otherwise

/// Blocks in one dim.
struct Grid {
  std::int64_t blocks;
  Stream stream;
  int block_threads = threads;
  std::size_t shared_bytes = 0;  // of a block, beside what its kernel declares
};

// Elementwise work. Dense memory goes by packs of up to 16 bytes, several of them in flight.

inline constexpr int packs_in_flight = 2;
inline constexpr int strided_in_flight = 4;

/// Elements in a pack of 16 bytes of the widest of the types.
template <class... T>
inline constexpr int pack_elements = 16 / static_cast<int>(std::max({sizeof(T)...}));

/// Elements that a block computes.
GARBOARD_HD constexpr std::int64_t dense_tile(int pack) {
  return std::int64_t{threads} * packs_in_flight * pack;
}
inline constexpr std::int64_t strided_tile = std::int64_t{threads} * strided_in_flight;

/// Elements of one launch that counts in 32 bits.
inline constexpr std::int64_t most_elements = std::int64_t{1} << 30;

namespace {

/// Whether the nest over `operands` can be walked by packs of `pack` elements: each has its
/// elements one after the other along the inner dim, on addresses that suit packs, or a single one
/// there. `data` and `items`, the bytes of an element, are the operands'; the output comes first.
inline bool goes_by_packs(const NestPart& nest, const void* const* data, const std::size_t* items,
                          int pack) {
  if (nest.dims == 0) return true;
  if (nest.dims > 1 && nest.inner().size % pack != 0) return false;
  for (int k = 0; k < nest.operands; ++k) {
    const std::int64_t stride = nest.inner().strides[k];
    if (stride == 0 && k > 0) continue;
    if (stride != 1 || reinterpret_cast<std::uintptr_t>(data[k]) % (pack * items[k]) != 0)
      return false;
    for (int d = 0; d < nest.dims - 1; ++d)
      if (nest.dim[d].strides[k] % pack != 0) return false;
  }
  return true;
}

/// A nest that suits packs, as one of them.
struct PackedPart {
  NestPart packs;
  std::uint32_t rest;  // elements at the end that fill none

  PackedPart(const NestPart& part, int pack) : packs(part), rest(0) {
    if (packs.dims == 0) packs.dim[packs.dims++] = {1, {}};
    LoopDim& inner = packs.inner();
    if (packs.dims == 1) rest = static_cast<std::uint32_t>(inner.size % pack);
    inner.size /= pack;
    for (int k = 0; k < packs.operands; ++k) inner.strides[k] *= pack;
  }
};

}  // namespace

// Sorting. A block puts in order what its shared memory holds.

inline constexpr int sort_tile = 1024;  // entries

// Reductions. A block's threads are cut into groups of `lanes`, each for one result; where there
// are few results, several blocks share one and a second launch merges what they found.

struct ReducePlan {
  int lanes;       // a power of 2, at most `threads`
  bool is_across;  // neighbouring threads have neighbouring results, not elements of one result
  std::int64_t groups;  // blocks that together have a lane for each result
  std::int64_t splits;  // blocks that share a result

  std::int64_t blocks() const { return groups * splits; }
  int results_per_block() const { return threads / lanes; }
};

/// The plan for `results` of `count` elements each.
inline ReducePlan plan_reduction(std::int64_t results, std::int64_t count, bool is_across) {
  constexpr std::int64_t enough_blocks = 1024;  // to fill any GPU
  constexpr std::int64_t worth_a_lane = 16;     // elements
  constexpr int widest_across = threads / 32;   // a warp reads 32 neighbours
  const auto at_most = static_cast<std::uint64_t>(is_across ? widest_across : threads);
  // Along a row even a few elements deserve a lane each: the warp reads them together.
  const auto wanted = static_cast<std::uint64_t>(is_across ? count / worth_a_lane : count);
  ReducePlan plan{};
  plan.is_across = is_across;
  plan.lanes = static_cast<int>(std::bit_floor(std::clamp<std::uint64_t>(wanted, 1, at_most)));
  if (!is_across && count <= 1024) plan.lanes = std::min(plan.lanes, 32);
  plan.groups = divided_up(results, plan.results_per_block());
  const std::int64_t wanted_splits = enough_blocks / std::max<std::int64_t>(plan.groups, 1);
  const std::int64_t most_splits = count / (plan.lanes * worth_a_lane);
  plan.splits = std::clamp<std::int64_t>(std::min(wanted_splits, most_splits), 1, enough_blocks);
  return plan;
}

/// How dense rows are read by packs: `lanes` neighbouring threads share a row, or the part of it
/// that is a block's.
struct RowPlan {
  int lanes;             // a power of 2, at most `threads`
  std::int64_t groups;   // blocks that together have lanes for each row
  std::int64_t splits;   // blocks that share a row
  std::int64_t portion;  // elements of a row that each of them takes

  std::int64_t blocks() const { return groups * splits; }
};

inline constexpr int packs_ahead = 4;  // of a thread that adds up
inline constexpr std::int64_t plenty_of_blocks = 2048;

/// The plan for rows of `size` elements, in packs of `pack`.
inline RowPlan plan_rows(std::int64_t rows, std::int64_t size, int pack) {
  constexpr std::int64_t most_of_a_warp = 256;  // packs
  const std::int64_t packs = divided_up(size, pack);
  const bool is_short = packs <= most_of_a_warp;
  const std::int64_t wanted = is_short ? packs / 2 : packs / packs_ahead;
  const auto lanes = std::bit_floor(
      static_cast<std::uint64_t>(std::clamp<std::int64_t>(wanted, 1, is_short ? 32 : threads)));
  RowPlan plan{static_cast<int>(lanes), 0, 1, std::max<std::int64_t>(size, 1)};
  plan.groups = divided_up(rows, threads / plan.lanes);
  const std::int64_t step = std::int64_t{plan.lanes} * pack * packs_ahead;
  const std::int64_t wanted_splits = plenty_of_blocks / std::max<std::int64_t>(plan.groups, 1);
  const std::int64_t splits = std::min(wanted_splits, size / step);
  if (splits <= 1) return plan;
  plan.portion = divided_up(divided_up(size, splits), step) * step;
  plan.splits = divided_up(size, plan.portion);
  return plan;
}

/// The plan for columns that stand side by side, `size` elements long: neighbouring threads have
/// neighbouring groups of columns, `groups_of_columns` in all.
inline RowPlan plan_columns(std::int64_t groups_of_columns, std::int64_t size) {
  constexpr std::int64_t a_warp = 32, worth_a_lane = 16;
  const auto side_by_side = std::bit_ceil(
      static_cast<std::uint64_t>(std::clamp<std::int64_t>(groups_of_columns, 1, a_warp)));
  const auto most_lanes = static_cast<std::int64_t>(threads / side_by_side);
  const auto lanes = std::bit_floor(
      static_cast<std::uint64_t>(std::clamp<std::int64_t>(size / worth_a_lane, 1, most_lanes)));
  RowPlan plan{static_cast<int>(lanes), 0, 1, std::max<std::int64_t>(size, 1)};
  plan.groups = divided_up(groups_of_columns, threads / plan.lanes);
  const std::int64_t step = plan.lanes * worth_a_lane;
  const std::int64_t wanted_splits = plenty_of_blocks / std::max<std::int64_t>(plan.groups, 1);
  const std::int64_t splits = std::min(wanted_splits, size / step);
  if (splits <= 1) return plan;
  plan.portion = divided_up(divided_up(size, splits), step) * step;
  plan.splits = divided_up(size, plan.portion);
  return plan;
}

}  // namespace garboard::kernels::cuda
