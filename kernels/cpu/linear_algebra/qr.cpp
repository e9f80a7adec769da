// Orthogonal and triangular factors. A matrix in row-major order is transposed to LAPACK.
#include <algorithm>

#include "kernels/cpu/linear_algebra/batches.h"
#include "kernels/cpu/linear_algebra/reflections.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

template <class T>
void qr_factor(const QrFactor& of) {
  const auto& calls = lapack<T>(QrFactor::name);
  const int rows = int_of(of.a, 2), columns = int_of(of.a, 1), block = int_of(of.blocks, 2);
  const int length = int_of(of.memory, 1);
  const double each_ns = 2 * cube_ns(rows, columns, size_of(of.blocks, 1));
  for_each_matrix_in_memory(
      size_of(of.a, 0), of.memory, each_ns, [&](std::int64_t i, std::int64_t part) {
        int info = 0;
        T* const a = item<T>(of.a, i);
        T* const blocks = item<T>(of.blocks, i);
        T* const memory = item<T>(of.memory, part);
        if constexpr (!is_complex_type<T>) {
          if (block == 1 && takes_reflections(rows, columns))
            return factor_by_reflections(a, rows, columns, blocks);
        }
        if (block == 1)
          calls.geqrf(&rows, &columns, a, &rows, blocks, memory, &length, &info);
        else
          calls.geqrt(&rows, &columns, &block, a, &rows, blocks, &block, memory, &info);
      });
}

template <class T>
void qr_vectors(const QrVectors& of) {
  const auto& calls = lapack<T>(QrVectors::name);
  const int rows = int_of(of.q, 2), columns = int_of(of.q, 1);
  const int k = int_of(of.blocks, 1), block = int_of(of.blocks, 2), length = int_of(of.memory, 1);
  const double each_ns = 2 * cube_ns(rows, columns, k);
  for_each_matrix_in_memory(
      size_of(of.q, 0), of.memory, each_ns, [&](std::int64_t i, std::int64_t part) {
        int info = 0;
        T* const q = item<T>(of.q, i);
        const T* const a = item<T>(of.a, i);
        const T* const blocks = item<T>(of.blocks, i);
        T* const memory = item<T>(of.memory, part);
        if constexpr (!is_complex_type<T>) {
          if (block == 1 && takes_reflections(rows, columns))
            return multiply_reflections(q, rows, columns, a, k, blocks);
        }
        if (block == 1) {
          std::copy_n(a, std::int64_t{rows} * k, q);
          return calls.qr_vectors(&rows, &columns, &k, q, &rows, blocks, memory, &length, &info);
        }
        std::fill_n(q, std::int64_t{rows} * columns, T(0));
        for (std::int64_t column = 0; column < columns; ++column) q[column * (rows + 1)] = T(1);
        calls.gemqrt("L", "N", &rows, &columns, &k, &block, a, &rows, blocks, &block, q, &rows,
                     memory, &info, 1, 1);
      });
}

}  // namespace

template <>
void kernel(const QrFactor& of, Stream) {
  visit_lapack(of.a.dtype, [&]<class T>() { qr_factor<T>(of); });
}

template <>
void kernel(const QrVectors& of, Stream) {
  visit_lapack(of.q.dtype, [&]<class T>() { qr_vectors<T>(of); });
}

}  // namespace garboard::kernels::GARBOARD_ISA
