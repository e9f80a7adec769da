// What BLAS defines, by the letter: matrices in columns. Stands for cuBLAS.
#pragma once

#include <cstdint>

#include "kernels/cuda/product/gemm_plan.h"
#include "kernels/functors/element.h"

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
        functors::Widened<T> sum = 0;
        for (std::int64_t k = 0; k < g.depth; ++k)
          sum += functors::widened(at(g.x, product, row, k)) *
                 functors::widened(at(g.y, product, k, column));
        T& target = static_cast<T*>(g.c)[product * g.step + row + column * g.leading];
        if (g.beta != 0)
          sum += static_cast<functors::Widened<T>>(g.beta) * functors::widened(target);
        target = static_cast<T>(sum);
      }
    }
  }
}

inline void multiply_by_definition(const kernels::cuda::Gemm& gemm) {
  visit_floating(gemm.dtype, [&]<class T>(Type<T>) { multiply_by_definition<T>(gemm); });
}

}  // namespace garboard::shim
