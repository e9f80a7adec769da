// Orthogonal factors: of triangles, of eigenvalues, of singular values. A matrix in row-major order
// is transposed to LAPACK: its L and Q are our R and Q, its left vectors our right ones, without a
// copy.
#include "kernels/cpu/linear_algebra/batches.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

template <class T>
void qr_factor(const QrFactor& of) {
  const auto& calls = lapack<T>(QrFactor::name);
  const int rows = int_of(of.a, 1), columns = int_of(of.a, 2), length = int_of(of.memory, 1);
  const double each_ns = 2 * cube_ns(rows, columns, size_of(of.scales, 1));
  for_each_matrix_in_memory(
      size_of(of.a, 0), of.memory, each_ns, [&](std::int64_t i, std::int64_t part) {
        int info = 0;
        calls.gelqf(&columns, &rows, item<T>(of.a, i), &columns, item<T>(of.scales, i),
                    item<T>(of.memory, part), &length, &info);
      });
}

template <class T>
void qr_vectors(const QrVectors& of) {
  const auto& calls = lapack<T>(QrVectors::name);
  const int rows = int_of(of.q, 1), columns = int_of(of.q, 2), length = int_of(of.memory, 1);
  const int k = int_of(of.scales, 1);
  const double each_ns = 2 * cube_ns(rows, columns, k);
  for_each_matrix_in_memory(
      size_of(of.q, 0), of.memory, each_ns, [&](std::int64_t i, std::int64_t part) {
        int info = 0;
        calls.orglq(&columns, &rows, &k, item<T>(of.q, i), &columns, item<T>(of.scales, i),
                    item<T>(of.memory, part), &length, &info);
      });
}

template <class T>
void eigh(const Eigh& of) {
  const auto& calls = lapack<T>(Eigh::name);
  const int n = int_of(of.a, 1), length = int_of(of.memory, 1), integers = int_of(of.integers, 1);
  const double each_ns = (of.wants_vectors ? 8 : 2) * cube_ns(n, n, n);
  for_each_matrix_in_memory(
      size_of(of.a, 0), of.memory, each_ns, [&](std::int64_t i, std::int64_t part) {
        T* const a = item<T>(of.a, i);
        int* const info = item<int>(of.infos, i);
        *info = n + 1;
        for (std::int64_t row = 0; row < n; ++row) {  // it would print, or not end
          const std::int64_t first = of.upper ? row : 0, last = of.upper ? n : row + 1;
          if (!is_finite(a + row * n + first, last - first)) return;
        }
        calls.syevd(of.wants_vectors ? "V" : "N", of.upper ? "L" : "U", &n, a, &n,
                    item<T>(of.values, i), item<T>(of.memory, part), &length,
                    item<int>(of.integers, part), &integers, info, 1, 1);
      });
}

template <class T>
void svd(const Svd& of) {
  const auto& calls = lapack<T>(Svd::name);
  const int m = int_of(of.a, 1), n = int_of(of.a, 2), length = int_of(of.memory, 1);
  const bool wants_vectors = of.u.data != nullptr;
  const int left = wants_vectors ? int_of(of.u, 2) : 1;
  const int k = int_of(of.s, 1);
  const char* const job = !wants_vectors                                       ? "N"
                          : left == k && size_of(of.vh, 1) == size_of(of.s, 1) ? "S"
                                                                               : "A";
  const double each_ns = (wants_vectors ? 16 : 4) * cube_ns(m, n, k);
  for_each_matrix_in_memory(
      size_of(of.a, 0), of.memory, each_ns, [&](std::int64_t i, std::int64_t part) {
        T* const a = item<T>(of.a, i);
        int* const info = item<int>(of.infos, i);
        *info = k + 1;
        if (!is_finite(a, std::int64_t{m} * n)) return;
        T nothing = 0;
        T* const u = wants_vectors ? item<T>(of.u, i) : &nothing;
        T* const vh = wants_vectors ? item<T>(of.vh, i) : &nothing;
        calls.gesdd(job, &n, &m, a, &n, item<T>(of.s, i), vh, &n, u, &left,
                    item<T>(of.memory, part), &length, item<int>(of.integers, part), info, 1);
      });
}

}  // namespace

template <>
void kernel(const QrFactor& of, Stream) {
  visit_float(of.a.dtype, [&]<class T>() { qr_factor<T>(of); });
}

template <>
void kernel(const QrVectors& of, Stream) {
  visit_float(of.q.dtype, [&]<class T>() { qr_vectors<T>(of); });
}

template <>
std::int64_t kernel(const Eigh& of, Stream) {
  visit_float(of.a.dtype, [&]<class T>() { eigh<T>(of); });
  return first_failure(of.infos);
}

template <>
std::int64_t kernel(const Svd& of, Stream) {
  visit_float(of.a.dtype, [&]<class T>() { svd<T>(of); });
  return first_failure(of.infos);
}

}  // namespace garboard::kernels::GARBOARD_ISA
