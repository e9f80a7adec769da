// A tile of a product in float32 or float64, computed in registers: the only place where packed
// products multiply.
#pragma once

#include <cstdint>

#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/product/packed_product.h"
#include "kernels/cpu/product/plus_product.h"
#include "kernels/cpu/product/product_vector.h"

#ifdef __AVX2__

namespace garboard::kernels::GARBOARD_ISA {
namespace {

// A tile has 14 rows of two vectors, or 6, which leaves a register for an element of a and two for
// a row of b. Along the depth it reads one line of packed a, two of packed b.
constexpr int most_tile_rows = RowStrips::most_height;
template <class T>
constexpr int tile_columns_of = 2 * lanes_of<T>;

/// Where a tile is, and what becomes of it.
template <class T>
struct Tile {
  const T* a;  // of its first row
  std::int64_t a_row, a_step;
  const T* b;  // of its first column; rows of one or two vectors, of which any number may be wanted
  std::int64_t b_step;
  std::int64_t depth;
  T* out;
  std::int64_t out_stride;
  bool is_turned;  // out's columns are the tile's rows
  bool accumulate;
  const T* bias;      // of the first element of out's row that the tile has, or null
  std::int64_t last;  // wanted lanes of the last vector
};

/// Brings a finished tile of so many rows and vectors to out, whose rows are the tile's columns.
/// One function for all tiles: they would be twice as long.
template <class T>
[[gnu::noinline]] void store_turned(const Tile<T>& t, const T* sums, int rows, int vectors) {
  using Vector = typename ProductVector<T>::Type;
  constexpr int lanes = lanes_of<T>;
  for (int first = 0; first < rows; first += lanes) {  // rows that make one vector
    const auto mask = first_lanes<T>(rows - first);
    const Vector bias = t.bias ? load(mask, t.bias + first) : Vector{};
    for (int v = 0; v < vectors; ++v) {
      Vector x[lanes];
#pragma GCC unroll 16
      for (int i = 0; i < lanes; ++i)
        x[i] = first + i < rows ? load(sums + ((first + i) * vectors + v) * lanes) : Vector{};
      transpose_lanes(x);
      const std::int64_t count = v + 1 < vectors ? lanes : t.last;
      T* out = t.out + v * lanes * t.out_stride + first;
#pragma GCC unroll 16
      for (int j = 0; j < lanes; ++j) {
        if (j >= count) break;
        Vector y = x[j] + bias;
        if (t.accumulate) y += load(mask, out);
        store(out, mask, y);
        out += t.out_stride;
      }
    }
  }
}

template <int rows, int vectors, class T>
__attribute__((always_inline)) inline void store(
    const Tile<T>& t, const typename ProductVector<T>::Type (&sum)[rows][vectors]) {
  using Vector = typename ProductVector<T>::Type;
  constexpr int lanes = lanes_of<T>;
  T* out = t.out;
  if (!t.bias && !t.accumulate && t.last == lanes) {
#pragma GCC unroll 14
    for (int i = 0; i < rows; ++i, out += t.out_stride)
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) store(out + v * lanes, sum[i][v]);
    return;
  }
  Vector bias[vectors];
  typename ProductVector<T>::Mask wanted[vectors];
  for (int v = 0; v < vectors; ++v) {
    wanted[v] = first_lanes<T>(v + 1 < vectors ? lanes : t.last);
    bias[v] = t.bias ? load(wanted[v], t.bias + v * lanes) : Vector{};
  }
#pragma GCC unroll 14
  for (int i = 0; i < rows; ++i, out += t.out_stride) {
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      Vector y = sum[i][v] + bias[v];
      if (t.accumulate) y += load(wanted[v], out + v * lanes);
      store(out + v * lanes, wanted[v], y);
    }
  }
}

/// `is_beside`: the rows of a lie side by side, so that the step leads along the depth; else the
/// depth does, and four rows share a pointer.
template <class T, int rows, int vectors, bool is_beside, bool of_pairs>
void multiply_tile(const Tile<T>& t) {
  using Vector = typename ProductVector<T>::Type;
  constexpr int lanes = lanes_of<T>;
  Vector sum[rows][vectors];
#pragma GCC unroll 14
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) sum[i][v] = Vector{};
  constexpr int groups = is_beside ? 1 : (rows + 3) / 4;
  const T* a[groups];
  for (int g = 0; g < groups; ++g) a[g] = t.a + 4 * g * t.a_row;
  const T* b = t.b;
  const std::int64_t row = t.a_row, a_step = t.a_step, b_step = t.b_step, three = 3 * t.a_row;
  const auto step = [&](std::int64_t count) __attribute__((always_inline)) {
#pragma GCC unroll 1
    for (; count > 0; --count) {
      Vector y[vectors];
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) y[v] = load(b + v * lanes);
#pragma GCC unroll 14
      for (int i = 0; i < rows; ++i) {
        const std::int64_t off = i % 4 == 3 ? three : i % 4 * row;
        const Vector x = spread(is_beside ? a[0][i] : a[i / 4][off]);
#pragma GCC unroll 2
        for (int v = 0; v < vectors; ++v) sum[i][v] = plus_product<of_pairs>(sum[i][v], x, y[v]);
      }
      if (is_beside)
        a[0] += a_step;
      else
        for (int g = 0; g < groups; ++g) a[g] += 1;
      b += b_step;
    }
  };
  // The lines of out arrive while the tile is computed, and not all at once: the rows of b come
  // through the same few buffers.
  constexpr std::int64_t pause = 4;
  std::int64_t left = t.depth;
  const T* near = t.out;
  for (std::int64_t i = t.is_turned ? vectors * lanes : rows; i > 0 && left >= pause; --i) {
    _mm_prefetch(near, _MM_HINT_T0);
    _mm_prefetch(near + (t.is_turned ? rows : vectors * lanes) - 1, _MM_HINT_T0);
    near += t.out_stride;
    step(pause);
    left -= pause;
  }
  step(left);
  if (!t.is_turned) return store(t, sum);
  alignas(64) T sums[rows * vectors * lanes];
#pragma GCC unroll 14
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) store(sums + (i * vectors + v) * lanes, sum[i][v]);
  store_turned(t, sums, rows, vectors);
}

template <class T>
using TileFunction = void (*)(const Tile<T>&);

/// [rows - 1][vectors - 1]
template <class T>
struct TileFunctions {
  struct Kinds {
    TileFunction<T> along, beside;
  };
  struct Elements {
    Kinds numbers, pairs;
  };
  Elements of[most_tile_rows][2];

  TileFunction<T> at(std::int64_t rows, int vectors, bool is_beside, bool of_pairs) const {
    const Elements& elements = of[rows - 1][vectors - 1];
    const Kinds& kinds = of_pairs ? elements.pairs : elements.numbers;
    return is_beside ? kinds.beside : kinds.along;
  }
};

template <class T, int rows, int vectors, bool of_pairs>
constexpr
    typename TileFunctions<T>::Kinds tiles_of = {multiply_tile<T, rows, vectors, false, of_pairs>,
                                                 multiply_tile<T, rows, vectors, true, of_pairs>};

template <int rows, class T>
constexpr void fill(TileFunctions<T>& table) {
  table.of[rows - 1][0] = {tiles_of<T, rows, 1, false>, tiles_of<T, rows, 1, holds_pairs<T>>};
  table.of[rows - 1][1] = {tiles_of<T, rows, 2, false>, tiles_of<T, rows, 2, holds_pairs<T>>};
  if constexpr (rows > 1) fill<rows - 1>(table);
}

template <class T>
constexpr TileFunctions<T> tile_functions = [] {
  TileFunctions<T> table{};
  fill<most_tile_rows>(table);
  return table;
}();

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
#endif
