// Rows that lie side by side, as the classes of an image's points do: element i of row k is
// x[i * stride + k]. At most `tuning::columns_at_once` of them are worked on together, a lane each.
#pragma once

#include <cstdint>

#include "kernels/cpu/loop/loop.h"
#include "kernels/cpu/tuning.h"
#include "kernels/functors/reduce.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// A number a row.
template <class T>
using PerRow = T[tuning::columns_at_once];

template <class T>
void maxima_of(PerRow<T>& maxima, const T* x, std::int64_t stride, std::int64_t count,
               std::int64_t rows) {
  for (std::int64_t k = 0; k < rows; ++k) maxima[k] = functors::lowest<T>;
  for (std::int64_t i = 0; i < count; ++i) {
#pragma GCC ivdep
    for (std::int64_t k = 0; k < rows; ++k)
      maxima[k] = functors::MaximumOf{}(maxima[k], x[i * stride + k]);
  }
}

/// The sums over i of at(i, k), by blocks that are summed in T and meet in double.
template <class T, class At>
void sums_of(PerRow<double>& sums, std::int64_t count, std::int64_t rows, At at) {
  constexpr std::int64_t block = 32;
  PerRow<T> part;
  for (std::int64_t k = 0; k < rows; ++k) sums[k] = 0;
  for (std::int64_t first = 0; first < count; first += block) {
    const std::int64_t end = first + block < count ? first + block : count;
    for (std::int64_t k = 0; k < rows; ++k) part[k] = 0;
    for (std::int64_t i = first; i < end; ++i) {
#pragma GCC ivdep
      for (std::int64_t k = 0; k < rows; ++k) part[k] += at(i, k);
    }
    for (std::int64_t k = 0; k < rows; ++k) sums[k] += part[k];
  }
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
