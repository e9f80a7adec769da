// What softmax and its relatives share: the maximum of a dense row, and the sum of e^(x - maximum).
// All are compiled for rows that are not cut and for those that are: to ask would cost a short row
// a tenth of its time.
#pragma once

#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/reduce/dense_reduce.h"
#include "kernels/cpu/wide/wide_exponential.h"
#include "kernels/functors/reduce.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

inline constexpr std::int64_t row_block = 1024;  // elements of a row that are summed in T

/// The sum of at(0) ... at(count - 1), by blocks whose sums meet in double.
template <class T, bool is_long = false, class At>
double sum_dense(std::int64_t count, At at) {
  double sum = 0;
  for (const auto [first, last] : Pieces<is_long>(count)) {
    for (std::int64_t done = first; done < last; done += row_block) {
      const std::int64_t n = last - done < row_block ? last - done : row_block;
      sum += reduce_dense<T>(
          n, T(0), functors::SumOf{}, [=](std::int64_t i) __attribute__((always_inline)) {
            return at(done + i);
          });
    }
  }
  return sum;
}

template <bool is_long = false, class T>
T maximum_of(const T* x, std::int64_t count) {
  if constexpr (is_long) {
    T maximum = functors::lowest<T>;
    for (const auto [first, last] : Pieces<>(count))
      maximum = functors::MaximumOf{}(maximum, maximum_of(x + first, last - first));
    return maximum;
  }
  return reduce_dense<T>(
      count, functors::lowest<T>,
      functors::MaximumOf{}, [x](std::int64_t i) __attribute__((always_inline)) { return x[i]; });
}

#ifdef __AVX512F__
/// The sum of e^(x - maximum) over `count` numbers, none above `maximum`. They are written to y if
/// it is not null.
inline double wide_exponentials(float* y, const float* x, std::int64_t count, float maximum) {
  // What comes next in memory is the next row, more often than not. It is fetched meanwhile: a row
  // is too short for the hardware to learn that.
  const std::int64_t next = count <= tuning::short_row ? count : 0;
  const auto fetch = [=](std::int64_t i) __attribute__((always_inline)) {
    __builtin_prefetch(x + i + next);
    if (y) __builtin_prefetch(y + i + next);
  };
  const auto take = [=](std::int64_t i, Lanes lanes) __attribute__((always_inline)) {
    const Floats distance = _mm512_sub_ps(_mm512_maskz_loadu_ps(lanes, x + i), all(maximum));
    const Floats power = exponential(distance);
    if (y) _mm512_mask_storeu_ps(y + i, lanes, power);
    return _mm512_maskz_mov_ps(lanes, power);
  };
  double sum = 0;
  for (std::int64_t first = 0; first < count; first += row_block) {
    const std::int64_t end = count - first < row_block ? count : first + row_block;
    Floats sums[4] = {};
    std::int64_t i = first;
    for (; i + 64 <= end; i += 64) {
      for (int k = 0; k < 4; ++k) {
        fetch(i + 16 * k);
        sums[k] = _mm512_add_ps(sums[k], take(i + 16 * k, 0xffff));
      }
    }
    for (; i + 16 <= end; i += 16) sums[0] = _mm512_add_ps(sums[0], take(i, 0xffff));
    if (i < end) sums[1] = _mm512_add_ps(sums[1], take(i, first_lanes(end - i)));
    sum += _mm512_reduce_add_ps(
        _mm512_add_ps(_mm512_add_ps(sums[0], sums[1]), _mm512_add_ps(sums[2], sums[3])));
  }
  return sum;
}
#endif

template <bool is_long = false, class T>
double exponential_sum(const T* x, std::int64_t count, T maximum) {
  if constexpr (is_long) {
    double sum = 0;
    for (const auto [first, last] : Pieces<>(count))
      sum += exponential_sum(x + first, last - first, maximum);
    return sum;
  }
  if constexpr (HasWide<functors::Exp, T>) return wide_exponentials(nullptr, x, count, maximum);
  return sum_dense<T>(
      count, [ x, maximum ](std::int64_t i)
                 __attribute__((always_inline)) { return functors::exp(x[i] - maximum); });
}

/// Writes e^(x - maximum) to y, which may be x, and gives their sum.
template <bool is_long = false, class T>
double exponentials(T* y, const T* x, std::int64_t count, T maximum) {
  if constexpr (is_long) {
    double sum = 0;
    for (const auto [first, last] : Pieces<>(count))
      sum += exponentials(y + first, x + first, last - first, maximum);
    return sum;
  }
  if constexpr (HasWide<functors::Exp, T>) return wide_exponentials(y, x, count, maximum);
#pragma GCC ivdep
  for (std::int64_t i = 0; i < count; ++i) y[i] = functors::exp(x[i] - maximum);
  return sum_dense<T>(
      count, [y](std::int64_t i) __attribute__((always_inline)) { return y[i]; });
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
