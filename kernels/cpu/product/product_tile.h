// A tile of a product in float32, computed in registers: the only place where packed products
// multiply.
#pragma once

#include <cstdint>

#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/product/float_vector.h"
#include "kernels/cpu/product/packed_product.h"
#include "kernels/cpu/product/plus_product.h"

#ifdef __AVX2__

namespace garboard::kernels::GARBOARD_ISA {
namespace {

// A tile has 14 rows of two vectors, or 6, which leaves a register for an element of a and two for
// a row of b. Along the depth it reads one line of packed a, two of packed b.
constexpr int most_tile_rows = RowStrips::most_height, tile_columns = PanelProduct::width;

/// Where a tile is, and what becomes of it.
struct Tile {
  const float* a;  // of its first row
  std::int64_t a_row, a_step;
  const float*
      b;  // of its first column; rows of one or two vectors, of which any number may be wanted
  std::int64_t b_step;
  std::int64_t depth;
  float* out;
  std::int64_t out_stride;
  bool is_turned;  // out's columns are the tile's rows
  bool accumulate;
  const float* bias;  // of the first element of out's row that the tile has, or null
  std::int64_t last;  // wanted lanes of the last vector
};

/// Brings a finished tile to out, whose rows are the tile's columns.
template <int rows, int vectors>
__attribute__((always_inline)) inline void store_turned(const Tile& t,
                                                        const FloatVector (&sum)[rows][vectors]) {
  const FloatMask mask = mask_of(rows);
  const FloatVector bias = t.bias ? load(mask, t.bias) : FloatVector{};
#pragma GCC unroll 2
  for (int v = 0; v < vectors; ++v) {
    FloatVector x[lanes];
#pragma GCC unroll 16
    for (int i = 0; i < lanes; ++i) x[i] = i < rows ? sum[i < rows ? i : 0][v] : FloatVector{};
    transpose_lanes(x);
    const std::int64_t count = v + 1 < vectors ? lanes : t.last;
    float* out = t.out + v * lanes * t.out_stride;
#pragma GCC unroll 16
    for (int j = 0; j < lanes; ++j) {
      if (j >= count) return;
      FloatVector y = x[j] + bias;
      if (t.accumulate) y += load(mask, out);
      store(out, mask, y);
      out += t.out_stride;
    }
  }
}

template <int rows, int vectors>
__attribute__((always_inline)) inline void store(const Tile& t,
                                                 const FloatVector (&sum)[rows][vectors]) {
  float* out = t.out;
  if (!t.bias && !t.accumulate && t.last == lanes) {
#pragma GCC unroll 14
    for (int i = 0; i < rows; ++i, out += t.out_stride)
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) store(out + v * lanes, sum[i][v]);
    return;
  }
  FloatVector bias[vectors];
  FloatMask wanted[vectors];
  for (int v = 0; v < vectors; ++v) {
    wanted[v] = mask_of(v + 1 < vectors ? lanes : t.last);
    bias[v] = t.bias ? load(wanted[v], t.bias + v * lanes) : FloatVector{};
  }
#pragma GCC unroll 14
  for (int i = 0; i < rows; ++i, out += t.out_stride) {
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      FloatVector y = sum[i][v] + bias[v];
      if (t.accumulate) y += load(wanted[v], out + v * lanes);
      store(out + v * lanes, wanted[v], y);
    }
  }
}

/// `is_beside`: the rows of a lie side by side, so that the step leads along the depth; else the
/// depth does, and four rows share a pointer.
template <int rows, int vectors, bool is_beside, bool of_pairs>
void multiply_tile(const Tile& t) {
  FloatVector sum[rows][vectors];
#pragma GCC unroll 14
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) sum[i][v] = FloatVector{};
  constexpr int groups = is_beside ? 1 : (rows + 3) / 4;
  const float* a[groups];
  for (int g = 0; g < groups; ++g) a[g] = t.a + 4 * g * t.a_row;
  const float* b = t.b;
  const std::int64_t row = t.a_row, a_step = t.a_step, b_step = t.b_step, three = 3 * t.a_row;
  const auto step = [&](std::int64_t count) __attribute__((always_inline)) {
#pragma GCC unroll 1
    for (; count > 0; --count) {
      FloatVector y[vectors];
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) y[v] = load(b + v * lanes);
#pragma GCC unroll 14
      for (int i = 0; i < rows; ++i) {
        const std::int64_t off = i % 4 == 3 ? three : i % 4 * row;
        const FloatVector x = spread(is_beside ? a[0][i] : a[i / 4][off]);
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
  const float* near = t.out;
  for (std::int64_t i = t.is_turned ? vectors * lanes : rows; i > 0 && left >= pause; --i) {
    _mm_prefetch(near, _MM_HINT_T0);
    _mm_prefetch(near + (t.is_turned ? rows : vectors * lanes) - 1, _MM_HINT_T0);
    near += t.out_stride;
    step(pause);
    left -= pause;
  }
  step(left);
  t.is_turned ? store_turned<rows, vectors>(t, sum) : store<rows, vectors>(t, sum);
}

using TileFunction = void (*)(const Tile&);

/// [rows - 1][vectors - 1]
struct TileFunctions {
  struct Kinds {
    TileFunction along, beside;
  };
  struct Elements {
    Kinds floats, pairs;
  };
  Elements of[most_tile_rows][2];

  TileFunction at(int rows, int vectors, bool is_beside, bool of_pairs) const {
    const Elements& elements = of[rows - 1][vectors - 1];
    const Kinds& kinds = of_pairs ? elements.pairs : elements.floats;
    return is_beside ? kinds.beside : kinds.along;
  }
};

template <int rows, int vectors, bool of_pairs>
constexpr TileFunctions::Kinds tiles_of = {multiply_tile<rows, vectors, false, of_pairs>,
                                           multiply_tile<rows, vectors, true, of_pairs>};

template <int rows>
constexpr void fill(TileFunctions& table) {
  table.of[rows - 1][0] = {tiles_of<rows, 1, false>, tiles_of<rows, 1, holds_pairs<float>>};
  table.of[rows - 1][1] = {tiles_of<rows, 2, false>, tiles_of<rows, 2, holds_pairs<float>>};
  if constexpr (rows > 1) fill<rows - 1>(table);
}

constexpr TileFunctions tile_functions = [] {
  TileFunctions table{};
  fill<most_tile_rows>(table);
  return table;
}();

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
#endif
