// What softmax and its relatives share: the maximum of a dense row, and the sum of e^(x - maximum).
#pragma once

#include "kernels/cpu/dense_reduce.h"
#include "kernels/functors/reduce.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

inline constexpr std::int64_t row_block = 1024;  // elements of a row that are summed in T

/// The sum of at(0) ... at(count - 1), by blocks whose sums meet in double.
template <class T, class At>
double sum_dense(std::int64_t count, At at) {
  double sum = 0;
  for (std::int64_t done = 0; done < count; done += row_block) {
    const std::int64_t n = count - done < row_block ? count - done : row_block;
    sum += reduce_dense<T>(
        n, T(0), functors::SumOf{}, [=](std::int64_t i) __attribute__((always_inline)) {
          return at(done + i);
        });
  }
  return sum;
}

template <class T>
T maximum_of(const T* x, std::int64_t count) {
  return reduce_dense<T>(
      count, functors::lowest<T>,
      functors::MaximumOf{}, [x](std::int64_t i) __attribute__((always_inline)) { return x[i]; });
}

template <class T>
double exponential_sum(const T* x, std::int64_t count, T maximum) {
  return sum_dense<T>(
      count, [ x, maximum ](std::int64_t i)
                 __attribute__((always_inline)) { return functors::exp(x[i] - maximum); });
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
