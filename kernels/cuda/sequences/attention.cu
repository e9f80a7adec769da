// Attention in tiles of rows and columns: scores are never all there, and memory grows with the
// length alone. A block has some rows and meets the columns tile by tile, the maximum and the sum
// of a row being found on the way; the gradients compute scores again from the logarithm of that
// sum. Those of k and v are a block's that has some columns, and meets the rows of all heads that
// share them. Sums are taken in the order of tiles. Halves have kernels of their own, and so has
// float32 where there are tensor cores; of that, tiles with a doubt are computed here.
#include "kernels/cuda/launch/launch.h"
#include "kernels/cuda/launch/parts.h"
#include "kernels/cuda/sequences/attention_of_floats.h"
#include "kernels/cuda/sequences/attention_of_halves.h"
#include "kernels/cuda/sequences/attention_shape.h"
#include "kernels/cuda/sequences/tile.h"
#include "kernels/functors/scalar_math.h"

namespace garboard::kernels::cuda {
namespace {

// Of the forward pass: threads that find a row's maximum and sum together, each of neighbours.
template <class T>
constexpr int row_threads = threads / own_rows<T>;
template <class T>
constexpr int row_part = other_rows / row_threads<T>;

template <class T>
struct RowMemory {
  T maximum[own_rows<T>], factor[own_rows<T>];
  double sum[own_rows<T>];
  T part[own_rows<T>][row_threads<T> + 1];
};

/// Makes of a tile of scores e^(score - the row's maximum), of which what is dropped is 0, and
/// notes by what the sums so far shrink. All threads of the block take part.
template <class T>
__device__ void exponentiate(TileMemory<T>& memory, RowMemory<T>& of,
                             const AttentionShape<T>& shape, std::int64_t batch, std::int64_t head,
                             std::int64_t row, std::int64_t column) {
  const int r = static_cast<int>(threadIdx.x) / row_threads<T>;
  const int lane = static_cast<int>(threadIdx.x) % row_threads<T>;
  T* const mine = memory.scores[r] + lane * row_part<T>;
  T top = lowest_score<T>;
  for (int k = 0; k < row_part<T>; ++k) top = functors::max(top, mine[k]);
  of.part[r][lane] = top;
  __syncthreads();
  const T before = of.maximum[r];
  top = before;
  for (int k = 0; k < row_threads<T>; ++k) top = functors::max(top, of.part[r][k]);
  __syncthreads();
  const bool sees = top != lowest_score<T>;
  T sum = 0;
  for (int k = 0; k < row_part<T>; ++k) {
    mine[k] = sees ? functors::exp(mine[k] - top) : T(0);
    sum += mine[k];
  }
  if (shape.keep < 1)
    for (int k = 0; k < row_part<T>; k += 4) {
      const auto four = shape.words(batch, head, row + r, (column + lane * row_part<T> + k) / 4);
      for (int n = 0; n < 4; ++n)
        if (!shape.keeps(four.word[n])) mine[k + n] = 0;
    }
  of.part[r][lane] = sum;
  __syncthreads();
  if (lane == 0) {
    const T factor = sees && top != before ? functors::exp(before - top) : T(1);
    double whole = of.sum[r] * static_cast<double>(factor);
    for (int k = 0; k < row_threads<T>; ++k) whole += static_cast<double>(of.part[r][k]);
    of.sum[r] = whole;
    of.factor[r] = factor;
    of.maximum[r] = top;
  }
  __syncthreads();
}

/// A block for each tile of rows, and of the columns of v.
template <class T>
__global__ void attend(Sequences<T> out, T* log_sums, Doubts doubts,
                       const __grid_constant__ AttentionShape<T> shape, std::int64_t row_tiles,
                       std::int64_t value_tiles) {
  __shared__ TileMemory<T> memory;
  __shared__ RowMemory<T> of;
  const int t = static_cast<int>(threadIdx.x);
  std::int64_t i = blockIdx.x;
  const std::int64_t first_value = i % value_tiles * wide_columns;
  i /= value_tiles;
  if (!doubts.has(i)) return;
  const std::int64_t row = i % row_tiles * own_rows<T>, head = i / row_tiles % shape.heads;
  const std::int64_t batch = i / row_tiles / shape.heads, shared = shape.shared_head(head);
  if (t < own_rows<T>) {
    of.maximum[t] = lowest_score<T>;
    of.sum[t] = 0;
  }
  TileSums<T> sums;
  const std::int64_t end = shape.end_of_columns(row + own_rows<T>);
  for (std::int64_t column = 0; column < end; column += other_rows) {
    auto scores = multiply_tiles(memory, shape.q.tile(batch, head, row, shape.rows),
                                 shape.k.tile(batch, shared, column, end), shape.depth);
#pragma unroll
    for (int n = 0; n < thread_own<T>; ++n)
#pragma unroll
      for (int j = 0; j < thread_others; ++j)
        scores.at[n][j] =
            shape.score(scores.at[n][j], batch, head, row + TileScores<T>::own_of(t, n),
                        column + TileScores<T>::other_of(t, j));
    share_scores(memory, scores);
    exponentiate(memory, of, shape, batch, head, row, column);
#pragma unroll
    for (int n = 0; n < thread_own<T>; ++n)
#pragma unroll
      for (int j = 0; j < thread_columns; ++j)
        sums.at[n][j] *= of.factor[TileScores<T>::own_of(t, n)];
    sums.add(memory, shape.v.tile(batch, shared, column, end), first_value, shape.values);
  }
  __syncthreads();
  for (int n = 0; n < thread_own<T>; ++n) {
    const int r = TileScores<T>::own_of(t, n);
    const bool sees = of.maximum[r] != lowest_score<T>;
    const T factor = sees ? static_cast<T>(1 / (of.sum[r] * shape.keep)) : T(0);
    for (int j = 0; j < thread_columns; ++j) sums.at[n][j] *= factor;
  }
  sums.store(out.tile(batch, head, row, shape.rows), first_value, shape.values);
  if (first_value > 0 || t >= own_rows<T> || row + t >= shape.rows) return;
  const bool sees = of.maximum[t] != lowest_score<T>;
  log_sums[(batch * shape.heads + head) * shape.rows + row + t] =
      sees ? of.maximum[t] + functors::log(static_cast<T>(of.sum[t])) : lowest_score<T>;
}

/// Of the gradients: what each row's shares are taken of.
template <class T>
__global__ void find_deltas(T* deltas, Sequences<const T> out, Sequences<const T> d_out,
                            std::int64_t heads, std::int64_t rows, std::int64_t values,
                            std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= count) return;
  const std::int64_t row = i % rows, head = i / rows % heads, batch = i / rows / heads;
  const T* const a = out.tile(batch, head, row, rows).data;
  const T* const b = d_out.tile(batch, head, row, rows).data;
  T sum = 0;
  for (std::int64_t j = 0; j < values; ++j) sum += a[j] * b[j];
  deltas[i] = sum;
}

/// What the gradients read beside the call, of [batch, heads, rows].
template <class T>
struct RowShares {
  const T *log_sums, *deltas;
};

/// Of a pair of row and column: what was kept of softmax, and the gradient for the product.
template <class T>
struct PairSlope {
  T share, slope;

  GARBOARD_HD PairSlope(const AttentionShape<T>& shape, const RowShares<T>& of, T product,
                        T d_share, std::int64_t batch, std::int64_t head, std::int64_t row,
                        std::int64_t column)
      : share(0), slope(0) {
    if (row >= shape.rows || column >= shape.columns) return;
    const std::int64_t at = (batch * shape.heads + head) * shape.rows + row;
    const T log_sum = of.log_sums[at];
    if (log_sum == lowest_score<T>) return;  // the row sees nothing
    const T score = shape.score(product, batch, head, row, column);
    const T whole = functors::exp(score - log_sum);
    T factor = 1;
    if (shape.keep < 1) factor = shape.factor(batch, head, row, column);
    share = whole * factor;
    slope = whole * (factor * d_share - of.deltas[at]) * shape.scale;
  }
};

/// A block for each tile of rows, and of the columns of q.
template <class T>
__global__ void __launch_bounds__(threads, 2)
    find_row_gradients(Sequences<T> d_q, Sequences<const T> d_out, RowShares<T> of, Doubts doubts,
                       const __grid_constant__ AttentionShape<T> shape, std::int64_t row_tiles,
                       std::int64_t depth_tiles) {
  __shared__ TileMemory<T> memory;
  const int t = static_cast<int>(threadIdx.x);
  std::int64_t i = blockIdx.x;
  const std::int64_t first = i % depth_tiles * wide_columns;
  i /= depth_tiles;
  if (!doubts.has(i)) return;
  const std::int64_t row = i % row_tiles * own_rows<T>, head = i / row_tiles % shape.heads;
  const std::int64_t batch = i / row_tiles / shape.heads, shared = shape.shared_head(head);
  TileSums<T> sums;
  const std::int64_t end = shape.end_of_columns(row + own_rows<T>);
  for (std::int64_t column = 0; column < end; column += other_rows) {
    const auto k = shape.k.tile(batch, shared, column, end);
    auto slopes =
        multiply_tiles(memory, shape.q.tile(batch, head, row, shape.rows), k, shape.depth);
    const auto d_shares = multiply_tiles(memory, d_out.tile(batch, head, row, shape.rows),
                                         shape.v.tile(batch, shared, column, end), shape.values);
#pragma unroll
    for (int n = 0; n < thread_own<T>; ++n)
#pragma unroll
      for (int j = 0; j < thread_others; ++j)
        slopes.at[n][j] =
            PairSlope<T>(shape, of, slopes.at[n][j], d_shares.at[n][j], batch, head,
                         row + TileScores<T>::own_of(t, n), column + TileScores<T>::other_of(t, j))
                .slope;
    share_scores(memory, slopes);
    sums.add(memory, k, first, shape.depth);
  }
  sums.store(d_q.tile(batch, head, row, shape.rows), first, shape.depth);
}

/// A block for each tile of columns, and of the columns of k and v.
template <class T>
__global__ void __launch_bounds__(threads, 2)
    find_column_gradients(Sequences<T> d_k, Sequences<T> d_v, Sequences<const T> d_out,
                          RowShares<T> of, Doubts doubts,
                          const __grid_constant__ AttentionShape<T> shape,
                          std::int64_t column_tiles, std::int64_t wide_tiles) {
  __shared__ TileMemory<T> memory;
  const int t = static_cast<int>(threadIdx.x);
  std::int64_t i = blockIdx.x;
  const std::int64_t first = i % wide_tiles * wide_columns;
  i /= wide_tiles;
  if (!doubts.has(i)) return;
  const std::int64_t column = i % column_tiles * own_rows<T>;
  const std::int64_t shared = i / column_tiles % shape.shared_heads;
  const std::int64_t batch = i / column_tiles / shape.shared_heads;
  const auto k = shape.k.tile(batch, shared, column, shape.columns);
  const auto v = shape.v.tile(batch, shared, column, shape.columns);
  const std::int64_t sharing = shape.heads / shape.shared_heads;
  TileSums<T> k_sums, v_sums;
  for (std::int64_t head = shared * sharing; head < (shared + 1) * sharing; ++head) {
    // Rows before see none of the columns.
    const std::int64_t from = shape.is_causal ? column / other_rows * other_rows : 0;
    for (std::int64_t row = from; row < shape.rows; row += other_rows) {
      const auto q = shape.q.tile(batch, head, row, shape.rows);
      const auto given = d_out.tile(batch, head, row, shape.rows);
      auto shares = multiply_tiles(memory, k, q, shape.depth);
      auto slopes = multiply_tiles(memory, v, given, shape.values);
#pragma unroll
      for (int n = 0; n < thread_own<T>; ++n)
#pragma unroll
        for (int j = 0; j < thread_others; ++j) {
          const PairSlope<T> pair(shape, of, shares.at[n][j], slopes.at[n][j], batch, head,
                                  row + TileScores<T>::other_of(t, j),
                                  column + TileScores<T>::own_of(t, n));
          shares.at[n][j] = pair.share;
          slopes.at[n][j] = pair.slope;
        }
      share_scores(memory, shares);
      v_sums.add(memory, given, first, shape.values);
      share_scores(memory, slopes);
      k_sums.add(memory, q, first, shape.depth);
    }
  }
  k_sums.store(d_k.tile(batch, shared, column, shape.columns), first, shape.depth);
  v_sums.store(d_v.tile(batch, shared, column, shape.columns), first, shape.values);
}

/// Of what the kernels of float32 have found, tiles in doubt alone; of all else, every tile.
template <class T>
void run_attention(const Attention& of, const Doubts& doubts, Stream stream) {
  const AttentionShape<T> shape(of);
  const std::int64_t rows = divided_up(shape.rows, own_rows<T>);
  const std::int64_t values = std::max<std::int64_t>(divided_up(shape.values, wide_columns), 1);
  launch(attend<T>, {of.q.sizes[0] * shape.heads * rows * values, stream}, Sequences<T>(of.out),
         of.log_sums.as<T>(), doubts, shape, rows, values);
}

template <class T>
void find_gradients(const AttentionGradient& to, const RowShares<T>& shares,
                    const GradientDoubts& doubts, Stream stream) {
  const Attention& of = to.of;
  const AttentionShape<T> shape(of);
  const Sequences<const T> d_out(to.d_out);
  const std::int64_t batch = of.q.sizes[0];
  const std::int64_t deep = divided_up(shape.depth, wide_columns);
  if (to.d_q.count > 0) {
    const std::int64_t rows = divided_up(shape.rows, own_rows<T>);
    launch(find_row_gradients<T>, {batch * shape.heads * rows * deep, stream}, Sequences<T>(to.d_q),
           d_out, shares, doubts.rows, shape, rows, deep);
  }
  if (to.d_k.count == 0 && to.d_v.count == 0) return;
  const std::int64_t columns = divided_up(shape.columns, own_rows<T>);
  const std::int64_t wide = std::max(deep, divided_up(shape.values, wide_columns));
  launch(find_column_gradients<T>, {batch * shape.shared_heads * columns * wide, stream},
         Sequences<T>(to.d_k), Sequences<T>(to.d_v), d_out, shares, doubts.columns, shape, columns,
         wide);
}

constexpr Doubts everywhere{};

template <class T>
void run_attention_gradient(const AttentionGradient& to, Stream stream) {
  const Attention& of = to.of;
  const std::int64_t count = of.log_sums.count, heads = of.q.sizes[1], rows = of.q.sizes[2];
  const Scratch deltas(static_cast<std::size_t>(count) * sizeof(T), stream);
  if (count > 0)
    launch(find_deltas<T>, {divided_up(count, threads), stream}, deltas.as<T>(),
           Sequences<const T>(of.out), Sequences<const T>(to.d_out), heads, rows, of.v.sizes[3],
           count);
  find_gradients<T>(to, {of.log_sums.as<T>(), deltas.as<T>()}, {everywhere, everywhere}, stream);
}

/// Words for the tiles of rows of a view.
std::int64_t words_of_doubts(const View& of) {
  static_assert(own_rows<float> == float_tile_rows);  // the same tiles
  return of.sizes[0] * of.sizes[1] * divided_up(of.sizes[2], float_tile_rows) * Doubts::of_tile;
}

void run_attention_of_floats(const Attention& of, Stream stream) {
  const auto words = static_cast<std::size_t>(words_of_doubts(of.q));
  const Scratch scratch(words * sizeof(std::uint32_t), stream);
  const Doubts doubts{scratch.as<std::uint32_t>()};
  attend_floats(of, doubts, stream);
  run_attention<float>(of, doubts, stream);
}

void run_gradient_of_floats(const AttentionGradient& to, Stream stream) {
  const Attention& of = to.of;
  const std::int64_t rows = words_of_doubts(of.q), columns = words_of_doubts(of.k);
  const Scratch deltas(static_cast<std::size_t>(of.log_sums.count) * sizeof(float), stream);
  const Scratch words(static_cast<std::size_t>(rows + columns) * sizeof(std::uint32_t), stream);
  auto* const first = words.as<std::uint32_t>();
  const GradientDoubts doubts{{first}, {first + rows}};
  find_gradients_of_floats(to, deltas.as<float>(), doubts, stream);
  find_gradients<float>(to, {of.log_sums.as<float>(), deltas.as<float>()}, doubts, stream);
}

}  // namespace

template <>
void kernel(const Attention& of, Stream stream) {
  if (of.log_sums.count == 0) return;
  if (is_half(of.q.dtype)) return attend_halves(of, stream);
  if (takes_floats(of, stream)) return run_attention_of_floats(of, stream);
  of.q.dtype == DType::float32 ? run_attention<float>(of, everywhere, stream)
                               : run_attention<double>(of, everywhere, stream);
}
template <>
bool kernel(const AttentionOfHalves& of, Stream stream) {
  return of.widest <= widest_of_halves && multiplies_halves(stream.device);
}
template <>
void kernel(const AttentionGradient& of, Stream stream) {
  if (is_half(of.of.q.dtype)) return find_gradients_of_halves(of, stream);
  if (takes_floats(of.of, stream)) return run_gradient_of_floats(of, stream);
  of.of.q.dtype == DType::float32 ? run_attention_gradient<float>(of, stream)
                                  : run_attention_gradient<double>(of, stream);
}

}  // namespace garboard::kernels::cuda
