// A tile of a product in float32, computed in registers: the only place where packed products
// multiply.
#pragma once

#include <cstdint>

#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/transpose.h"
#include "kernels/cpu/product/plus_product.h"

#ifdef __AVX512F__
#include <immintrin.h>

namespace garboard::kernels::GARBOARD_ISA {
namespace {

// A tile has 14 rows of two vectors, which leaves a register for an element of a and two for a row
// of b. Along the depth it reads one line of packed a, two of packed b.
constexpr int lanes = 16, most_tile_rows = 14, tile_columns = 32;

inline __mmask16 mask_of(std::int64_t count) {
  return static_cast<__mmask16>(count >= lanes ? 0xffff : (1u << count) - 1);
}

/// Where a tile is, and what becomes of it.
struct Tile {
  const float* a;  // of its first row
  std::int64_t a_row, a_step;
  const float* b;  // of its first column; rows of 16 or 32, of which any number may be wanted
  std::int64_t b_step;
  std::int64_t depth;
  float* out;
  std::int64_t out_stride;
  bool is_turned;  // out's columns are the tile's rows
  bool accumulate;
  const float* bias;  // of the first element of out's row that the tile has, or null
  __mmask16 last;     // wanted lanes of the last vector
};

/// Brings a finished tile to out, whose rows are the tile's columns.
template <int rows, int vectors>
__attribute__((always_inline)) inline void store_turned(const Tile& t,
                                                        const __m512 (&sum)[rows][vectors]) {
  const __mmask16 mask = mask_of(rows);
  const __m512 bias = t.bias ? _mm512_maskz_loadu_ps(mask, t.bias) : _mm512_setzero_ps();
#pragma GCC unroll 2
  for (int v = 0; v < vectors; ++v) {
    __m512 x[lanes];
#pragma GCC unroll 16
    for (int i = 0; i < lanes; ++i)
      x[i] = i < rows ? sum[i < rows ? i : 0][v] : _mm512_setzero_ps();
    transpose_lanes(x);
    const int count = v + 1 < vectors ? lanes : __builtin_popcount(t.last);
    float* out = t.out + v * lanes * t.out_stride;
#pragma GCC unroll 16
    for (int j = 0; j < lanes; ++j) {
      if (j >= count) return;
      __m512 y = _mm512_add_ps(x[j], bias);
      if (t.accumulate) y = _mm512_add_ps(y, _mm512_maskz_loadu_ps(mask, out));
      _mm512_mask_storeu_ps(out, mask, y);
      out += t.out_stride;
    }
  }
}

template <int rows, int vectors>
__attribute__((always_inline)) inline void store(const Tile& t,
                                                 const __m512 (&sum)[rows][vectors]) {
  float* out = t.out;
  if (!t.bias && !t.accumulate && t.last == 0xffff) {
#pragma GCC unroll 14
    for (int i = 0; i < rows; ++i, out += t.out_stride)
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) _mm512_storeu_ps(out + v * lanes, sum[i][v]);
    return;
  }
  __m512 bias[vectors];
  for (int v = 0; v < vectors; ++v) {
    const __mmask16 mask = v + 1 < vectors ? 0xffff : t.last;
    bias[v] = t.bias ? _mm512_maskz_loadu_ps(mask, t.bias + v * lanes) : _mm512_setzero_ps();
  }
#pragma GCC unroll 14
  for (int i = 0; i < rows; ++i, out += t.out_stride) {
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      const __mmask16 mask = v + 1 < vectors ? 0xffff : t.last;
      __m512 y = _mm512_add_ps(sum[i][v], bias[v]);
      if (t.accumulate) y = _mm512_add_ps(y, _mm512_maskz_loadu_ps(mask, out + v * lanes));
      _mm512_mask_storeu_ps(out + v * lanes, mask, y);
    }
  }
}

/// `is_beside`: the rows of a lie side by side, so that the step leads along the depth; else the
/// depth does, and four rows share a pointer.
template <int rows, int vectors, bool is_beside, bool of_pairs>
void multiply_tile(const Tile& t) {
  __m512 sum[rows][vectors];
#pragma GCC unroll 14
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) sum[i][v] = _mm512_setzero_ps();
  constexpr int groups = is_beside ? 1 : (rows + 3) / 4;
  const float* a[groups];
  for (int g = 0; g < groups; ++g) a[g] = t.a + 4 * g * t.a_row;
  const float* b = t.b;
  const std::int64_t row = t.a_row, a_step = t.a_step, b_step = t.b_step, three = 3 * t.a_row;
  const auto step = [&](std::int64_t count) __attribute__((always_inline)) {
#pragma GCC unroll 1
    for (; count > 0; --count) {
      __m512 y[vectors];
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) y[v] = _mm512_loadu_ps(b + v * lanes);
#pragma GCC unroll 14
      for (int i = 0; i < rows; ++i) {
        const std::int64_t off = i % 4 == 3 ? three : i % 4 * row;
        const __m512 x = _mm512_set1_ps(is_beside ? a[0][i] : a[i / 4][off]);
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
  table.of[rows - 1][0] = {tiles_of<rows, 1, false>, tiles_of<rows, 1, true>};
  table.of[rows - 1][1] = {tiles_of<rows, 2, false>, tiles_of<rows, 2, true>};
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
