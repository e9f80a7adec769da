#include "kernels/cpu/packed_product.h"

#include "kernels/cpu/parallel.h"
#include "kernels/cpu/plan.h"
#include "kernels/cpu/scratch.h"

#ifdef __AVX512F__
#include <immintrin.h>
#pragma GCC diagnostic ignored "-Wuninitialized"  // g++ 12's own header: its bug 105593
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace garboard::kernels::GARBOARD_ISA {

#ifdef __AVX512F__

namespace {

// A tile of out lives in registers: 14 rows of two vectors, which leaves one for an element of a
// and two for a row of b. Along the depth a tile reads one line of packed a, two of packed b.
constexpr int lanes = 16, most_tile_rows = 14, tile_columns = 32;
// A panel of b, 32 columns, stays in the first cache or near it; the strips of a block of a, up to
// 14 rows each, in the second.
constexpr std::int64_t block_depth = 384, block_rows = 24 * most_tile_rows;

__mmask16 mask_of(std::int64_t count) {
  return static_cast<__mmask16>(count >= lanes ? 0xffff : (1u << count) - 1);
}

/// Turns 16 vectors around: lane j of vector i becomes lane i of vector j.
__attribute__((always_inline)) inline void turn(__m512 (&x)[lanes]) {
  __m512 y[lanes];
  for (int i = 0; i < lanes; i += 2) {
    y[i] = _mm512_unpacklo_ps(x[i], x[i + 1]);
    y[i + 1] = _mm512_unpackhi_ps(x[i], x[i + 1]);
  }
  for (int i = 0; i < lanes; i += 4) {
    x[i] = _mm512_shuffle_ps(y[i], y[i + 2], 0x44);
    x[i + 1] = _mm512_shuffle_ps(y[i], y[i + 2], 0xee);
    x[i + 2] = _mm512_shuffle_ps(y[i + 1], y[i + 3], 0x44);
    x[i + 3] = _mm512_shuffle_ps(y[i + 1], y[i + 3], 0xee);
  }
  for (int i = 0; i < lanes; i += 8) {
    for (int j = 0; j < 4; ++j) {
      y[i + j] = _mm512_shuffle_f32x4(x[i + j], x[i + j + 4], 0x88);
      y[i + j + 4] = _mm512_shuffle_f32x4(x[i + j], x[i + j + 4], 0xdd);
    }
  }
  for (int j = 0; j < 8; ++j) {
    x[j] = _mm512_shuffle_f32x4(y[j], y[j + 8], 0x88);
    x[j + 8] = _mm512_shuffle_f32x4(y[j], y[j + 8], 0xdd);
  }
}

/// to[j * to_stride + i] = from[i * row_stride + j * column_stride] for i < rows, j < columns, and
/// 0 for the rows from there to 16.
void pack_strip(float* to, std::int64_t to_stride, const float* from, std::int64_t row_stride,
                std::int64_t column_stride, std::int64_t rows, std::int64_t columns) {
  if (row_stride == 1) {
    const __mmask16 mask = mask_of(rows);
    for (std::int64_t j = 0; j < columns; ++j)
      _mm512_storeu_ps(to + j * to_stride, _mm512_maskz_loadu_ps(mask, from + j * column_stride));
    return;
  }
  for (std::int64_t j = 0; column_stride == 1 && j < columns; j += lanes) {
    const __mmask16 mask = mask_of(columns - j);
    __m512 x[lanes];
#pragma GCC unroll 16
    for (int i = 0; i < lanes; ++i)
      x[i] = _mm512_maskz_loadu_ps(i < rows ? mask : 0, from + i * row_stride + j);
    turn(x);
    if (columns - j >= lanes) {
#pragma GCC unroll 16
      for (int i = 0; i < lanes; ++i) _mm512_storeu_ps(to + (j + i) * to_stride, x[i]);
    } else {
#pragma GCC unroll 16
      for (int i = 0; i < lanes; ++i)
        if (i < columns - j) _mm512_storeu_ps(to + (j + i) * to_stride, x[i]);
    }
  }
  for (std::int64_t j = 0; column_stride != 1 && j < columns; ++j)
    for (std::int64_t i = 0; i < lanes; ++i)
      to[j * to_stride + i] = i < rows ? from[i * row_stride + j * column_stride] : 0;
}

/// Where a tile is, and what becomes of it.
struct Tile {
  const float* a;  // of its first row
  std::int64_t a_row, a_step;
  const float* b;  // of its first column; rows of 32 or fewer
  std::int64_t b_step;
  std::int64_t depth;
  float* out;
  std::int64_t out_stride;
  bool is_turned;  // out's columns are the tile's rows
  bool accumulate;
  const float* bias;  // of the first element of out's row that the tile has, or null
  __mmask16 last;     // lanes of the last vector
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
    turn(x);
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
template <int rows, int vectors, bool is_beside>
void multiply_tile(const Tile& t) {
  __m512 sum[rows][vectors];
#pragma GCC unroll 14
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) sum[i][v] = _mm512_setzero_ps();
  constexpr int groups = is_beside ? 1 : (rows + 3) / 4;
  const float* a[groups];
  for (int g = 0; g < groups; ++g) a[g] = t.a + 4 * g * t.a_row;
  for (int i = 0; i < (t.is_turned ? 0 : rows); ++i)  // arrives while the tile is computed
    for (int v = 0; v < vectors; ++v)
      _mm_prefetch(t.out + i * t.out_stride + v * lanes, _MM_HINT_T0);
  const float* b = t.b;
  const std::int64_t row = t.a_row, step = t.a_step, three = 3 * t.a_row;
  const __mmask16 last = t.last;
  for (std::int64_t k = 0; k < t.depth; ++k) {
    __m512 y[vectors];
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v)
      y[v] = v + 1 < vectors ? _mm512_loadu_ps(b + v * lanes)
                             : _mm512_maskz_loadu_ps(last, b + v * lanes);
#pragma GCC unroll 14
    for (int i = 0; i < rows; ++i) {
      const std::int64_t off = i % 4 == 3 ? three : i % 4 * row;
      const __m512 x = _mm512_set1_ps(is_beside ? a[0][i] : a[i / 4][off]);
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) sum[i][v] = _mm512_fmadd_ps(x, y[v], sum[i][v]);
    }
    if (is_beside)
      a[0] += step;
    else
      for (int g = 0; g < groups; ++g) a[g] += 1;
    b += t.b_step;
  }
  t.is_turned ? store_turned<rows, vectors>(t, sum) : store<rows, vectors>(t, sum);
}

using TileFunction = void (*)(const Tile&);

/// [rows - 1][vectors - 1][is_beside]
struct TileFunctions {
  TileFunction of[most_tile_rows][2][2];
};

template <int rows>
constexpr void fill(TileFunctions& table) {
  table.of[rows - 1][0][0] = multiply_tile<rows, 1, false>;
  table.of[rows - 1][0][1] = multiply_tile<rows, 1, true>;
  table.of[rows - 1][1][0] = multiply_tile<rows, 2, false>;
  table.of[rows - 1][1][1] = multiply_tile<rows, 2, true>;
  if constexpr (rows > 1) fill<rows - 1>(table);
}

constexpr TileFunctions tile_functions = [] {
  TileFunctions table{};
  fill<most_tile_rows>(table);
  return table;
}();

/// A product, turned where that suits vectors better, and how its operands are read.
struct Way {
  FloatProduct product;
  bool is_turned;  // the product of the turned matrices, into out turned
  bool packs_a, packs_b;
  std::int64_t tile_rows;
};

/// A stride at which rows fall on the same lines of the first cache.
bool lies_badly(std::int64_t stride) { return stride % 1024 == 0; }

/// Cycles a step of the depth, about: multiplications in full vectors, and what packing b costs
/// where its rows are not dense.
std::int64_t cost(std::int64_t rows, std::int64_t columns, bool b_is_dense) {
  return divided_up(columns, lanes) * rows * 2 + (b_is_dense ? 0 : columns);
}

Way way_of(const FloatProduct& given) {
  Way way{given, false, true, true, most_tile_rows};
  FloatProduct& p = way.product;
  way.is_turned = cost(given.columns, given.rows, given.a.row_stride == 1) <
                  cost(given.rows, given.columns, given.b.column_stride == 1);
  if (way.is_turned) {
    p.rows = given.columns;
    p.columns = given.rows;
    p.a = given.b.turned();
    p.b = given.a.turned();
  }
  const bool is_beside = p.a.row_stride == 1, is_along = p.a.column_stride == 1;
  const std::int64_t a_stride = is_beside ? p.a.column_stride : p.a.row_stride;
  way.packs_a =
      !(is_beside || is_along) || p.columns > 640 || (p.columns > 96 && lies_badly(a_stride));
  // 14 rows that fall on the same lines throw each other out.
  if (!way.packs_a && !is_beside && a_stride % 1024 == 0) way.tile_rows = 8;
  way.packs_b =
      p.b.column_stride != 1 || p.rows > 512 || (p.rows > 128 && lies_badly(p.b.row_stride));
  return way;
}

void pack_panel(float* to, const FloatProduct::Matrix& b, std::int64_t depth,
                std::int64_t columns) {
  for (std::int64_t j = 0; j < columns; j += lanes)
    pack_strip(to + j, tile_columns, b.data + j * b.column_stride, b.column_stride, b.row_stride,
               smaller(columns - j, lanes), depth);
}

/// Brings rows [first, last) of the next panel of b near: its rows lie too far apart, and are too
/// short, for the hardware to foresee them.
void foresee_panel(const FloatProduct::Matrix& b, std::int64_t first, std::int64_t last) {
  for (std::int64_t k = first; k < last; ++k)
    for (std::int64_t j = 0; j < tile_columns; j += lanes)
      _mm_prefetch(b.data + k * b.row_stride + j, _MM_HINT_T1);
}

/// A block of rows and one of the depth, through all columns.
struct Block {
  std::int64_t row, rows, k, depth;
};

void multiply_block(const Way& way, const Block& block, float* a_memory, float* panel) {
  const FloatProduct& p = way.product;
  const auto [row0, rows, k0, depth] = block;
  const std::int64_t strips = divided_up(rows, way.tile_rows);
  const auto first_row = [&](std::int64_t strip) { return strip * rows / strips; };  // all alike
  const float* const a = p.a.data + row0 * p.a.row_stride + k0 * p.a.column_stride;
  if (way.packs_a)
    for (std::int64_t s = 0; s < strips; ++s)
      pack_strip(a_memory + s * lanes * depth, lanes, a + first_row(s) * p.a.row_stride,
                 p.a.row_stride, p.a.column_stride, first_row(s + 1) - first_row(s), depth);
  Tile tile{};
  tile.depth = depth;
  tile.a_row = way.packs_a ? 1 : p.a.row_stride;
  tile.a_step = way.packs_a ? lanes : p.a.column_stride;
  tile.out_stride = p.out_stride;
  tile.is_turned = way.is_turned;
  tile.accumulate = p.accumulate || k0 > 0;
  for (std::int64_t column = 0; column < p.columns; column += tile_columns) {
    const std::int64_t width = smaller(p.columns - column, tile_columns);
    const int vectors = width > lanes ? 2 : 1;
    FloatProduct::Matrix b = p.b;
    b.data += k0 * b.row_stride + column * b.column_stride;
    if (way.packs_b) pack_panel(panel, b, depth, width);
    tile.b = way.packs_b ? panel : b.data;
    tile.b_step = way.packs_b ? tile_columns : b.row_stride;
    tile.last = mask_of(width - (vectors - 1) * lanes);
    for (std::int64_t s = 0; s < strips; ++s) {
      const std::int64_t row = row0 + first_row(s);
      tile.a = way.packs_a ? a_memory + s * lanes * depth : a + first_row(s) * p.a.row_stride;
      tile.out =
          p.out + (way.is_turned ? column * p.out_stride + row : row * p.out_stride + column);
      tile.bias = p.bias && k0 == 0 ? p.bias + (way.is_turned ? row : column) : nullptr;
      if (p.b.column_stride == 1 && column + tile_columns < p.columns) {
        FloatProduct::Matrix next = b;
        next.data += tile_columns;
        foresee_panel(next, s * depth / strips, (s + 1) * depth / strips);
      }
      const std::int64_t height = row0 + first_row(s + 1) - row;
      tile_functions.of[height - 1][vectors - 1][tile.a_row == 1](tile);
    }
  }
}

// Dot products: both operands are dense along the depth, and one has so few rows that packing it or
// the other would cost more than it saves. Four rows of b at a time.
constexpr std::int64_t most_dot_rows = 6;

/// How much of a side is a part for a thread: two parts each, for one may start late, in whole
/// tiles.
std::int64_t part_of_side(std::int64_t size, std::int64_t tile) {
  return divided_up(size, 2 * thread_count() * tile) * tile;
}

bool suits_dots(const FloatProduct& p) {
  return p.a.column_stride == 1 && p.b.row_stride == 1 && p.rows <= most_dot_rows &&
         p.depth >= 4 * lanes;
}

template <int rows, int columns>
void multiply_dots(const FloatProduct& p, std::int64_t column) {
  __m512 sum[rows][columns];
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < columns; ++j) sum[i][j] = _mm512_setzero_ps();
  const float* b[columns];
#pragma GCC unroll 4
  for (int j = 0; j < columns; ++j) b[j] = p.b.data + (column + j) * p.b.column_stride;
  for (std::int64_t k = 0; k < p.depth; k += lanes) {
    const __mmask16 mask = mask_of(p.depth - k);
    __m512 y[columns];
#pragma GCC unroll 4
    for (int j = 0; j < columns; ++j) y[j] = _mm512_maskz_loadu_ps(mask, b[j] + k);
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      const __m512 x = _mm512_maskz_loadu_ps(mask, p.a.data + i * p.a.row_stride + k);
#pragma GCC unroll 4
      for (int j = 0; j < columns; ++j) sum[i][j] = _mm512_fmadd_ps(x, y[j], sum[i][j]);
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < columns; ++j) {
      float* out = p.out + i * p.out_stride + column + j;
      const float kept = p.accumulate ? *out : 0.0f;
      *out = kept + (p.bias ? p.bias[column + j] : 0.0f) + _mm512_reduce_add_ps(sum[i][j]);
    }
  }
}

template <int rows>
void multiply_dot_rows(const FloatProduct& p, std::int64_t first, std::int64_t last) {
  std::int64_t column = first;
  for (; column + 4 <= last; column += 4) multiply_dots<rows, 4>(p, column);
  for (; column < last; ++column) multiply_dots<rows, 1>(p, column);
}

void multiply_by_dots(const FloatProduct& p) {
  static constexpr void (*of[])(const FloatProduct&, std::int64_t, std::int64_t) = {
      multiply_dot_rows<1>, multiply_dot_rows<2>, multiply_dot_rows<3>,
      multiply_dot_rows<4>, multiply_dot_rows<5>, multiply_dot_rows<6>};
  // What counts is that b is read, not what is multiplied.
  const double cost_ns = static_cast<double>(p.columns * p.depth) * 0.1;
  for_each_part(p.columns, part_of_side(p.columns, 4), cost_ns,
                [&](std::int64_t first, std::int64_t last) { of[p.rows - 1](p, first, last); });
}

/// The rows of a product from `first` on, or its columns.
Way part_of(Way way, bool cuts_rows, std::int64_t first, std::int64_t last) {
  FloatProduct& p = way.product;
  (cuts_rows ? p.rows : p.columns) = last - first;
  (cuts_rows ? p.a.data : p.b.data) += first * (cuts_rows ? p.a.row_stride : p.b.column_stride);
  const bool along_out = cuts_rows == way.is_turned;  // what is cut are out's columns
  p.out += along_out ? first : first * p.out_stride;
  if (p.bias && along_out) p.bias += first;
  return way;
}

void multiply_part(const Way& way) {
  const FloatProduct& p = way.product;
  const std::int64_t blocks = divided_up(p.depth, block_depth);
  const std::int64_t most_depth = divided_up(p.depth, blocks);
  const std::int64_t most_rows = divided_up(p.rows, divided_up(p.rows, block_rows));
  const std::int64_t strips = divided_up(most_rows, way.tile_rows);
  const std::int64_t a_floats = way.packs_a ? strips * lanes * most_depth : 0;
  const Scratch scratch((a_floats + (way.packs_b ? most_depth * tile_columns : 0)) * 4);
  float* const a_memory = scratch.as<float>();
  for (std::int64_t k = 0; k < p.depth; k += most_depth)
    for (std::int64_t row = 0; row < p.rows; row += most_rows)
      multiply_block(way,
                     {row, smaller(p.rows - row, most_rows), k, smaller(p.depth - k, most_depth)},
                     a_memory, a_memory + a_floats);
}

}  // namespace

// Measured against OpenBLAS 0.3.34: its small products win below these sizes, if neither operand
// has to be turned, and its blocks, which it packs once for all, win where all three sizes are
// large.
bool is_for_packed(const FloatProduct& p) noexcept {
  if (p.columns > 1 && suits_dots(p)) return true;
  if (p.rows == 1 || p.columns == 1) return false;
  constexpr std::int64_t large = 768;
  if (p.rows > large && p.columns > large && p.depth > large) return false;
  const std::int64_t products = p.rows * p.columns * p.depth;
  const bool is_turned = p.a.column_stride == 1 && p.b.row_stride == 1;
  if (is_turned && p.rows >= lanes && p.columns >= lanes) return products >= 1 << 16;
  return products >= 1 << 20;
}

void multiply_packed(const FloatProduct& given) {
  if (suits_dots(given)) return multiply_by_dots(given);
  const Way way = way_of(given);
  const FloatProduct& p = way.product;
  constexpr double product_ns = 0.016;
  const double cost_ns = static_cast<double>(p.rows * p.columns * p.depth) * product_ns;
  const bool cuts_rows = p.rows >= p.columns;
  const std::int64_t size = cuts_rows ? p.rows : p.columns;
  for_each_part(size, part_of_side(size, cuts_rows ? most_tile_rows : tile_columns), cost_ns,
                [&](std::int64_t first, std::int64_t last) {
                  multiply_part(part_of(way, cuts_rows, first, last));
                });
}

#else

bool is_for_packed(const FloatProduct&) noexcept { return false; }
void multiply_packed(const FloatProduct&) {}

#endif

}  // namespace garboard::kernels::GARBOARD_ISA
