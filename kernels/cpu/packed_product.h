// A float32 product of our own for the sizes at which OpenBLAS leaves the most behind: AVX-512,
// some rows and columns or more.
#pragma once

#include <cstdint>

namespace garboard::kernels::GARBOARD_ISA {

/// out = a b, + out where it accumulates, + bias where there is one.
struct FloatProduct {
  struct Matrix {
    const float* data;
    std::int64_t row_stride, column_stride;  // any: transposed, stepped, negative, 0

    Matrix turned() const { return {data, column_stride, row_stride}; }
  };

  std::int64_t rows, columns, depth;
  Matrix a, b;
  float* out;  // its rows are dense, and overlap nothing
  std::int64_t out_stride;
  const float* bias = nullptr;  // an element a column, dense
  bool accumulate = false;
};

/// Whether `multiply_packed` is the fastest way to a product that is not empty. Never without
/// AVX-512.
bool is_for_packed(const FloatProduct& product) noexcept;

/// Computes the product. Each element is summed along the depth in an order that the depth alone
/// decides, so a product cut into blocks of rows or columns gives the same bits. Reads each operand
/// a few times from the caches, and writes `out` once every 512 of the depth.
void multiply_packed(const FloatProduct& product);

}  // namespace garboard::kernels::GARBOARD_ISA
