// Half types to float and back, many at a time. AVX-512's own way to bfloat16 is not taken: it
// takes subnormal numbers for 0, and results would differ from machine to machine.
#pragma once

#include <cstdint>

#include "kernels/functors/element.h"

#ifdef __F16C__
#include <immintrin.h>
#endif

namespace garboard::kernels::GARBOARD_ISA {
namespace {

#ifdef __F16C__
inline constexpr int to_nearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;

/// Calls `step(i)` for whole vectors, `width` elements each; returns where they end.
template <class Step>
std::int64_t for_each_vector(std::int64_t count, int width, Step step) {
  std::int64_t i = 0;
  for (; i + width <= count; i += width) step(i);
  return i;
}

/// Floats of as many float16 as the widest vector holds.
#ifdef __AVX512F__
using HalfVector = __m512;
inline HalfVector vector_at(float x, std::int64_t) { return _mm512_set1_ps(x); }
inline HalfVector vector_at(const Float16* x, std::int64_t i) {
  return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(x + i)));
}
inline void store_vector(float* y, HalfVector x) { _mm512_storeu_ps(y, x); }
inline void store_vector(Float16* y, HalfVector x) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(y), _mm512_cvtps_ph(x, to_nearest));
}
#else
using HalfVector = __m256;
inline HalfVector vector_at(float x, std::int64_t) { return _mm256_set1_ps(x); }
inline HalfVector vector_at(const Float16* x, std::int64_t i) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i)));
}
inline void store_vector(float* y, HalfVector x) { _mm256_storeu_ps(y, x); }
inline void store_vector(Float16* y, HalfVector x) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(y), _mm256_cvtps_ph(x, to_nearest));
}
#endif
inline constexpr int half_lanes = sizeof(HalfVector) / sizeof(float);

inline std::int64_t widen_vectors(float* to, const Float16* from, std::int64_t count) {
  return for_each_vector(
      count, half_lanes, [=](std::int64_t i) __attribute__((always_inline)) {
        store_vector(to + i, vector_at(from, i));
      });
}
inline std::int64_t narrow_vectors(Float16* to, const float* from, std::int64_t count) {
  return for_each_vector(
      count, half_lanes, [=](std::int64_t i) __attribute__((always_inline)) {
        HalfVector wide;
        __builtin_memcpy(&wide, from + i, sizeof wide);
        store_vector(to + i, wide);
      });
}
#else
inline std::int64_t widen_vectors(float*, const Float16*, std::int64_t) { return 0; }
inline std::int64_t narrow_vectors(Float16*, const float*, std::int64_t) { return 0; }
#endif

/// Of the other half types g++ makes vectors of the loops below, but packs badly without AVX-512.
inline std::int64_t widen_vectors(float*, const BFloat16*, std::int64_t) { return 0; }
#if defined(__AVX2__) && !defined(__AVX512F__)
/// BFloat16(x) of eight, each in the lower half of its lane.
inline __m256i rounded_upper_halves(__m256 x) {
  const __m256i whole = _mm256_castps_si256(x);
  const __m256i last = _mm256_and_si256(_mm256_srli_epi32(whole, 16), _mm256_set1_epi32(1));
  const __m256i half = _mm256_add_epi32(last, _mm256_set1_epi32(0x7fff));
  const __m256i nan = _mm256_or_si256(whole, _mm256_set1_epi32(0x400000));
  const __m256i is_nan = _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q));
  return _mm256_srli_epi32(_mm256_blendv_epi8(_mm256_add_epi32(whole, half), nan, is_nan), 16);
}
inline std::int64_t narrow_vectors(BFloat16* to, const float* from, std::int64_t count) {
  return for_each_vector(
      count, 16, [=](std::int64_t i) __attribute__((always_inline)) {
        const __m256i both =
            _mm256_packus_epi32(rounded_upper_halves(_mm256_loadu_ps(from + i)),
                                rounded_upper_halves(_mm256_loadu_ps(from + i + 8)));
        // It packs each half of a register by itself.
        const __m256i ordered = _mm256_permute4x64_epi64(both, 0b11'01'10'00);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), ordered);
      });
}
#else
inline std::int64_t narrow_vectors(BFloat16*, const float*, std::int64_t) { return 0; }
#endif

template <functors::Half T>
void widen(float* __restrict to, const T* from, std::int64_t count) {
  for (std::int64_t i = widen_vectors(to, from, count); i < count; ++i)
    to[i] = static_cast<float>(from[i]);
}

/// Each rounded to the nearest, halves to even.
template <functors::Half T>
void narrow(T* __restrict to, const float* from, std::int64_t count) {
  for (std::int64_t i = narrow_vectors(to, from, count); i < count; ++i)
    to[i] = static_cast<T>(from[i]);
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
