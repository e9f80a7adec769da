// The vectors that products are packed for: of float32 with AVX-512 or AVX2, of float64 with
// AVX-512.
#pragma once

#include <cstdint>

#include "kernels/cpu/loop/transpose.h"

#ifdef __AVX2__
#include <immintrin.h>

namespace garboard::kernels::GARBOARD_ISA {
namespace {

template <class T>
struct ProductVector;

#ifdef __AVX512F__

template <>
struct ProductVector<float> {
  typedef __m512 Type;
  typedef __mmask16 Mask;
};
template <>
struct ProductVector<double> {
  typedef __m512d Type;
  typedef __mmask8 Mask;
};
template <class T>
constexpr int lanes_of = 64 / sizeof(T);

/// The first `count` lanes, or all.
template <class T>
typename ProductVector<T>::Mask first_lanes(std::int64_t count) {
  return static_cast<typename ProductVector<T>::Mask>(count >= lanes_of<T> ? 0xffff
                                                                           : (1u << count) - 1);
}
inline __m512 load(const float* from) { return _mm512_loadu_ps(from); }
inline __m512d load(const double* from) { return _mm512_loadu_pd(from); }
/// Reads nothing else; 0 elsewhere.
inline __m512 load(__mmask16 mask, const float* from) { return _mm512_maskz_loadu_ps(mask, from); }
inline __m512d load(__mmask8 mask, const double* from) { return _mm512_maskz_loadu_pd(mask, from); }
inline void store(float* to, __m512 x) { _mm512_storeu_ps(to, x); }
inline void store(double* to, __m512d x) { _mm512_storeu_pd(to, x); }
inline void store(float* to, __mmask16 mask, __m512 x) { _mm512_mask_storeu_ps(to, mask, x); }
inline void store(double* to, __mmask8 mask, __m512d x) { _mm512_mask_storeu_pd(to, mask, x); }
inline __m512 spread(float x) { return _mm512_set1_ps(x); }
inline __m512d spread(double x) { return _mm512_set1_pd(x); }

#else

template <>
struct ProductVector<float> {
  typedef __m256 Type;
  typedef __m256i Mask;
};
template <class T>
constexpr int lanes_of = 32 / sizeof(T);

template <class T>
__m256i first_lanes(std::int64_t count) {
  static_assert(sizeof(T) == 4);
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const int most = static_cast<int>(count < lanes_of<T> ? count : lanes_of<T>);
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(most), lane);
}
inline __m256 load(const float* from) { return _mm256_loadu_ps(from); }
inline __m256 load(__m256i mask, const float* from) { return _mm256_maskload_ps(from, mask); }
inline void store(float* to, __m256 x) { _mm256_storeu_ps(to, x); }
inline void store(float* to, __m256i mask, __m256 x) { _mm256_maskstore_ps(to, mask, x); }
inline __m256 spread(float x) { return _mm256_set1_ps(x); }

#endif

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
#endif
