// Sums of float16 without a row of floats between.
#pragma once

#include "kernels/cpu/reduce/dense_reduce.h"
#include "kernels/cpu/wide/half_conversions.h"
#include "kernels/functors/reduce.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

#ifdef __F16C__
inline constexpr bool sums_halves = true;

/// What reduce_dense gives for these as floats, to the bit.
inline float sum_of_halves(const Float16* x, std::int64_t count) {
  constexpr int wide = dense_lanes, vectors = wide / half_lanes;
  constexpr functors::SumOf plus;
  float result = 0;
  std::int64_t i = 0;
  if (wide <= count) {
    HalfVector sums[vectors] = {};
    for (; i + wide <= count; i += wide)
      for (int k = 0; k < vectors; ++k) sums[k] += vector_at(x, i + k * half_lanes);
    alignas(64) float lanes[wide];
    for (int k = 0; k < vectors; ++k) store_vector(lanes + k * half_lanes, sums[k]);
    result = plus(result, fold_lanes<wide / 2>(lanes, plus));
  }
  float rest[wide];
  widen(rest, x + i, count - i);
  return reduce_rest(
      result, count - i, 0.0f,
      plus, [&rest](std::int64_t k) __attribute__((always_inline)) { return rest[k]; });
}
#else
inline constexpr bool sums_halves = false;

inline float sum_of_halves(const Float16*, std::int64_t) { return 0; }
#endif

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
