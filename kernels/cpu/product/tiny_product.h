// Products of so few numbers that a call of anything takes longer.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/cpu/product/matmul.h"
#include "kernels/functors/element.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// T as it lies in memory, and as it is multiplied: in integers that wrap.
template <functors::Arithmetic T>
struct Wrapped {
  using Stored = T;
  using Factor = T;
};
template <functors::Integer T>
struct Wrapped<T> {
  using Stored = std::make_unsigned_t<T>;
  using Factor = functors::Unsigned<T>;
};

/// out = a b, or out += a b; the bias, of an element a column, is added where there is one.
template <class T>
void multiply_tiny(const Matrix& out, const Matrix& a, const Matrix& b, bool accumulate,
                   const char* bias) {
  using Stored = typename Wrapped<T>::Stored;
  using Factor = typename Wrapped<T>::Factor;
  const auto* const biases = reinterpret_cast<const Stored*>(bias);
  for (std::int64_t i = 0; i < out.rows; ++i) {
    for (std::int64_t j = 0; j < out.columns; ++j) {
      const auto* x = reinterpret_cast<const Stored*>(a.data) + i * a.row_stride;
      const auto* y = reinterpret_cast<const Stored*>(b.data) + j * b.column_stride;
      auto* const to = reinterpret_cast<Stored*>(out.data) + i * out.row_stride + j;
      Factor sum = accumulate ? Factor(*to) : Factor(0);
      if (biases) sum += biases[j];
      for (std::int64_t k = 0; k < a.columns; ++k, x += a.column_stride, y += b.row_stride)
        sum += Factor(*x) * Factor(*y);
      *to = static_cast<Stored>(sum);
    }
  }
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
