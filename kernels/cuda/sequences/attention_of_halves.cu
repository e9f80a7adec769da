// Attention of halves, forward. A block has 128 rows, a warp 32 of them: its scores, shares and
// sums never leave its registers, for what a product gives is laid out like what the next one
// takes. k and v come tile by tile, the next one while one is in work (Dao, "FlashAttention-2",
// arXiv:2307.08691). Shares are rounded to the half type, all else is float32.
#include "kernels/cuda/sequences/attention_of_halves.h"

#include <cmath>

#include "kernels/cuda/sequences/half_scores.h"
#include "kernels/cuda/sequences/running_sums.h"

namespace garboard::kernels::cuda {

bool has_chunks(const View& view) {
  const auto pack = static_cast<std::int64_t>(sizeof(Chunk) / item_size(view.dtype));
  if (reinterpret_cast<std::uintptr_t>(view.data) % sizeof(Chunk) != 0) return false;
  if (view.sizes[3] % pack != 0) return false;
  for (int d = 0; d < 3; ++d)
    if (view.sizes[d] > 1 && view.strides[d] % pack != 0) return false;
  return true;
}

bool is_plain(const Attention& of) {
  return has_chunks(of.q) && has_chunks(of.k) && has_chunks(of.v) && has_chunks(of.out) &&
         !of.mask.data && of.keep >= 1 && of.scale > 0;
}

namespace {

constexpr int own = 2, block_rows = half_warps * own * 16, tile_columns = 64;

template <class T, int width>
constexpr std::size_t forward_bytes = HalfTile<T, width>::bytes(block_rows) +
                                      4 * HalfTile<T, width>::bytes(tile_columns);

/// Columns whose scores a warp has at a time: sums of wide rows leave few registers.
template <int width>
constexpr int part_columns = width <= 64 ? 64 : 32;

template <class T, int others>
__device__ void drop(float (&shares)[own][others][4], const AttentionShape<T>& shape,
                     const ScoreTile<false>& place, const Lane& lane) {
  if (!(shape.keep < 1)) return;
#pragma unroll
  for (int m = 0; m < own; ++m)
#pragma unroll
    for (int n = 0; n < others; ++n)
#pragma unroll
      for (int i = 0; i < 4; ++i)
        if (shape.factor(place.batch, place.head, place.row_of(lane, m, n, i),
                         place.column_of(lane, m, n, i)) == 0)
          shares[m][n][i] = 0;
}

template <class T, int width, bool is_plain>
__global__ void __launch_bounds__(half_threads, 2)
    attend(Sequences<T> out, float* log_sums, const __grid_constant__ AttentionShape<T> shape,
           const HeadOrder order) {
  using Tile = HalfTile<T, width>;
  T* const memory = reinterpret_cast<T*>(shared_bytes());
  const Lane lane;
  const HeadTile at = order.at(blockIdx.x);
  const auto shared = shape.shared_head(at.head);
  const int first_row = at.tile * block_rows;
  const int row = static_cast<int>(threadIdx.x) / 32 * own * 16;  // of the warp in the block
  const int end = static_cast<int>(shape.end_of_columns(first_row + block_rows));
  const auto tile = [&](int which) {
    return Tile{memory + (block_rows + which * tile_columns) * width};
  };
  const auto copy = [&](int column, int stage) {
    tile(stage * 2).template copy<tile_columns, is_plain>(
        shape.k.tile(at.batch, shared, column, end), static_cast<int>(shape.depth));
    tile(stage * 2 + 1)
        .template copy<tile_columns, is_plain>(shape.v.tile(at.batch, shared, column, end),
                                               static_cast<int>(shape.values));
  };
  Tile{memory}.template copy<block_rows, is_plain>(
      shape.q.tile(at.batch, at.head, first_row, shape.rows), static_cast<int>(shape.depth));
  if (end > 0) copy(0, 0);
  end_copies();

  LeftRows<T, width, own, width <= 64> q(Tile{memory}, row);
  RunningSums<own> running;
  float sums[own][width / 8][4] = {};
  const float unit = score_unit<is_plain>(shape);
  for (int column = 0, stage = 0; column < end; column += tile_columns, stage ^= 1) {
    await_copies<0>();
    __syncthreads();  // also: nobody reads the other stage any more
    if (column == 0) q.keep(lane);
    if (column + tile_columns < end) copy(column + tile_columns, stage ^ 1);
    end_copies();
#pragma unroll 1
    for (int part = 0; part < tile_columns; part += part_columns<width>) {
      constexpr int others = part_columns<width> / 8;
      const ScoreTile<false> place{at.batch, at.head, first_row + row, column + part};
      if (shape.is_causal && place.column > place.row + own * 16 - 1) break;  // it sees none
      float scores[own][others][4];
      multiply_rows(scores, q, tile(stage * 2), part, lane);
      see<is_plain>(scores, shape, place, lane);
      running.take(scores, sums, unit);
      if constexpr (!is_plain) drop(scores, shape, place, lane);
      add_products(sums, scores, tile(stage * 2 + 1), part, lane);
    }
  }

  float factors[own * 2];
#pragma unroll
  for (int r = 0; r < own * 2; ++r) {
    const float sum = running.whole(r);
    const bool sees = sum != 0;  // NaN does
    factors[r] = sees ? 1 / (sum * static_cast<float>(shape.keep)) : 0;
    const int at_row = first_row + row + lane.row(r / 2, r % 2 * 2);
    if (lane.t == 0 && at_row < shape.rows)
      log_sums[(std::int64_t{at.batch} * shape.heads + at.head) * shape.rows + at_row] =
          sees ? running.top[r] * unit * e_powers_in_2 + functors::log(sum) : lowest_score<float>;
  }
  store_rows<T, own, width / 8, is_plain>(out.tile(at.batch, at.head, first_row, shape.rows), row,
                                          static_cast<int>(shape.values), sums, factors, lane);
}

template <class T, int width, bool is_plain>
void run_attention(const Attention& of, Stream stream) {
  const AttentionShape<T> shape(of);
  const HeadOrder order(of, shape.heads, shape.rows, shape.columns, block_rows, of.is_causal);
  launch(attend<T, width, is_plain>,
         {order.blocks(), stream, half_threads, forward_bytes<T, width>}, Sequences<T>(of.out),
         of.log_sums.as<float>(), shape, order);
}

}  // namespace

void attend_halves(const Attention& of, Stream stream) {
  visit_halves(of, [&]<class T, int width> {
    is_plain(of) ? run_attention<T, width, true>(of, stream)
                 : run_attention<T, width, false>(of, stream);
  });
}

}  // namespace garboard::kernels::cuda
