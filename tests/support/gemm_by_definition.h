// What BLAS defines, by the letter: matrices in columns. Stands for cuBLAS.
#pragma once

#include <cstdint>

#include "kernels/cuda/product/gemm_plan.h"

namespace garboard::shim {

template <class T>
void multiply_by_definition(const kernels::cuda::Gemm& g) {
  const auto at = [](const kernels::cuda::Gemm::Operand& m, std::int64_t product, std::int64_t row,
                     std::int64_t column) {
    const auto place = m.is_transposed ? column + row * m.leading : row + column * m.leading;
    return static_cast<const T*>(m.data)[product * m.step + place];
  };
  for (std::int64_t product = 0; product < g.batch; ++product) {
    for (std::int64_t column = 0; column < g.columns; ++column) {
      for (std::int64_t row = 0; row < g.rows; ++row) {
        T sum = 0;
        for (std::int64_t k = 0; k < g.depth; ++k)
          sum += at(g.x, product, row, k) * at(g.y, product, k, column);
        T& target = static_cast<T*>(g.c)[product * g.step + row + column * g.leading];
        target = g.beta == 0 ? sum : static_cast<T>(sum + g.beta * target);
      }
    }
  }
}

inline void multiply_by_definition(const kernels::cuda::Gemm& gemm) {
  if (gemm.dtype == DType::float32) multiply_by_definition<float>(gemm);
  if (gemm.dtype == DType::float64) multiply_by_definition<double>(gemm);
}

}  // namespace garboard::shim
