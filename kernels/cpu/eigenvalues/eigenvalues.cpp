// Eigenvalues, singular values and their vectors. A matrix in row-major order is transposed to
// LAPACK: its left vectors are our right ones, without a copy.
#include <algorithm>

#include "kernels/cpu/linear_algebra/batches.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// A part of memory: numbers of T, and behind them `reals` real ones where T is complex.
template <class T>
struct Memory {
  T* work;
  int length;
  Component<T>* reals;

  Memory(const View& memory, std::int64_t part, std::int64_t reals)
      : work(item<T>(memory, part)), length(int_of(memory, 1)) {
    if constexpr (is_complex_type<T>) length -= static_cast<int>((reals + 1) / 2);
    this->reals = reinterpret_cast<Component<T>*>(work + length);
  }
};

template <class T>
void eigh(const Eigh& of) {
  const auto& calls = lapack<T>(Eigh::name);
  const int n = int_of(of.a, 1), integers = int_of(of.integers, 1);
  const int reals = of.wants_vectors ? 1 + 5 * n + 2 * n * n : n;
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
        const Memory<T> memory(of.memory, part, reals);
        const char *const job = of.wants_vectors ? "V" : "N", *const triangle =
                                                                  of.upper ? "L" : "U";
        auto* const values = item<Component<T>>(of.values, i);
        int* const whole = item<int>(of.integers, part);
        if constexpr (is_complex_type<T>) {
          calls.eigh(job, triangle, &n, a, &n, values, memory.work, &memory.length, memory.reals,
                     &reals, whole, &integers, info, 1, 1);
          if (!of.wants_vectors) return;
          for (std::int64_t k = 0; k < std::int64_t{n} * n; ++k) a[k].imaginary = -a[k].imaginary;
        } else {
          calls.eigh(job, triangle, &n, a, &n, values, memory.work, &memory.length, whole,
                     &integers, info, 1, 1);
        }
      });
}

template <class T>
void svd(const Svd& of) {
  const auto& calls = lapack<T>(Svd::name);
  const int m = int_of(of.a, 1), n = int_of(of.a, 2);
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
        T nothing(0);
        T* const u = wants_vectors ? item<T>(of.u, i) : &nothing;
        T* const vh = wants_vectors ? item<T>(of.vh, i) : &nothing;
        auto* const s = item<Component<T>>(of.s, i);
        int* const integers = item<int>(of.integers, part);
        const Memory<T> memory(of.memory, part, Svd::reals(m, n, wants_vectors));
        if constexpr (is_complex_type<T>)
          calls.gesdd(job, &n, &m, a, &n, s, vh, &n, u, &left, memory.work, &memory.length,
                      memory.reals, integers, info, 1);
        else
          calls.gesdd(job, &n, &m, a, &n, s, vh, &n, u, &left, memory.work, &memory.length,
                      integers, info, 1);
      });
}

/// Real eigenvalues and vectors by pairs, as complex ones: of a pair the first has real parts, the
/// second imaginary ones, and its own are their conjugates.
template <class T>
void spread_pairs(const T* real, const T* imaginary, const T* rows, std::int64_t n,
                  Complex<T>* values, Complex<T>* vectors) {
  for (std::int64_t k = 0; k < n; ++k) values[k] = {real[k], imaginary[k]};
  if (!vectors) return;
  for (std::int64_t k = 0; k < n; ++k) {
    const bool is_pair = imaginary[k] != 0 && k + 1 < n;
    for (std::int64_t i = 0; i < n; ++i) {
      const T x = rows[k * n + i], y = is_pair ? rows[(k + 1) * n + i] : T(0);
      vectors[k * n + i] = {x, y};
      if (is_pair) vectors[(k + 1) * n + i] = {x, -y};
    }
    k += is_pair;
  }
}

template <class T>
void eig(const Eig& of) {
  const auto& calls = lapack<T>(Eig::name);
  const int n = int_of(of.a, 1), one = 1;
  const bool wants_vectors = of.vectors.data != nullptr;
  const char* const job = wants_vectors ? "V" : "N";
  const int side = wants_vectors ? n : one;
  for_each_matrix_in_memory(
      size_of(of.a, 0), of.memory, 25 * cube_ns(n, n, n), [&](std::int64_t i, std::int64_t part) {
        T* const a = item<T>(of.a, i);
        int* const info = item<int>(of.infos, i);
        *info = n + 1;
        if (!is_finite(a, std::int64_t{n} * n)) return;
        T nothing(0);
        auto* const values = item<Complex<Component<T>>>(of.values, i);
        auto* const vectors = wants_vectors ? item<Complex<Component<T>>>(of.vectors, i) : nullptr;
        Memory<T> memory(of.memory, part, 2 * n);
        if constexpr (is_complex_type<T>) {
          calls.geev("N", job, &n, a, &n, values, &nothing, &one,
                     wants_vectors ? vectors : &nothing, &side, memory.work, &memory.length,
                     memory.reals, info, 1, 1);
        } else {
          T *const real = memory.work, *const imaginary = real + n, *const rows = imaginary + n;
          const std::int64_t own = 2 * n + (wants_vectors ? std::int64_t{n} * n : 0);
          const int length = static_cast<int>(memory.length - own);
          calls.geev("N", job, &n, a, &n, real, imaginary, &nothing, &one,
                     wants_vectors ? rows : &nothing, &side, memory.work + own, &length, info, 1,
                     1);
          if (*info == 0) spread_pairs<T>(real, imaginary, rows, n, values, vectors);
        }
      });
}

}  // namespace

template <>
std::int64_t kernel(const Eig& of, Stream) {
  visit_lapack(of.a.dtype, [&]<class T>() { eig<T>(of); });
  return first_failure(of.infos);
}

template <>
std::int64_t kernel(const Eigh& of, Stream) {
  visit_lapack(of.a.dtype, [&]<class T>() { eigh<T>(of); });
  return first_failure(of.infos);
}

template <>
std::int64_t kernel(const Svd& of, Stream) {
  visit_lapack(of.a.dtype, [&]<class T>() { svd<T>(of); });
  return first_failure(of.infos);
}

}  // namespace garboard::kernels::GARBOARD_ISA
