// Attention of float32, forward: attention_of_halves.cu with numbers in two parts. A block has 64
// rows, a warp 16 of them: four warps to a block and few registers, so that two blocks find room.
#include "kernels/cuda/sequences/attention_of_floats.h"

#include <cmath>

#include "kernels/cuda/sequences/float_tiles.h"
#include "kernels/cuda/sequences/half_scores.h"
#include "kernels/cuda/sequences/running_sums.h"

namespace garboard::kernels::cuda {
namespace {

/// Columns that a block meets at a time.
template <int width>
constexpr int tile_columns = width <= 64 ? 64 : 32;
template <int width>
constexpr std::size_t forward_bytes = FloatTile<width>::bytes(float_tile_rows +
                                                              4 * tile_columns<width>);

template <int others>
__device__ void drop(float (&shares)[1][others][4], const AttentionShape<float>& shape,
                     const ScoreTile<false>& place, const Lane& lane) {
  if (!(shape.keep < 1)) return;
#pragma unroll
  for (int n = 0; n < others; ++n)
#pragma unroll
    for (int i = 0; i < 4; ++i)
      if (shape.factor(place.batch, place.head, place.row_of(lane, 0, n, i),
                       place.column_of(lane, 0, n, i)) == 0)
        shares[0][n][i] = 0;
}

template <int width, bool is_plain>
__global__ void __launch_bounds__(half_threads, 2)
    attend(Sequences<float> out, float* log_sums, Doubts doubts,
           const __grid_constant__ AttentionShape<float> shape, const HeadOrder order) {
  using Tile = FloatTile<width>;
  constexpr int columns = tile_columns<width>;
  float* const memory = reinterpret_cast<float*>(shared_bytes());
  const Lane lane;
  const HeadTile at = order.at(blockIdx.x);
  const auto shared = shape.shared_head(at.head);
  const int first_row = at.tile * float_tile_rows;
  const int row = static_cast<int>(threadIdx.x) / 32 * 16;  // of the warp in the block
  const int end = static_cast<int>(shape.end_of_columns(first_row + float_tile_rows));
  const int depth = static_cast<int>(shape.depth), values = static_cast<int>(shape.values);
  const Tile q{memory};
  const auto tile = [&](int which) {
    return Tile{memory + (float_tile_rows + which * columns) * width};
  };
  const auto copy = [&](int column, int stage) {
    tile(stage * 2).template copy<columns, is_plain>(shape.k.tile(at.batch, shared, column, end),
                                                     depth);
    tile(stage * 2 + 1)
        .template copy<columns, is_plain>(shape.v.tile(at.batch, shared, column, end), values);
  };
  q.template copy<float_tile_rows, is_plain>(shape.q.tile(at.batch, at.head, first_row, shape.rows),
                                             depth);
  if (end > 0) copy(0, 0);
  end_copies();

  RunningSums<1> running;
  float sums[1][width / 8][4] = {};
  const float unit = score_unit<is_plain>(shape);
  for (int column = 0, stage = 0; column < end; column += columns, stage ^= 1) {
    await_copies<0>();
    __syncthreads();  // also: nobody reads the other stage any more
    if (column + columns < end) copy(column + columns, stage ^ 1);
    end_copies();
    const ScoreTile<false> place{at.batch, at.head, first_row + row, column};
    if (shape.is_causal && place.column > place.row + 15) continue;  // the warp sees none
    float scores[1][columns / 8][4];
    multiply_rows(scores, q, row, tile(stage * 2), 0, lane);
    see<is_plain>(scores, shape, place, lane);
    running.take(scores, sums, unit);
    if constexpr (!is_plain) drop(scores, shape, place, lane);
    add_products(sums, scores, tile(stage * 2 + 1), 0, lane);
  }

  const std::int64_t head = std::int64_t{at.batch} * shape.heads + at.head;
  float factors[2];
  bool is_odd = false;
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const float sum = running.whole(r);
    const bool sees = sum != 0;  // NaN does
    factors[r] = sees ? 1 / (sum * static_cast<float>(shape.keep)) : 0;
    const float log_sum =
        sees ? running.top[r] * unit * e_powers_in_2 + functors::log(sum) : lowest_score<float>;
    is_odd |= sees && !(functors::abs(log_sum) < functors::infinity<float>);
    const int at_row = first_row + row + lane.row(0, r * 2);
    if (lane.t == 0 && at_row < shape.rows) log_sums[head * shape.rows + at_row] = log_sum;
  }
  is_odd |= store_rows<width, is_plain>(out.tile(at.batch, at.head, first_row, shape.rows), row,
                                        static_cast<int>(shape.values), sums, factors, lane);
  note_doubt(doubts, head * order.tiles + at.tile, is_odd, lane);
}

template <int width, bool is_plain>
void run_attention(const Attention& of, const Doubts& doubts, Stream stream) {
  const AttentionShape<float> shape(of);
  const HeadOrder order(of, shape.heads, shape.rows, shape.columns, float_tile_rows, of.is_causal);
  launch(attend<width, is_plain>, {order.blocks(), stream, half_threads, forward_bytes<width>},
         Sequences<float>(of.out), of.log_sums.as<float>(), doubts, shape, order);
}

}  // namespace

bool takes_floats(const Attention& of, Stream stream) {
  return of.q.dtype == DType::float32 && std::max(of.q.sizes[3], of.v.sizes[3]) <= 128 &&
         multiplies_halves(stream.device);
}

void attend_floats(const Attention& of, const Doubts& doubts, Stream stream) {
  visit_float_widths(of, [&]<int width> {
    is_plain(of) ? run_attention<width, true>(of, doubts, stream)
                 : run_attention<width, false>(of, doubts, stream);
  });
}

}  // namespace garboard::kernels::cuda
