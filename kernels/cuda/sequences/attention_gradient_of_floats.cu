// The gradients of attention of float32: attention_gradient_of_halves.cu with numbers in two parts.
#include <cmath>

#include "kernels/cuda/sequences/attention_of_floats.h"
#include "kernels/cuda/sequences/float_tiles.h"
#include "kernels/cuda/sequences/half_scores.h"
#include "kernels/cuda/sequences/row_notes.h"

namespace garboard::kernels::cuda {
namespace {

/// Rows that a block meets at a time: its own are many, and its memory is 99 KiB everywhere.
template <int width>
constexpr int met_rows = width <= 64 ? 32 : 16;

/// Two tiles of own rows, and twice two of those that are met.
template <int width>
struct TwoTiles {
  using Tile = FloatTile<width>;

  static constexpr std::size_t tile_bytes = Tile::bytes(2 * float_tile_rows + 4 * met_rows<width>);
  static constexpr std::size_t bytes = tile_bytes + 2 * met_rows<width> * sizeof(RowNote);

  float* memory;

  __device__ __forceinline__ Tile own(int which) const {
    return {memory + which * float_tile_rows * width};
  }
  __device__ __forceinline__ Tile met(int which) const {
    return {memory + (2 * float_tile_rows + which * met_rows<width>)*width};
  }
  __device__ __forceinline__ RowNote* notes() const {
    return reinterpret_cast<RowNote*>(met(4).data);
  }
};

template <int width, bool is_plain>
__global__ void __launch_bounds__(half_threads, 2)
    find_row_gradients(Sequences<float> d_q, Doubts doubts,
                       const __grid_constant__ GradientCall<float> call, const HeadOrder order) {
  constexpr int columns = met_rows<width>, others = columns / 8;
  const AttentionShape<float>& shape = call.shape;
  const TwoTiles<width> tiles{reinterpret_cast<float*>(shared_bytes())};
  const Lane lane;
  const HeadTile at = order.at(blockIdx.x);
  const auto shared = shape.shared_head(at.head);
  const int first_row = at.tile * float_tile_rows;
  const int row = static_cast<int>(threadIdx.x) / 32 * 16;  // of the warp in the block
  const int end = static_cast<int>(shape.end_of_columns(first_row + float_tile_rows));
  const int depth = static_cast<int>(shape.depth), values = static_cast<int>(shape.values);
  const auto copy = [&](int column, int stage) {
    tiles.met(stage * 2).template copy<columns, is_plain>(
        shape.k.tile(at.batch, shared, column, end), depth);
    tiles.met(stage * 2 + 1)
        .template copy<columns, is_plain>(shape.v.tile(at.batch, shared, column, end), values);
  };
  tiles.own(0).template copy<float_tile_rows, is_plain>(
      shape.q.tile(at.batch, at.head, first_row, shape.rows), depth);
  tiles.own(1).template copy<float_tile_rows, is_plain>(
      call.d_out.tile(at.batch, at.head, first_row, shape.rows), values);
  if (end > 0) copy(0, 0);
  end_copies();

  RowNote notes[2];
#pragma unroll
  for (int r = 0; r < 2; ++r) notes[r] = call.notes_of(at)[first_row + row + lane.row(0, r * 2)];
  float sums[1][width / 8][4] = {};
  const float unit = score_unit<is_plain>(shape);
  for (int column = 0, stage = 0; column < end; column += columns, stage ^= 1) {
    await_copies<0>();
    __syncthreads();  // also: nobody reads the other stage any more
    if (column + columns < end) copy(column + columns, stage ^ 1);
    end_copies();
    const ScoreTile<false> place{at.batch, at.head, first_row + row, column};
    if (shape.is_causal && place.column > place.row + 15) continue;  // the warp sees none
    float scores[1][others][4], slopes[1][others][4];
    multiply_rows(scores, tiles.own(0), row, tiles.met(stage * 2), 0, lane);
    multiply_rows(slopes, tiles.own(1), row, tiles.met(stage * 2 + 1), 0, lane);
    see<is_plain>(scores, shape, place, lane);
#pragma unroll
    for (int n = 0; n < others; ++n)
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        float d_share = slopes[0][n][i];
        if (!is_plain && shape.keep < 1)
          d_share *= shape.factor(at.batch, at.head, place.row_of(lane, 0, n, i),
                                  place.column_of(lane, 0, n, i));
        slopes[0][n][i] = ScoreSlope(scores[0][n][i], unit, notes[i / 2], d_share).slope;
      }
    add_products(sums, slopes, tiles.met(stage * 2), 0, lane);
  }
  const float factors[2] = {shape.scale, shape.scale};
  const bool is_odd = store_rows<width, is_plain>(
      d_q.tile(at.batch, at.head, first_row, shape.rows), row, depth, sums, factors, lane);
  const std::int64_t head = std::int64_t{at.batch} * shape.heads + at.head;
  note_doubt(doubts, head * order.tiles + at.tile, is_odd, lane);
}

template <int width, bool is_plain>
__global__ void __launch_bounds__(half_threads, 2)
    find_column_gradients(Sequences<float> d_k, Sequences<float> d_v, Doubts doubts,
                          const __grid_constant__ GradientCall<float> call, const HeadOrder order) {
  constexpr int met = met_rows<width>, others = met / 8;
  const AttentionShape<float>& shape = call.shape;
  const TwoTiles<width> tiles{reinterpret_cast<float*>(shared_bytes())};
  const Lane lane;
  const HeadTile at = order.at(blockIdx.x);
  const int first_column = at.tile * float_tile_rows;
  const int column = static_cast<int>(threadIdx.x) / 32 * 16;  // of the warp in the block
  const int depth = static_cast<int>(shape.depth), values = static_cast<int>(shape.values);
  const int rows = static_cast<int>(shape.rows);
  // Rows of all heads that share the columns, but not those before the first that sees one.
  const int sharing = static_cast<int>(shape.heads / shape.shared_heads);
  const int from_row = shape.is_causal ? first_column / met * met : 0;
  const int count = from_row < rows ? (rows - from_row + met - 1) / met : 0;
  const auto copy = [&](int head, int row, int stage) {
    tiles.met(stage * 2).template copy<met, is_plain>(shape.q.tile(at.batch, head, row, rows),
                                                      depth);
    tiles.met(stage * 2 + 1)
        .template copy<met, is_plain>(call.d_out.tile(at.batch, head, row, rows), values);
    constexpr int in_chunk = 16 / sizeof(RowNote);
    const int t = static_cast<int>(threadIdx.x);
    if (t < met / in_chunk)
      copy_chunk(tiles.notes() + stage * met + t * in_chunk,
                 call.notes_of({at.batch, head, 0}) + row + t * in_chunk, true);
  };
  tiles.own(0).template copy<float_tile_rows, is_plain>(
      shape.k.tile(at.batch, at.head, first_column, shape.columns), depth);
  tiles.own(1).template copy<float_tile_rows, is_plain>(
      shape.v.tile(at.batch, at.head, first_column, shape.columns), values);
  int head = at.head * sharing, row = from_row;
  if (count > 0) copy(head, row, 0);
  end_copies();

  float k_sums[1][width / 8][4] = {}, v_sums[1][width / 8][4] = {};
  const float unit = score_unit<is_plain>(shape);
  for (int left = sharing * count, stage = 0; left > 0; --left, stage ^= 1) {
    await_copies<0>();
    __syncthreads();  // also: nobody reads the other stage any more
    const int this_head = head, this_row = row;
    row += met;
    if (row >= rows) row = from_row, ++head;
    if (left > 1) copy(head, row, stage ^ 1);
    end_copies();
    const ScoreTile<true> place{at.batch, this_head, this_row, first_column + column};
    if (shape.is_causal && place.column > place.row + met - 1) continue;  // none sees it
    float shares[1][others][4], slopes[1][others][4];
    multiply_rows(shares, tiles.own(0), column, tiles.met(stage * 2), 0, lane);
    see<is_plain>(shares, shape, place, lane);
    multiply_rows(slopes, tiles.own(1), column, tiles.met(stage * 2 + 1), 0, lane);
#pragma unroll
    for (int n = 0; n < others; ++n) {
      const RowNote* const two = tiles.notes() + stage * met + lane.column(n, 0);
      const RowNote of_row[2] = {two[0], two[1]};
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        float factor = 1;
        if (!is_plain && shape.keep < 1)
          factor = shape.factor(at.batch, this_head, place.row_of(lane, 0, n, i),
                                place.column_of(lane, 0, n, i));
        const ScoreSlope it(shares[0][n][i], unit, of_row[i % 2], slopes[0][n][i] * factor);
        shares[0][n][i] = it.share * factor;
        slopes[0][n][i] = it.slope;
      }
    }
    add_products(v_sums, shares, tiles.met(stage * 2 + 1), 0, lane);
    add_products(k_sums, slopes, tiles.met(stage * 2), 0, lane);
  }
  const auto to_k = d_k.tile(at.batch, at.head, first_column, shape.columns);
  const auto to_v = d_v.tile(at.batch, at.head, first_column, shape.columns);
  const float of_k[2] = {shape.scale, shape.scale}, of_v[2] = {1, 1};
  bool is_odd = store_rows<width, is_plain>(to_k, column, depth, k_sums, of_k, lane);
  is_odd |= store_rows<width, is_plain>(to_v, column, values, v_sums, of_v, lane);
  const std::int64_t shared = std::int64_t{at.batch} * shape.shared_heads + at.head;
  note_doubt(doubts, shared * order.tiles + at.tile, is_odd, lane);
}

template <int width, bool is_plain>
void run_gradient(const AttentionGradient& to, float* deltas, const GradientDoubts& doubts,
                  Stream stream) {
  const Attention& of = to.of;
  const AttentionShape<float> shape(of);
  const std::int64_t noted_rows = divided_up(shape.rows, note_padding) * note_padding;
  const std::int64_t noted = of.q.sizes[0] * shape.heads * noted_rows;
  const Scratch notes(static_cast<std::size_t>(noted) * sizeof(RowNote), stream);
  const GradientCall<float> call{shape, Sequences<const float>(to.d_out), notes.as<RowNote>(),
                                 noted_rows};
  if (noted > 0)
    launch(note_rows<float, is_plain>, {noted * note_lanes / threads, stream}, notes.as<RowNote>(),
           deltas, of.log_sums.as<float>(), Sequences<const float>(of.out), call.d_out, shape.heads,
           shape.rows, noted_rows, shape.values);
  constexpr std::size_t bytes = TwoTiles<width>::bytes;
  if (to.d_q.count > 0) {
    const HeadOrder order(of, shape.heads, shape.rows, shape.columns, float_tile_rows,
                          of.is_causal);
    launch(find_row_gradients<width, is_plain>, {order.blocks(), stream, half_threads, bytes},
           Sequences<float>(to.d_q), doubts.rows, call, order);
  }
  if (to.d_k.count == 0 && to.d_v.count == 0) return;
  const HeadOrder order(of, shape.shared_heads, shape.columns,
                        shape.rows * shape.heads / shape.shared_heads, float_tile_rows, false);
  launch(find_column_gradients<width, is_plain>, {order.blocks(), stream, half_threads, bytes},
         Sequences<float>(to.d_k), Sequences<float>(to.d_v), doubts.columns, call, order);
}

}  // namespace

void find_gradients_of_floats(const AttentionGradient& of, float* deltas,
                              const GradientDoubts& doubts, Stream stream) {
  const bool has_plain_gradient = is_plain(of.of) && has_chunks(of.d_out);
  visit_float_widths(of.of, [&]<int width> {
    has_plain_gradient ? run_gradient<width, true>(of, deltas, doubts, stream)
                       : run_gradient<width, false>(of, deltas, doubts, stream);
  });
}

}  // namespace garboard::kernels::cuda
