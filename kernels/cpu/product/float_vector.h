// The vectors of float32 that products are packed for: AVX-512, or AVX2.
#pragma once

#include <cstdint>

#include "kernels/cpu/loop/transpose.h"

#ifdef __AVX2__
#include <immintrin.h>

namespace garboard::kernels::GARBOARD_ISA {
namespace {

#ifdef __AVX512F__

typedef __m512 FloatVector;
typedef __mmask16 FloatMask;
constexpr int lanes = 16;

/// The first `count` lanes, or all.
inline FloatMask mask_of(std::int64_t count) {
  return static_cast<FloatMask>(count >= lanes ? 0xffff : (1u << count) - 1);
}
inline FloatVector load(const float* from) { return _mm512_loadu_ps(from); }
/// Reads nothing else; 0 elsewhere.
inline FloatVector load(FloatMask mask, const float* from) {
  return _mm512_maskz_loadu_ps(mask, from);
}
inline void store(float* to, FloatVector x) { _mm512_storeu_ps(to, x); }
inline void store(float* to, FloatMask mask, FloatVector x) { _mm512_mask_storeu_ps(to, mask, x); }
inline FloatVector spread(float x) { return _mm512_set1_ps(x); }

#else

typedef __m256 FloatVector;
typedef __m256i FloatMask;
constexpr int lanes = 8;

inline FloatMask mask_of(std::int64_t count) {
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count < lanes ? count : lanes)),
                            lane);
}
inline FloatVector load(const float* from) { return _mm256_loadu_ps(from); }
inline FloatVector load(FloatMask mask, const float* from) {
  return _mm256_maskload_ps(from, mask);
}
inline void store(float* to, FloatVector x) { _mm256_storeu_ps(to, x); }
inline void store(float* to, FloatMask mask, FloatVector x) { _mm256_maskstore_ps(to, mask, x); }
inline FloatVector spread(float x) { return _mm256_set1_ps(x); }

#endif

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
#endif
