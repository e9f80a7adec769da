#include "kernels/cpu/product/packed_product.h"

#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/product/dot_products.h"
#include "kernels/cpu/product/product_tile.h"
#include "kernels/cpu/tuning.h"

namespace garboard::kernels::GARBOARD_ISA {

#ifdef __AVX2__

namespace {

// A strip of a, up to 14 rows or 6, and a panel of b, two vectors wide, stay in the first cache.
template <class T>
constexpr std::int64_t block_depth = tuning::packed_depth * 4 / sizeof(T);
template <class T>
constexpr std::int64_t block_elements = tuning::packed_floats * 4 / sizeof(T);
constexpr std::int64_t packed_block_depth = tuning::packed_b_depth,
                       far_block_depth = tuning::far_depth;
/// Elements of a line of a packed strip, which is one of the depth.
template <class T>
constexpr std::int64_t strip_line = divided_up(most_tile_rows, lanes_of<T>) * lanes_of<T>;
/// Those that the second cache holds.
template <class T>
std::int64_t near_elements() {
  return machine().second_cache_bytes / static_cast<std::int64_t>(sizeof(T));
}
constexpr std::int64_t pace_products = 16;  // take the time of another op's element

/// to[j * to_stride + i] = from[i * row_stride + j * column_stride] for i < rows, j < columns, and
/// 0 for the rows from there to a vector.
template <class T>
void pack_vectors(T* to, std::int64_t to_stride, const T* from, std::int64_t row_stride,
                  std::int64_t column_stride, std::int64_t rows, std::int64_t columns) {
  constexpr int lanes = lanes_of<T>;
  using Vector = typename ProductVector<T>::Type;
  if (row_stride == 1) {
    const auto mask = first_lanes<T>(rows);
    for (std::int64_t j = 0; j < columns; ++j)
      store(to + j * to_stride, load(mask, from + j * column_stride));
    return;
  }
  for (std::int64_t j = 0; column_stride == 1 && j < columns; j += lanes) {
    const auto mask = first_lanes<T>(columns - j);
    Vector x[lanes];
#pragma GCC unroll 16
    for (int i = 0; i < lanes; ++i)
      x[i] = i < rows ? load(mask, from + i * row_stride + j) : Vector{};
    transpose_lanes(x);
    if (columns - j >= lanes) {
#pragma GCC unroll 16
      for (int i = 0; i < lanes; ++i) store(to + (j + i) * to_stride, x[i]);
    } else {
#pragma GCC unroll 16
      for (int i = 0; i < lanes; ++i)
        if (i < columns - j) store(to + (j + i) * to_stride, x[i]);
    }
  }
  for (std::int64_t j = 0; column_stride != 1 && j < columns; ++j)
    for (std::int64_t i = 0; i < lanes; ++i)
      to[j * to_stride + i] = i < rows ? from[i * row_stride + j * column_stride] : 0;
}

/// Rows of a as lines of a strip.
template <class T>
void pack_strip(T* to, const Factor<T>& a, std::int64_t rows, std::int64_t depth) {
  for (std::int64_t i = 0; i < rows; i += lanes_of<T>)
    pack_vectors(to + i, strip_line<T>, a.data + i * a.row_stride, a.row_stride, a.column_stride,
                 smaller(rows - i, lanes_of<T>), depth);
}

/// A product, turned where that suits vectors better, and how its operands are read.
template <class T>
struct Way {
  MatrixProduct<T> product;
  bool is_turned;  // the product of the turned matrices, into out turned
  bool packs_a, packs_b;
  std::int64_t tile_rows;
  std::int64_t depth;  // of a block, at most
};

/// A stride at which rows fall on the same lines of the first cache.
template <class T>
bool lies_badly(std::int64_t stride) {
  return stride * static_cast<std::int64_t>(sizeof(T)) % 4096 == 0;
}

/// Quarters of a cycle for a step of the depth, about: multiplications in full vectors, and what
/// packing b costs where its rows are not dense.
template <class T>
std::int64_t cost(std::int64_t rows, std::int64_t columns, bool b_is_dense) {
  return divided_up(columns, lanes_of<T>) * rows * 2 + (b_is_dense ? 0 : columns);
}

/// Storing a turned tile costs as much as packing two panels, once a block of the depth.
template <class T>
bool is_better_turned(const MatrixProduct<T>& p) {
  const std::int64_t storing = 2 * p.rows * p.columns / smaller(p.depth, packed_block_depth);
  return cost<T>(p.columns, p.rows, p.a.row_stride == 1) + storing <
         cost<T>(p.rows, p.columns, p.b.column_stride == 1);
}

template <class T>
bool packs_b(const MatrixProduct<T>& p) {
  if (p.b.column_stride != 1 || p.rows > 480) return true;
  const std::int64_t elements = p.columns * p.depth, near = near_elements<T>();
  const bool is_ragged = p.b.row_stride % lanes_of<T> != 0;  // each vector is in two lines
  // Row after row comes from memory in time; lines of a panel, a row apart each, do not.
  return (p.rows > 20 && elements > near / 4) ||
         (p.rows > 64 && elements > near / 16 && is_ragged) ||
         (p.rows > 128 && lies_badly<T>(p.b.row_stride));
}

template <class T>
std::int64_t most_depth(const Way<T>& way) {
  const MatrixProduct<T>& p = way.product;
  const bool b_is_far = p.columns * p.depth > near_elements<T>();
  const bool a_is_far = p.rows * p.depth > near_elements<T>() && p.a.row_stride == 1;
  if ((b_is_far && !way.packs_b) || (a_is_far && !way.packs_a)) return far_block_depth;
  return b_is_far || (way.packs_a && way.packs_b) ? packed_block_depth : block_depth<T>;
}

// What the numbers say was measured; docs/benchmarks.md has the rest.
template <class T>
Way<T> way_of(const MatrixProduct<T>& given) {
  Way<T> way{given, is_better_turned(given), true, true, most_tile_rows, 0};
  MatrixProduct<T>& p = way.product;
  if (way.is_turned) {
    p.rows = given.columns;
    p.columns = given.rows;
    p.a = given.b.turned();
    p.b = given.a.turned();
  }
  const bool is_beside = p.a.row_stride == 1, is_along = p.a.column_stride == 1;
  const std::int64_t a_stride = is_beside ? p.a.column_stride : p.a.row_stride;
  way.packs_a =
      !(is_beside || is_along) || p.columns > 480 || (p.columns > 96 && lies_badly<T>(a_stride));
  // Rows that fall on the same lines throw each other out.
  if (!way.packs_a && !is_beside && lies_badly<T>(a_stride))
    way.tile_rows = smaller(8, most_tile_rows);
  way.packs_b = packs_b(p);
  const std::int64_t blocks = divided_up(p.depth, most_depth(way));
  way.depth = divided_up(divided_up(p.depth, blocks), lanes_of<T>) * lanes_of<T>;
  return way;
}

/// Panels of two vectors of columns, one after the other, whose rows are as wide; what is left of
/// the last one is 0.
template <class T>
void pack_panels(T* to, const Factor<T>& b, std::int64_t depth, std::int64_t columns) {
  constexpr int lanes = lanes_of<T>, tile_columns = tile_columns_of<T>;
  const auto place = [&](std::int64_t j) {
    return to + j / tile_columns * tile_columns * depth + j % tile_columns;
  };
  const std::int64_t dense = b.column_stride == 1 ? columns / lanes * lanes : 0;
  for (std::int64_t k = 0; dense > 0 && k < depth; ++k) {  // in the order of memory
    const T* from = b.data + k * b.row_stride;
    T* row = to + k * tile_columns;
    for (std::int64_t j = 0; j < dense; j += lanes)
      store(row + j / tile_columns * tile_columns * depth + j % tile_columns, load(from + j));
  }
  for (std::int64_t j = dense; j < columns; j += lanes)
    pack_vectors(place(j), tile_columns, b.data + j * b.column_stride, b.column_stride,
                 b.row_stride, smaller(columns - j, lanes), depth);
}

/// A block of columns and one of the depth, through all rows.
struct CacheBlock {
  std::int64_t column, columns, k, depth;
};

/// How many of a block's columns are read from packed b: all, or those of a panel that is not full.
template <class T>
std::int64_t packed_columns(const Way<T>& way, std::int64_t columns) {
  return way.packs_b ? columns : columns % lanes_of<T> ? columns % tile_columns_of<T> : 0;
}

template <class T>
void multiply_block(const Way<T>& way, const CacheBlock& block, T* a_memory, T* b_memory,
                    Pace& pace) {
  constexpr int lanes = lanes_of<T>, tile_columns = tile_columns_of<T>;
  const MatrixProduct<T>& p = way.product;
  const auto [column0, columns, k0, depth] = block;
  const std::int64_t strips = divided_up(p.rows, way.tile_rows);
  const auto first_row = [&](std::int64_t strip) { return strip * p.rows / strips; };  // all alike
  const std::int64_t unpacked = columns - packed_columns(way, columns);
  Factor<T> b = p.b;
  b.data += k0 * b.row_stride + column0 * b.column_stride;
  Factor<T> b_to_pack = b;
  b_to_pack.data += unpacked * b.column_stride;
  pack_panels(b_memory, b_to_pack, depth, columns - unpacked);
  Tile<T> tile{};
  tile.depth = depth;
  tile.a_row = way.packs_a ? 1 : p.a.row_stride;
  tile.a_step = way.packs_a ? strip_line<T> : p.a.column_stride;
  tile.out_stride = p.out_stride;
  tile.is_turned = way.is_turned;
  tile.accumulate = p.accumulate || k0 > 0;
  for (std::int64_t s = 0; s < strips; ++s) {
    const std::int64_t row = first_row(s), height = first_row(s + 1) - row;
    pace.advance(height * columns * depth / pace_products);
    const T* const a = p.a.data + row * p.a.row_stride + k0 * p.a.column_stride;
    if (way.packs_a) pack_strip(a_memory, {a, p.a.row_stride, p.a.column_stride}, height, depth);
    tile.a = way.packs_a ? a_memory : a;
    for (std::int64_t j = 0; j < columns; j += tile_columns) {
      const std::int64_t width = smaller(columns - j, tile_columns), column = column0 + j;
      const int vectors = width > lanes ? 2 : 1;
      tile.b = j < unpacked ? b.data + j : b_memory + (j - unpacked) * depth;
      tile.b_step = j < unpacked ? b.row_stride : tile_columns;
      tile.last = width - (vectors - 1) * lanes;
      tile.out =
          p.out + (way.is_turned ? column * p.out_stride + row : row * p.out_stride + column);
      tile.bias = p.bias && k0 == 0 ? p.bias + (way.is_turned ? row : column) : nullptr;
      tile_functions<T>.at(height, vectors, tile.a_row == 1, p.of_pairs)(tile);
    }
  }
}

/// Whether pairs are multiplied and added in less than twice the time of floats. From the cores on
/// that have AVX512_FP16, Intel leaves them to AMX, and the instruction takes four times as long.
bool pairs_are_fast() {
  static const bool are = holds_pairs<float> && __builtin_cpu_supports("avx512bf16") &&
                          !(__builtin_cpu_is("intel") && __builtin_cpu_supports("avx512fp16"));
  return are;
}

/// How much of a side is a part, in whole tiles, where each thread gets some.
std::int64_t part_of_side(std::int64_t size, std::int64_t tile, int parts_each) {
  return divided_up(size, parts_each * thread_count() * tile) * tile;
}

/// The rows of a product from `first` on, or its columns.
template <class T>
Way<T> part_of(Way<T> way, bool cuts_rows, std::int64_t first, std::int64_t last) {
  MatrixProduct<T>& p = way.product;
  (cuts_rows ? p.rows : p.columns) = last - first;
  (cuts_rows ? p.a.data : p.b.data) += first * (cuts_rows ? p.a.row_stride : p.b.column_stride);
  const bool along_out = cuts_rows == way.is_turned;  // what is cut are out's columns
  p.out += along_out ? first : first * p.out_stride;
  if (p.bias && along_out) p.bias += first;
  return way;
}

template <class T>
void multiply_part(const Way<T>& way) {
  constexpr int lanes = lanes_of<T>, tile_columns = tile_columns_of<T>;
  const MatrixProduct<T>& p = way.product;
  const std::int64_t depth = smaller(p.depth, way.depth);
  const std::int64_t blocks = divided_up(p.columns * depth, block_elements<T>);
  const std::int64_t most_columns =
      divided_up(divided_up(p.columns, blocks), tile_columns) * tile_columns;
  const std::int64_t a_count = way.packs_a ? strip_line<T> * depth : 0;
  const std::int64_t b_columns = way.packs_b ? most_columns : p.columns % lanes ? tile_columns : 0;
  const Scratch scratch(a_count + b_columns * depth, sizeof(T));
  T* const a_memory = scratch.as<T>();
  Pace pace;
  for (std::int64_t column = 0; column < p.columns; column += most_columns)
    for (std::int64_t k = 0; k < p.depth; k += depth)
      multiply_block(
          way, {column, smaller(p.columns - column, most_columns), k, smaller(p.depth - k, depth)},
          a_memory, a_memory + a_count, pace);
}

template <class T>
void multiply_in_blocks(const MatrixProduct<T>& given) {
  const Way<T> way = way_of(given);
  const MatrixProduct<T>& p = way.product;
  const double cost_ns = static_cast<double>(p.rows * p.columns) * static_cast<double>(p.depth) *
                         tuning::packed_product_ns * sizeof(T) / sizeof(float);
  const bool cuts_rows = p.rows > p.columns;
  const std::int64_t size = cuts_rows ? p.rows : p.columns;
  // Two parts a thread, for one may start late, unless each packs much of what the other does too.
  constexpr std::int64_t long_part = tuning::packed_long_part;
  const bool packs_again = cuts_rows ? way.packs_b : way.packs_a;
  const int parts_each = packs_again && size < 2 * long_part * thread_count() ? 1 : 2;
  const std::int64_t part =
      part_of_side(size, cuts_rows ? most_tile_rows : tile_columns_of<T>, parts_each);
  for_each_part(size, part, cost_ns, [&](std::int64_t first, std::int64_t last) {
    multiply_part(part_of(way, cuts_rows, first, last));
  });
}

}  // namespace

// Measured against OpenBLAS 0.3.34 on Intel's processors: below these sizes, if neither operand has
// to be turned, its small products win, and `multiply_small` does as well. On AMD's that takes half
// the time of OpenBLAS.
bool is_for_packed(const FloatProduct& p) noexcept {
  if (suits_dots(p)) return true;
  if (p.rows == 1 || p.columns == 1) return false;
  const std::int64_t products = p.rows * p.columns * p.depth;
  // The library's kernels for AVX2 leave nothing behind from here on.
  if (!has_many_registers && products > 1 << 24) return false;
  const bool is_turned = p.a.column_stride == 1 && p.b.row_stride == 1;
  constexpr int lanes = lanes_of<float>;
  if (is_turned && p.rows >= lanes && p.columns >= lanes) return products >= 1 << 16;
  return products >= 1 << 20;
}

bool is_for_pairs(std::int64_t rows, std::int64_t columns, std::int64_t depth) noexcept {
  return pairs_are_fast() && rows > 1 && columns > 1 && rows * columns * depth >= 1 << 14;
}

void multiply_packed(const FloatProduct& given) {
  if (!given.of_pairs && suits_dots(given)) return multiply_by_dots(given);
  multiply_in_blocks(given);
}

#ifdef __AVX512F__
bool is_for_packed(const DoubleProduct& p) noexcept {
  return p.rows > 1 && p.columns > 1 && p.rows * p.columns * p.depth >= 1 << 20;
}
void multiply_packed(const DoubleProduct& given) { multiply_in_blocks(given); }
#endif

bool is_for_small(const FloatProduct& p) noexcept {
  const bool is_read_as_it_lies = p.a.row_stride == 1 || p.a.column_stride == 1;
  return is_read_as_it_lies && p.rows > 1 && p.columns >= tuning::small_columns && p.depth > 1 &&
         p.depth <= tuning::small_depth && p.rows * p.columns * p.depth <= tuning::small_products;
}

void multiply_small(const FloatProduct& p) {
  constexpr int lanes = lanes_of<float>, tile_columns = tile_columns_of<float>;
  alignas(64) float panel[tile_columns * tuning::small_depth];
  const RowStrips rows{p.rows};
  Tile<float> tile{};
  tile.a_row = p.a.row_stride;
  tile.a_step = p.a.column_stride;
  tile.depth = p.depth;
  tile.out_stride = p.out_stride;
  tile.accumulate = p.accumulate;
  for (std::int64_t j = 0; j < p.columns; j += tile_columns) {
    const std::int64_t width = smaller(p.columns - j, tile_columns);
    const int vectors = width > lanes ? 2 : 1;
    const FloatMatrix b{p.b.data + j * p.b.column_stride, p.b.row_stride, p.b.column_stride};
    const bool is_dense = b.column_stride == 1 && width % lanes == 0;
    if (!is_dense) pack_panels(panel, b, p.depth, width);
    tile.b = is_dense ? b.data : panel;
    tile.b_step = is_dense ? b.row_stride : tile_columns;
    tile.last = width - (vectors - 1) * lanes;
    tile.bias = p.bias ? p.bias + j : nullptr;
    for (std::int64_t s = 0; s < rows.count(); ++s) {
      const std::int64_t row = rows.first_row(s), height = rows.first_row(s + 1) - row;
      tile.a = p.a.data + row * p.a.row_stride;
      tile.out = p.out + row * p.out_stride + j;
      tile_functions<float>.at(height, vectors, tile.a_row == 1, false)(tile);
    }
  }
}

bool has_panels() noexcept { return true; }

void multiply_panels(const PanelProduct& p) {
  constexpr int lanes = lanes_of<float>, tile_columns = tile_columns_of<float>;
  static_assert(tile_columns == PanelProduct::width);
  Tile<float> tile{};
  tile.a_row = p.a_row;
  tile.a_step = p.a_step;
  tile.b_step = tile_columns;
  tile.depth = p.depth;
  tile.out_stride = p.out_stride;
  tile.is_turned = p.is_turned;
  tile.accumulate = p.accumulate;
  for (std::int64_t s = 0; s < p.rows.count(); ++s) {
    const std::int64_t row = p.rows.first_row(s), height = p.rows.first_row(s + 1) - row;
    tile.a = p.a + (p.a_strip ? s * p.a_strip : row * p.a_row);
    for (std::int64_t j = 0; j < p.columns; j += tile_columns) {
      const std::int64_t width = smaller(p.columns - j, tile_columns);
      const int vectors = width > lanes ? 2 : 1;
      tile.b = p.panels + j * p.depth;
      tile.last = width - (vectors - 1) * lanes;
      tile.out = p.out + (p.is_turned ? j * p.out_stride + row : row * p.out_stride + j);
      tile_functions<float>.at(height, vectors, p.a_row == 1, false)(tile);
    }
  }
}

void pack_rows(float* to, const FloatMatrix& a, std::int64_t rows, std::int64_t depth) {
  static_assert(strip_line<float> == PanelProduct::strip_line);
  pack_strip(to, a, rows, depth);
}

void pack_columns(float* to, const FloatMatrix& b, std::int64_t depth, std::int64_t columns) {
  pack_panels(to, b, depth, columns);
}

#else

bool is_for_packed(const FloatProduct&) noexcept { return false; }
bool is_for_pairs(std::int64_t, std::int64_t, std::int64_t) noexcept { return false; }
void multiply_packed(const FloatProduct&) {}
bool is_for_small(const FloatProduct&) noexcept { return false; }
void multiply_small(const FloatProduct&) {}
bool has_panels() noexcept { return false; }
void multiply_panels(const PanelProduct&) {}
void pack_rows(float*, const FloatMatrix&, std::int64_t, std::int64_t) {}
void pack_columns(float*, const FloatMatrix&, std::int64_t, std::int64_t) {}

#endif

#ifndef __AVX512F__
bool is_for_packed(const DoubleProduct&) noexcept { return false; }
void multiply_packed(const DoubleProduct&) {}
#endif

}  // namespace garboard::kernels::GARBOARD_ISA
