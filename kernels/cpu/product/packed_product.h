// Products of our own for the sizes at which OpenBLAS leaves the most behind: some rows and columns
// or more, of float32 and float64, with AVX-512; with AVX2 small and middling ones of float32.
#pragma once

#include <cstdint>

#include "kernels/cpu/wide/wide_vector.h"

namespace garboard::kernels::GARBOARD_ISA {

template <class T>
struct Factor {
  const T* data;
  std::int64_t row_stride, column_stride;  // any: transposed, stepped, negative, 0

  Factor turned() const { return {data, column_stride, row_stride}; }
};
using FloatMatrix = Factor<float>;

/// out = a b, + out where it accumulates, + bias where there is one.
template <class T>
struct MatrixProduct {
  std::int64_t rows, columns, depth;
  Factor<T> a, b;
  T* out;  // its rows are dense, and overlap nothing
  std::int64_t out_stride;
  const T* bias = nullptr;  // an element a column, dense
  bool accumulate = false;
  /// What stands for a float of a or b is two bfloat16, neighbours along the depth, which count
  /// both: see `is_for_pairs`.
  bool of_pairs = false;
};
using FloatProduct = MatrixProduct<float>;
using DoubleProduct = MatrixProduct<double>;

/// Whether `multiply_packed` is the fastest way to a product that is not empty. Never without
/// AVX2, or of doubles without AVX-512.
bool is_for_packed(const FloatProduct& product) noexcept;
bool is_for_packed(const DoubleProduct& product) noexcept;

/// Whether a product of bfloat16 goes by pairs: the processor multiplies both and adds them to a
/// float, which is twice as many in the time, and there are enough. Subnormal ones count as 0.
bool is_for_pairs(std::int64_t rows, std::int64_t columns, std::int64_t depth) noexcept;

/// Computes the product, with the same bits for any number of threads: the order in which an
/// element is summed along the depth depends on the sizes and strides of the whole product alone.
/// Reads each operand a few times from the caches, and writes `out` once every 192 of the depth or
/// more.
void multiply_packed(const FloatProduct& product);
void multiply_packed(const DoubleProduct& product);

/// Whether `multiply_small` is the fastest way to a product, of few elements, that `is_for_packed`
/// is not; or to one of many. Never without AVX2. On the thread that calls it.
bool is_for_small(const FloatProduct& product) noexcept;
void multiply_small(const FloatProduct& product);

/// Rows in strips that a tile can have, about equally high.
struct RowStrips {
  static constexpr std::int64_t most_height = has_many_registers ? 14 : 6;
  std::int64_t rows;

  std::int64_t count() const { return (rows + most_height - 1) / most_height; }
  /// The first row of a strip; of the one after the last: how many rows there are.
  std::int64_t first_row(std::int64_t strip) const { return strip * rows / count(); }
};

/// A product of operands that the caller has laid out for the tiles: float32, where `has_panels`.
struct PanelProduct {
  static constexpr std::int64_t strip_line = vector_bytes / 4, width = 2 * strip_line;

  /// Element (i, k) of a strip of rows at i * a_row + k * a_step.
  const float* a;
  std::int64_t a_row, a_step, a_strip;  // a_strip 0: strips follow each other by a_row
  const float* panels;  // of `width` columns, one after the other, a row for each of the depth
  RowStrips rows;
  std::int64_t columns, depth;
  float* out;
  std::int64_t out_stride;
  bool is_turned;  // out has a row for each column
  bool accumulate;
};

/// Whether `multiply_panels` can be called: where there is AVX2.
bool has_panels() noexcept;
/// On the thread that calls it.
void multiply_panels(const PanelProduct& product);
/// Rows [strip's first, next) of a matrix as a strip of lines: a_row 1, a_step `strip_line`.
void pack_rows(float* to, const FloatMatrix& a, std::int64_t rows, std::int64_t depth);
/// `b` as panels; what is left of the last one is 0.
void pack_columns(float* to, const FloatMatrix& b, std::int64_t depth, std::int64_t columns);

}  // namespace garboard::kernels::GARBOARD_ISA
