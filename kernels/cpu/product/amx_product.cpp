#include "kernels/cpu/product/amx_product.h"

#include <algorithm>

#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/loop/transpose.h"
#include "kernels/cpu/product/amx_tiles.h"
#include "kernels/cpu/product/depth_lines.h"
#include "kernels/cpu/tuning.h"
#include "kernels/cpu/wide/half_conversions.h"

namespace garboard::kernels::GARBOARD_ISA {

#if defined(__AVX512F__) && defined(__linux__)

namespace {

/// Some lines, from some place of the depth on, of which a tile has as many as there are.
class TileOfLines {
 public:
  TileOfLines(const DepthLines& of, std::int64_t line, std::int64_t depth)
      : data_(of.data + line * of.line_stride + depth * of.depth_stride),
        line_stride_(of.line_stride),
        depth_stride_(of.depth_stride),
        lines_(smaller(of.lines - line, tile_side)),
        depth_(smaller(of.depth - depth, tile_depth)) {}

  /// A row for each line or for each pair, and 0 where there is none.
  void pack(float* to, bool by_lines) const {
    __m512i x[tile_side];
    const bool lies_by_lines = depth_stride_ == 1 || line_stride_ != 1;
    if (depth_stride_ == 1)
      read_along(x);
    else if (line_stride_ == 1)
      read_across(x);
    else
      gather(x);
    if (lies_by_lines == by_lines) return store(to, x);
    __m512 turned[tile_side];
    for (int i = 0; i < tile_side; ++i) turned[i] = _mm512_castsi512_ps(x[i]);
    transpose_lanes(turned);
    for (int i = 0; i < tile_side; ++i) _mm512_storeu_ps(to + i * tile_side, turned[i]);
  }

 private:
  using Vectors = __m512i[tile_side];

  static void store(float* to, const Vectors& x) {
    for (int i = 0; i < tile_side; ++i) _mm512_storeu_si512(to + i * tile_side, x[i]);
  }
  void read_along(Vectors& x) const {
    const auto mask = static_cast<__mmask32>((std::uint64_t{1} << depth_) - 1);
    for (int i = 0; i < tile_side; ++i)
      x[i] = _mm512_maskz_loadu_epi16(i < lines_ ? mask : __mmask32{0}, data_ + i * line_stride_);
  }
  void read_across(Vectors& x) const {
    const auto mask = static_cast<__mmask16>((1u << lines_) - 1);
    for (int p = 0; p < tile_side; ++p) {
      const BFloat16* const first = data_ + 2 * p * depth_stride_;
      __builtin_prefetch(first + tile_depth * depth_stride_);
      __builtin_prefetch(first + (tile_depth + 1) * depth_stride_);
      const auto line = [&](bool is_there, const BFloat16* from) __attribute__((always_inline)) {
        return _mm512_cvtepu16_epi32(
            _mm256_maskz_loadu_epi16(is_there ? mask : __mmask16{0}, from));
      };
      x[p] =
          _mm512_or_si512(line(2 * p < depth_, first),
                          _mm512_slli_epi32(line(2 * p + 1 < depth_, first + depth_stride_), 16));
    }
  }
  void gather(Vectors& x) const {
    alignas(64) BFloat16 elements[tile_side][tile_depth] = {};
    for (std::int64_t i = 0; i < lines_; ++i)
      for (std::int64_t k = 0; k < depth_; ++k)
        elements[i][k] = data_[i * line_stride_ + k * depth_stride_];
    for (int i = 0; i < tile_side; ++i) x[i] = _mm512_load_si512(elements[i]);
  }

  const BFloat16* data_;
  std::int64_t line_stride_, depth_stride_, lines_, depth_;
};

/// Blocks of two tiles of lines, one block after the other; in each, tiles along the depth. In the
/// order of memory.
void pack_blocks(float* to, const DepthLines& of, bool by_lines) {
  const std::int64_t steps = divided_up(of.depth, tile_depth);
  const auto pack = [&](std::int64_t line, std::int64_t step) {
    float* const block = to + (line / block_side * steps + step) * block_floats;
    TileOfLines(of, line, step * tile_depth).pack(block, by_lines);
    if (line + tile_side < of.lines)
      TileOfLines(of, line + tile_side, step * tile_depth).pack(block + tile_floats, by_lines);
  };
  if (of.depth_stride == 1) {
    for (std::int64_t line = 0; line < of.lines; line += block_side)
      for (std::int64_t step = 0; step < steps; ++step) pack(line, step);
  } else {
    for (std::int64_t step = 0; step < steps; ++step)
      for (std::int64_t line = 0; line < of.lines; line += block_side) pack(line, step);
  }
}

/// Rows of a, columns of b, and what they come to.
struct AmxProduct {
  DepthLines a, b;
  char* out;
  std::int64_t out_item, out_stride;
  const BFloat16* bias;
  bool accumulate;
};

/// Rows of a and columns of b, on one thread.
class AmxPart {
 public:
  explicit AmxPart(const AmxProduct& of)
      : of_(of),
        depth_(smaller(of.a.depth, std::int64_t{tuning::amx_depth})),
        line_(divided_up(depth_, tile_depth) * tile_depth),
        width_(smaller(larger(tuning::amx_elements / line_ / block_side, 1),
                       divided_up(of.b.lines, block_side)) *
               block_side),
        columns_(width_ * line_ * item),
        strip_(block_side * line_ * item),
        totals_(depth_ < of.a.depth ? of.a.lines * of.b.lines * std::int64_t{sizeof(float)} : 0) {}

  /// A part of the depth after the other; columns of b, as many as stay in the second cache, and
  /// through all rows with them.
  void multiply() {
    const TileUse tiles;
    block_.sums = sums_;
    for (k_ = 0; k_ < of_.a.depth; k_ += depth_) {
      some_ = smaller(of_.a.depth - k_, depth_);
      block_.steps = divided_up(some_, tile_depth);
      for (std::int64_t j = 0; j < of_.b.lines; j += width_) {
        const std::int64_t columns = smaller(of_.b.lines - j, width_);
        pack_blocks(columns_.as<float>(), of_.b.part(j, columns).from(k_, some_), false);
        for (std::int64_t i = 0; i < of_.a.lines; i += block_side) multiply_strip(i, j, columns);
      }
    }
  }

 private:
  static constexpr std::int64_t item = sizeof(BFloat16);

  void multiply_strip(std::int64_t row, std::int64_t first, std::int64_t columns) {
    const std::int64_t rows = smaller(of_.a.lines - row, block_side);
    const DepthLines a = of_.a.part(row, rows).from(k_, some_);
    const bool is_direct = a.depth_stride == 1 && rows == block_side && some_ % tile_depth == 0 &&
                           columns <= tuning::amx_direct_columns;
    if (!is_direct) pack_blocks(strip_.as<float>(), a, true);
    block_.a = is_direct ? reinterpret_cast<const char*>(a.data) : strip_.data();
    block_.a_row = is_direct ? a.line_stride * item : tile_row_bytes;
    block_.a_step = is_direct ? tile_row_bytes : block_bytes;
    block_.a_below = tile_side * block_.a_row;
    block_.b = columns_.data();
    for (std::int64_t j = 0; j < columns; j += block_side) {
      pace_.advance(block_side * line_);
      const std::int64_t wide = smaller(columns - j, block_side);
      const bool has_sums = k_ > 0 || of_.accumulate || of_.bias;
      for (std::int64_t i = 0; has_sums && i < rows; ++i)
        read_row(sums_ + i * block_side, row + i, first + j, wide);
      multiply_block(block_, rows, wide, has_sums);
      for (std::int64_t i = 0; i < rows; ++i)
        write_row(sums_ + i * block_side, row + i, first + j, wide);
      block_.b += block_.steps * block_bytes;
    }
  }
  float* total(std::int64_t row, std::int64_t column) const {
    return totals_.as<float>() + row * of_.b.lines + column;
  }
  bool is_wide() const { return of_.out_item == sizeof(float); }
  template <class T>
  T* out(std::int64_t row, std::int64_t column) const {
    return reinterpret_cast<T*>(of_.out) + row * of_.out_stride + column;
  }
  /// What a block's products are added to.
  void read_row(float* sums, std::int64_t row, std::int64_t column, std::int64_t count) const {
    if (k_ > 0) {
      std::copy_n(total(row, column), count, sums);
      return;
    }
    if (!of_.accumulate) return widen(sums, of_.bias + column, count);
    if (is_wide())
      std::copy_n(out<float>(row, column), count, sums);
    else
      widen(sums, out<BFloat16>(row, column), count);
    if (!of_.bias) return;
    float bias[block_side];
    widen(bias, of_.bias + column, count);
    for (std::int64_t j = 0; j < count; ++j) sums[j] += bias[j];
  }
  void write_row(const float* sums, std::int64_t row, std::int64_t column,
                 std::int64_t count) const {
    if (k_ + some_ < of_.a.depth)
      std::copy_n(sums, count, total(row, column));
    else if (is_wide())
      std::copy_n(sums, count, out<float>(row, column));
    else if (count == block_side)
      narrow(out<BFloat16>(row, column), sums, block_side);
    else
      narrow(out<BFloat16>(row, column), sums, count);
  }

  const AmxProduct& of_;
  std::int64_t depth_, line_, width_;  // of b at a time: places, as many in whole tiles, columns
  Scratch columns_, strip_, totals_;
  std::int64_t k_ = 0, some_ = 0;  // where in the depth, and how much of it
  alignas(64) float sums_[block_side * block_side];
  TileBlock block_;
  Pace pace_;
};

}  // namespace

bool is_for_amx(std::int64_t rows, std::int64_t columns, std::int64_t depth) noexcept {
  return may_use_tiles() && rows >= tuning::amx_least_side && columns >= tuning::amx_least_side &&
         rows * columns * depth >= tuning::amx_least_products;
}

void multiply_amx(const Matrix& out, const Matrix& a, const Matrix& b, bool accumulate,
                  const char* bias) {
  const AmxProduct product{.a = rows_along_depth(a),
                           .b = columns_along_depth(b),
                           .out = out.data,
                           .out_item = out.item,
                           .out_stride = out.row_stride,
                           .bias = reinterpret_cast<const BFloat16*>(bias),
                           .accumulate = accumulate};
  const std::int64_t rows = out.rows, columns = out.columns;
  const bool cuts_rows = rows >= columns;
  const std::int64_t size = cuts_rows ? rows : columns;
  const std::int64_t part = divided_up(size, thread_count() * block_side) * block_side;
  const double cost_ns =
      static_cast<double>(rows * columns) * static_cast<double>(a.columns) * tuning::amx_product_ns;
  for_each_part(size, part, cost_ns, [&](std::int64_t first, std::int64_t last) {
    AmxProduct some = product;
    DepthLines& cut = cuts_rows ? some.a : some.b;
    cut = cut.part(first, last - first);
    some.out += (cuts_rows ? first * product.out_stride : first) * product.out_item;
    if (some.bias && !cuts_rows) some.bias += first;
    AmxPart(some).multiply();
  });
}

#else

bool is_for_amx(std::int64_t, std::int64_t, std::int64_t) noexcept { return false; }
void multiply_amx(const Matrix&, const Matrix&, const Matrix&, bool, const char*) {}

#endif

}  // namespace garboard::kernels::GARBOARD_ISA
