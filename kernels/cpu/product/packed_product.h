// A float32 product of our own for the sizes at which OpenBLAS leaves the most behind: AVX-512,
// some rows and columns or more.
#pragma once

#include <cstdint>

namespace garboard::kernels::GARBOARD_ISA {

struct FloatMatrix {
  const float* data;
  std::int64_t row_stride, column_stride;  // any: transposed, stepped, negative, 0

  FloatMatrix turned() const { return {data, column_stride, row_stride}; }
};

/// out = a b, + out where it accumulates, + bias where there is one.
struct FloatProduct {
  std::int64_t rows, columns, depth;
  FloatMatrix a, b;
  float* out;  // its rows are dense, and overlap nothing
  std::int64_t out_stride;
  const float* bias = nullptr;  // an element a column, dense
  bool accumulate = false;
};

/// Whether `multiply_packed` is the fastest way to a product that is not empty. Never without
/// AVX-512.
bool is_for_packed(const FloatProduct& product) noexcept;

/// Computes the product, with the same bits for any number of threads: the order in which an
/// element is summed along the depth depends on the sizes and strides of the whole product alone.
/// Reads each operand a few times from the caches, and writes `out` once every 192 of the depth or
/// more.
void multiply_packed(const FloatProduct& product);

}  // namespace garboard::kernels::GARBOARD_ISA
