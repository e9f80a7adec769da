// Orthogonal factors of small real matrices by Householder's reflections, as LAPACK's geqrf and
// orgqr leave them: a call of those takes longer than all there is to do.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/cpu/tuning.h"
#include "kernels/cpu/wide/wide_vector.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// Up to `reflected_side` columns of as many rows, in whole vectors, behind the last row zeros.
template <class T>
class ShortColumns {
 public:
  using Wide = WideVector<T>;
  using Vector = typename Wide::Type;

  ShortColumns(int rows, int columns)
      : rows_(rows),
        columns_(columns),
        vectors_(static_cast<int>((rows + Wide::lanes - 1) / Wide::lanes)) {}

  T* column(int c) { return numbers_ + c * vectors_ * Wide::lanes; }
  T& at(int row, int c) { return column(c)[row]; }

  void take(int c, const T* from) {
    T* const to = column(c);
    std::copy_n(from, rows_, to);
    std::fill_n(to + rows_, vectors_ * Wide::lanes - rows_, T(0));
  }

  /// Takes tau times the part of each column from `first` on that lies along `v` off it.
  void reflect(const T* v, T tau, int first) {
    for (int c = first; c < columns_; ++c) {
      T* const x = column(c);
      Vector sums{};
      for (int i = 0; i < vectors_; ++i) sums += part(v, i) * part(x, i);
      const T along = tau * sum_of(sums);
      for (int i = 0; i < vectors_; ++i)
        Wide::store(x + i * Wide::lanes, part(x, i) - along * part(v, i));
    }
  }

 private:
  static Vector part(const T* x, int i) { return Wide::load(x + i * Wide::lanes); }
  template <class V>
  static T sum_of(const V& x) {
    constexpr int count = sizeof(V) / sizeof(T);
    if constexpr (count == 2) {
      return x[0] + x[1];
    } else {
      typedef T Half __attribute__((vector_size(sizeof(V) / 2)));
      Half low, high;
      __builtin_memcpy(&low, &x, sizeof low);
      __builtin_memcpy(&high, reinterpret_cast<const char*>(&x) + sizeof low, sizeof high);
      return sum_of<Half>(low + high);
    }
  }

  int rows_, columns_, vectors_;
  alignas(64) T numbers_[tuning::reflected_side * tuning::reflected_side];
};

inline bool takes_reflections(std::int64_t rows, std::int64_t columns) {
  return rows <= tuning::reflected_side && columns <= tuning::reflected_side;
}

/// What turns x, of `count` numbers, into (beta, 0, ...): I - tau v v', whose v has 1 first and
/// replaces x behind it. Returns tau; x[0] becomes beta.
template <class T>
T make_reflection(T* x, int count) {
  T sum = 0, most = 0;
  for (int i = 1; i < count; ++i) {
    sum += x[i] * x[i];
    most = std::max(most, std::abs(x[i]));
  }
  if (most == 0 && sum == 0) return 0;
  T length = std::sqrt(x[0] * x[0] + sum), scale = 1;
  constexpr T least = std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon();
  if (!(sum > least && length <= std::numeric_limits<T>::max())) {
    // Squares are out of range. Of what is not finite nothing is, however it is scaled.
    scale = std::max(most, std::abs(x[0]));
    T squares = 0;
    for (int i = 0; i < count; ++i) {
      x[i] /= scale;
      squares += x[i] * x[i];
    }
    length = std::sqrt(squares);
  }
  const T beta = -std::copysign(length, x[0]), first = x[0] - beta;
  const T tau = -first / beta;
  for (int i = 1; i < count; ++i) x[i] /= first;
  x[0] = beta * scale;
  return tau;
}

/// As geqrf: `a` lies column by column; R replaces its upper triangle, the reflections what is
/// below, `taus` their factors.
template <class T>
void factor_by_reflections(T* a, int rows, int columns, T* taus) {
  ShortColumns<T> work(rows, columns);
  for (int c = 0; c < columns; ++c) work.take(c, a + c * rows);
  ShortColumns<T> reflection(rows, 1);
  for (int k = 0; k < std::min(rows, columns); ++k) {
    T* const x = work.column(k) + k;
    taus[k] = make_reflection(x, rows - k);
    if (taus[k] == 0) continue;
    reflection.take(0, work.column(k));
    T* const v = reflection.column(0);
    std::fill_n(v, k, T(0));
    v[k] = 1;
    work.reflect(v, taus[k], k + 1);
  }
  for (int c = 0; c < columns; ++c) std::copy_n(work.column(c), rows, a + c * rows);
}

/// As orgqr: `q` becomes the first `columns` of the product of `count` reflections, which lie in
/// `a` as geqrf left them.
template <class T>
void multiply_reflections(T* q, int rows, int columns, const T* a, int count, const T* taus) {
  ShortColumns<T> work(rows, columns), reflection(rows, 1);
  for (int c = 0; c < columns; ++c) {
    T* const column = work.column(c);
    std::fill(column, work.column(c + 1), T(0));
    column[c] = 1;
  }
  for (int k = count - 1; k >= 0; --k) {
    if (taus[k] == 0) continue;
    reflection.take(0, a + k * rows);
    T* const v = reflection.column(0);
    std::fill_n(v, k, T(0));
    v[k] = 1;
    work.reflect(v, taus[k], k);
  }
  for (int c = 0; c < columns; ++c) std::copy_n(work.column(c), rows, q + c * rows);
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
