// The gradients of attention of halves. Shares are computed again from the logarithms of their
// sums, twice: a block that has some columns meets the rows tile by tile and finds what they give
// to k and v, one that has some rows meets the columns and finds what they give to q. So nothing is
// added up in memory, and sums are taken in the order of tiles. What stands left in a product is a
// block's own, and scores, shares and slopes never leave a warp's registers.
#include <cmath>

#include "kernels/cuda/sequences/attention_of_halves.h"
#include "kernels/cuda/sequences/half_scores.h"
#include "kernels/cuda/sequences/row_notes.h"

namespace garboard::kernels::cuda {
namespace {

// Rows, and what they give to q.

constexpr int part = 32;  // columns at a time

template <int width>
struct RowTilePlan {
  static constexpr int own = 2, rows = half_warps * own * 16, columns = width <= 64 ? 64 : 32;
  template <class T>
  static constexpr std::size_t bytes = HalfTile<T, width>::bytes(2 * rows) +
                                       4 * HalfTile<T, width>::bytes(columns);
};

template <class T, int width, bool is_plain>
__global__ void __launch_bounds__(half_threads, 2)
    find_row_gradients(Sequences<T> d_q, const __grid_constant__ GradientCall<T> call,
                       const HeadOrder order) {
  using Tile = HalfTile<T, width>;
  using Plan = RowTilePlan<width>;
  constexpr int own = Plan::own, others = part / 8;
  const AttentionShape<T>& shape = call.shape;
  T* const memory = reinterpret_cast<T*>(shared_bytes());
  const Lane lane;
  const HeadTile at = order.at(blockIdx.x);
  const auto shared = shape.shared_head(at.head);
  const int first_row = at.tile * Plan::rows;
  const int row = static_cast<int>(threadIdx.x) / 32 * own * 16;
  const int end = static_cast<int>(shape.end_of_columns(first_row + Plan::rows));
  const Tile q_tile{memory}, d_out_tile{memory + Plan::rows * width};
  const auto tile = [&](int which) {
    return Tile{memory + (2 * Plan::rows + which * Plan::columns) * width};
  };
  const int depth = static_cast<int>(shape.depth), values = static_cast<int>(shape.values);
  const auto copy = [&](int column, int stage) {
    tile(stage * 2).template copy<Plan::columns, is_plain>(
        shape.k.tile(at.batch, shared, column, end), depth);
    tile(stage * 2 + 1)
        .template copy<Plan::columns, is_plain>(shape.v.tile(at.batch, shared, column, end),
                                                values);
  };
  q_tile.template copy<Plan::rows, is_plain>(shape.q.tile(at.batch, at.head, first_row, shape.rows),
                                             depth);
  d_out_tile.template copy<Plan::rows, is_plain>(
      call.d_out.tile(at.batch, at.head, first_row, shape.rows), values);
  if (end > 0) copy(0, 0);
  end_copies();

  RowNote notes[own * 2];
#pragma unroll
  for (int r = 0; r < own * 2; ++r)
    notes[r] = call.notes_of(at)[first_row + row + lane.row(r / 2, r % 2 * 2)];
  LeftRows<T, width, own, width <= 64> q(q_tile, row), d_out(d_out_tile, row);
  float sums[own][width / 8][4] = {};
  const float unit = score_unit<is_plain>(shape);
  for (int column = 0, stage = 0; column < end; column += Plan::columns, stage ^= 1) {
    await_copies<0>();
    __syncthreads();  // also: nobody reads the other stage any more
    if (column == 0) q.keep(lane), d_out.keep(lane);
    if (column + Plan::columns < end) copy(column + Plan::columns, stage ^ 1);
    end_copies();
#pragma unroll 1
    for (int from = 0; from < Plan::columns; from += part) {
      const ScoreTile<false> place{at.batch, at.head, first_row + row, column + from};
      if (shape.is_causal && place.column > place.row + own * 16 - 1) break;  // it sees none
      float scores[own][others][4], slopes[own][others][4];
      multiply_rows(scores, q, tile(stage * 2), from, lane);
      multiply_rows(slopes, d_out, tile(stage * 2 + 1), from, lane);
      see<is_plain>(scores, shape, place, lane);
#pragma unroll
      for (int m = 0; m < own; ++m)
#pragma unroll
        for (int n = 0; n < others; ++n)
#pragma unroll
          for (int i = 0; i < 4; ++i) {
            float d_share = slopes[m][n][i];
            if (!is_plain && shape.keep < 1)
              d_share *= shape.factor(at.batch, at.head, place.row_of(lane, m, n, i),
                                      place.column_of(lane, m, n, i));
            slopes[m][n][i] =
                ScoreSlope(scores[m][n][i], unit, notes[m * 2 + i / 2], d_share).slope;
          }
      add_products(sums, slopes, tile(stage * 2), from, lane);
    }
  }
  float factors[own * 2];
#pragma unroll
  for (int r = 0; r < own * 2; ++r) factors[r] = shape.scale;
  store_rows<T, own, width / 8, is_plain>(d_q.tile(at.batch, at.head, first_row, shape.rows), row,
                                          depth, sums, factors, lane);
}

// Columns, and what they give to k and v.

template <int width>
struct ColumnPlan {
  static constexpr int own = width <= 64 ? 2 : 1, columns = half_warps * own * 16, rows = 64;
  static constexpr int part = width <= 64 ? 32 : 64;  // rows at a time
  template <class T>
  static constexpr std::size_t bytes = HalfTile<T, width>::bytes(2 * columns + 4 * rows) +
                                       2 * rows * sizeof(RowNote);
};

template <class T, int width, bool is_plain>
__global__ void __launch_bounds__(half_threads, 2)
    find_column_gradients(Sequences<T> d_k, Sequences<T> d_v,
                          const __grid_constant__ GradientCall<T> call, const HeadOrder order) {
  using Tile = HalfTile<T, width>;
  using Plan = ColumnPlan<width>;
  constexpr int own = Plan::own, others = Plan::part / 8;
  const AttentionShape<T>& shape = call.shape;
  T* const memory = reinterpret_cast<T*>(shared_bytes());
  const Lane lane;
  const HeadTile at = order.at(blockIdx.x);
  const int first_column = at.tile * Plan::columns;
  const int column = static_cast<int>(threadIdx.x) / 32 * own * 16;  // of the warp in the block
  const Tile k_tile{memory}, v_tile{memory + Plan::columns * width};
  const auto tile = [&](int which) {
    return Tile{memory + (2 * Plan::columns + which * Plan::rows) * width};
  };
  auto* const notes = reinterpret_cast<RowNote*>(tile(4).data);
  const int depth = static_cast<int>(shape.depth), values = static_cast<int>(shape.values);
  const int rows = static_cast<int>(shape.rows);
  // Rows of all heads that share the columns, but not those before the first that sees one.
  const int sharing = static_cast<int>(shape.heads / shape.shared_heads);
  const int from_row = shape.is_causal ? first_column / Plan::rows * Plan::rows : 0;
  const int tiles = from_row < rows ? (rows - from_row + Plan::rows - 1) / Plan::rows : 0;
  const auto copy = [&](int head, int row, int stage) {
    tile(stage * 2).template copy<Plan::rows, is_plain>(shape.q.tile(at.batch, head, row, rows),
                                                        depth);
    tile(stage * 2 + 1)
        .template copy<Plan::rows, is_plain>(call.d_out.tile(at.batch, head, row, rows), values);
    constexpr int in_chunk = 16 / sizeof(RowNote);
    const int t = static_cast<int>(threadIdx.x);
    if (t < Plan::rows / in_chunk)
      copy_chunk(notes + stage * Plan::rows + t * in_chunk,
                 call.notes_of({at.batch, head, 0}) + row + t * in_chunk, true);
  };
  k_tile.template copy<Plan::columns, is_plain>(
      shape.k.tile(at.batch, at.head, first_column, shape.columns), depth);
  v_tile.template copy<Plan::columns, is_plain>(
      shape.v.tile(at.batch, at.head, first_column, shape.columns), values);
  int head = at.head * sharing, row = from_row;
  if (tiles > 0) copy(head, row, 0);
  end_copies();

  const LeftRows<T, width, own, false> k(k_tile, column), v(v_tile, column);
  float k_sums[own][width / 8][4] = {}, v_sums[own][width / 8][4] = {};
  const float unit = score_unit<is_plain>(shape);
  for (int left = sharing * tiles, stage = 0; left > 0; --left, stage ^= 1) {
    await_copies<0>();
    __syncthreads();  // also: nobody reads the other stage any more
    const int this_head = head, this_row = row;
    row += Plan::rows;
    if (row >= rows) row = from_row, ++head;
    if (left > 1) copy(head, row, stage ^ 1);
    end_copies();
#pragma unroll 1
    for (int from = 0; from < Plan::rows; from += Plan::part) {
      const ScoreTile<true> place{at.batch, this_head, this_row + from, first_column + column};
      if (shape.is_causal && place.column > place.row + Plan::part - 1) continue;  // none sees it
      float shares[own][others][4], slopes[own][others][4];
      multiply_rows(shares, k, tile(stage * 2), from, lane);
      see<is_plain>(shares, shape, place, lane);
      multiply_rows(slopes, v, tile(stage * 2 + 1), from, lane);
#pragma unroll
      for (int n = 0; n < others; ++n) {
        const RowNote* const two = notes + stage * Plan::rows + from + lane.column(n, 0);
        const RowNote of_row[2] = {two[0], two[1]};
#pragma unroll
        for (int m = 0; m < own; ++m)
#pragma unroll
          for (int i = 0; i < 4; ++i) {
            float factor = 1;
            if (!is_plain && shape.keep < 1)
              factor = shape.factor(at.batch, this_head, place.row_of(lane, m, n, i),
                                    place.column_of(lane, m, n, i));
            const ScoreSlope it(shares[m][n][i], unit, of_row[i % 2], slopes[m][n][i] * factor);
            shares[m][n][i] = it.share * factor;
            slopes[m][n][i] = it.slope;
          }
      }
      add_products(v_sums, shares, tile(stage * 2 + 1), from, lane);
      add_products(k_sums, slopes, tile(stage * 2), from, lane);
    }
  }
  float factors[own * 2];
#pragma unroll
  for (int r = 0; r < own * 2; ++r) factors[r] = shape.scale;
  store_rows<T, own, width / 8, is_plain>(d_k.tile(at.batch, at.head, first_column, shape.columns),
                                          column, depth, k_sums, factors, lane);
#pragma unroll
  for (int r = 0; r < own * 2; ++r) factors[r] = 1;
  store_rows<T, own, width / 8, is_plain>(d_v.tile(at.batch, at.head, first_column, shape.columns),
                                          column, values, v_sums, factors, lane);
}

template <class T, int width, bool is_plain>
void run_gradient(const AttentionGradient& to, Stream stream) {
  const Attention& of = to.of;
  const AttentionShape<T> shape(of);
  const std::int64_t noted_rows = divided_up(shape.rows, note_padding) * note_padding;
  const std::int64_t noted = of.q.sizes[0] * shape.heads * noted_rows;
  const Scratch notes(static_cast<std::size_t>(noted) * sizeof(RowNote), stream);
  const GradientCall<T> call{shape, Sequences<const T>(to.d_out), notes.as<RowNote>(), noted_rows};
  if (noted > 0)
    launch(note_rows<T, is_plain>, {noted * note_lanes / threads, stream}, notes.as<RowNote>(),
           nullptr, of.log_sums.as<float>(), Sequences<const T>(of.out), call.d_out, shape.heads,
           shape.rows, noted_rows, shape.values);
  if (to.d_q.count > 0) {
    using Plan = RowTilePlan<width>;
    const HeadOrder order(of, shape.heads, shape.rows, shape.columns, Plan::rows, of.is_causal);
    launch(find_row_gradients<T, width, is_plain>,
           {order.blocks(), stream, half_threads, Plan::template bytes<T>}, Sequences<T>(to.d_q),
           call, order);
  }
  if (to.d_k.count == 0 && to.d_v.count == 0) return;
  using Plan = ColumnPlan<width>;
  const HeadOrder order(of, shape.shared_heads, shape.columns,
                        shape.rows * shape.heads / shape.shared_heads, Plan::columns, false);
  launch(find_column_gradients<T, width, is_plain>,
         {order.blocks(), stream, half_threads, Plan::template bytes<T>}, Sequences<T>(to.d_k),
         Sequences<T>(to.d_v), call, order);
}

}  // namespace

void find_gradients_of_halves(const AttentionGradient& of, Stream stream) {
  const bool has_plain_gradient = is_plain(of.of) && has_chunks(of.d_out);
  visit_halves(of.of, [&]<class T, int width> {
    has_plain_gradient ? run_gradient<T, width, true>(of, stream)
                       : run_gradient<T, width, false>(of, stream);
  });
}

}  // namespace garboard::kernels::cuda
