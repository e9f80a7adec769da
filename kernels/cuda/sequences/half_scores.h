// What attention of halves makes of the products of rows of q and k, and how blocks share the work.
// Powers are of 2: scores are counted in such units.
#pragma once

#include <algorithm>

#include "kernels/cuda/sequences/attention_shape.h"
#include "kernels/cuda/sequences/half_tiles.h"

namespace garboard::kernels::cuda {

inline constexpr float powers_of_2_in_e = 1.44269504f, e_powers_in_2 = 0.693147181f;

/// The head that a block works for, and which tile of it.
struct HeadTile {
  int batch, head, tile;
};

/// Blocks in an order that keeps the heads in work few, for the L2 cache to hold what their blocks
/// share, and begins with the tiles that have most to do.
struct HeadOrder {
  int tiles, heads, all_heads, at_a_time;
  bool is_last_first;

  HeadOrder(const Attention& of, std::int64_t of_heads, std::int64_t length, std::int64_t met,
            int tile, bool is_last_first)
      : tiles(static_cast<int>(divided_up(length, tile))),
        heads(static_cast<int>(of_heads)),
        all_heads(static_cast<int>(of.q.sizes[0] * of_heads)),
        at_a_time(0),
        is_last_first(is_last_first) {
    constexpr std::int64_t cached_bytes = 16 << 20;
    const auto item = static_cast<std::int64_t>(item_size(of.q.dtype));
    const std::int64_t bytes = item * met * (of.q.sizes[3] + of.v.sizes[3]);
    at_a_time = static_cast<int>(std::clamp<std::int64_t>(
        cached_bytes / std::max<std::int64_t>(bytes, 1), 1, std::max(all_heads, 1)));
  }
  std::int64_t blocks() const { return std::int64_t{tiles} * all_heads; }

  __device__ __forceinline__ HeadTile at(unsigned block) const {
    const int group = static_cast<int>(block) / (tiles * at_a_time);
    const int in_group = static_cast<int>(block) % (tiles * at_a_time);
    const int first = group * at_a_time;
    const int size = all_heads - first < at_a_time ? all_heads - first : at_a_time;
    const int head = first + in_group % size, tile = in_group / size;
    return {head / heads, head % heads, is_last_first ? tiles - 1 - tile : tile};
  }
};

/// Scores that a warp has: of rows from `row` on, which stand left in the product, or right where
/// it `is_transposed`, and of columns from `column` on.
template <bool is_transposed>
struct ScoreTile {
  int batch, head, row, column;

  __device__ __forceinline__ int row_of(const Lane& lane, int m, int n, int i) const {
    return row + (is_transposed ? lane.column(n, i) : lane.row(m, i));
  }
  __device__ __forceinline__ int column_of(const Lane& lane, int m, int n, int i) const {
    return column + (is_transposed ? lane.row(m, i) : lane.column(n, i));
  }
};

/// What a power of 2 makes a share of: a product times this, or, where the call is not plain, what
/// `see` has made of it.
template <bool is_plain, class T>
__device__ __forceinline__ float score_unit(const AttentionShape<T>& shape) {
  return is_plain ? shape.scale * powers_of_2_in_e : 1.0f;
}

/// Makes scores of products; those that are not seen are -infinity. Of a plain call products are
/// scores.
template <bool is_plain, class T, bool is_transposed, int own, int others>
__device__ __forceinline__ void see(float (&scores)[own][others][4], const AttentionShape<T>& shape,
                                    const ScoreTile<is_transposed>& tile, const Lane& lane) {
  if constexpr (is_plain) {
    constexpr int columns = is_transposed ? own * 16 : others * 8;
    const int last = tile.column + columns - 1;
    if (last < shape.columns && !(shape.is_causal && last > tile.row)) return;
  }
#pragma unroll
  for (int r = 0; r < own * 2; ++r) {
    // Of what stands right, from `first` on and before `end` are seen; columns that are not there
    // do no harm where they stand left, for nobody reads their sums.
    const int mine = is_transposed ? tile.column_of(lane, r / 2, 0, r % 2 * 2)
                                   : tile.row_of(lane, r / 2, 0, r % 2 * 2);
    const int columns = static_cast<int>(shape.columns) - tile.column;
    const int seen = shape.is_causal ? mine - tile.column + 1 : columns;
    const int end = (seen < columns ? seen : columns) - lane.t * 2;
    const int first = (shape.is_causal ? mine - tile.row : 0) - lane.t * 2;
#pragma unroll
    for (int n = 0; n < others; ++n)
#pragma unroll
      for (int i = r % 2 * 2; i < r % 2 * 2 + 2; ++i) {
        float& score = scores[r / 2][n][i];
        if constexpr (is_plain) {
          const int at = n * 8 + i % 2;
          score = (is_transposed ? at >= first : at < end) ? score : lowest_score<float>;
        } else {
          score = shape.score(score, tile.batch, tile.head, tile.row_of(lane, r / 2, n, i),
                              tile.column_of(lane, r / 2, n, i)) *
                  powers_of_2_in_e;
        }
      }
  }
}

/// Whether rows of 16-byte chunks are what they look like, and nothing is masked or dropped.
bool is_plain(const Attention& of);
/// Whether `view` can be read in such chunks.
bool has_chunks(const View& view);

/// Calls `run` with a half type and a width as wide as the call's rows.
template <class Run>
void visit_halves(const Attention& of, const Run& run) {
  const bool is_narrow = std::max(of.q.sizes[3], of.v.sizes[3]) <= 64;
  const auto visit = [&]<class T> {
    is_narrow ? run.template operator()<T, 64>() : run.template operator()<T, 128>();
  };
  of.q.dtype == DType::float16 ? visit.template operator()<Float16>()
                               : visit.template operator()<BFloat16>();
}

}  // namespace garboard::kernels::cuda
