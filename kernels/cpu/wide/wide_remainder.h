// Remainders, wide: a quotient in double is off by one at most, and a multiple of b taken from a
// leaves what float holds exactly.
#pragma once

#include "kernels/cpu/wide/wide.h"
#include "kernels/functors/binary.h"

#ifdef __AVX512F__
namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// |a| / |b| toward zero for 8 floats, and what is left of |a|.
struct Division {
  __m512d whole, rest;
};
inline Division divided(__m256 a, __m256 b, Lanes& left) {
  const __m512d x = _mm512_abs_pd(_mm512_cvtps_pd(a)), y = _mm512_abs_pd(_mm512_cvtps_pd(b));
  const __m512d ratio = _mm512_div_pd(x, y);
  const __m512d infinity = _mm512_set1_pd(__builtin_huge_val());
  left = _mm512_cmp_pd_mask(ratio, _mm512_set1_pd(0x1p52), _CMP_NLT_UQ) |
         _mm512_cmp_pd_mask(y, infinity, _CMP_EQ_OQ);
  const __m512d whole = _mm512_roundscale_pd(ratio, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  const __m512d rest = _mm512_fnmadd_pd(whole, y, x);
  const __mmask8 too_many = _mm512_movepi64_mask(_mm512_castpd_si512(rest));
  return {_mm512_mask_sub_pd(whole, too_many, whole, _mm512_set1_pd(1)),
          _mm512_mask_add_pd(rest, too_many, rest, y)};
}

/// a fmod b for 8 floats.
inline __m256 half_of_rest(__m256 a, __m256 b, Lanes& left) {
  const __m256 sign = _mm256_and_ps(a, _mm256_set1_ps(-0.0f));
  return _mm256_or_ps(_mm512_cvtpd_ps(divided(a, b, left).rest), sign);
}

/// floor(a / b) for 8 floats.
inline __m256 half_of_floor(__m256 a, __m256 b, Lanes& left) {
  const auto [whole, rest] = divided(a, b, left);
  const __mmask8 is_below = _mm256_movepi32_mask(_mm256_castps_si256(_mm256_xor_ps(a, b)));
  const __mmask8 is_between = _mm512_cmp_pd_mask(rest, _mm512_setzero_pd(), _CMP_NEQ_UQ);
  const __m512d size = _mm512_mask_add_pd(whole, is_below & is_between, whole, _mm512_set1_pd(1));
  return _mm512_cvtpd_ps(_mm512_mask_xor_pd(size, is_below, size, _mm512_set1_pd(-0.0)));
}

template <__m256 (*half_of)(__m256 a, __m256 b, Lanes& left)>
Floats of_halves(Floats a, Floats b, Lanes& left) {
  Lanes left_below = 0, left_above = 0;
  const __m256 below = half_of(_mm512_castps512_ps256(a), _mm512_castps512_ps256(b), left_below);
  const __m256 above =
      half_of(_mm512_extractf32x8_ps(a, 1), _mm512_extractf32x8_ps(b, 1), left_above);
  left |= static_cast<Lanes>(left_below | left_above << 8);
  return _mm512_insertf32x8(_mm512_castps256_ps512(below), above, 1);
}

/// The lanes where a rest has the other sign than b.
inline Lanes differ_in_sign(Floats rest, Floats b) {
  const Lanes signs = _mm512_movepi32_mask(bits_of(_mm512_xor_ps(rest, b)));
  return _mm512_mask_cmp_ps_mask(signs, rest, all(0), _CMP_NEQ_UQ);
}

template <>
struct Wide<functors::Fmod> {
  static constexpr int inputs = 2;

  static Floats usual(Floats a, Floats b, Lanes& left) {
    return of_halves<half_of_rest>(a, b, left);
  }
};

template <>
struct Wide<functors::Remainder> {
  static constexpr int inputs = 2;

  static Floats usual(Floats a, Floats b, Lanes& left) {
    const Floats rest = of_halves<half_of_rest>(a, b, left);
    return _mm512_mask_add_ps(rest, differ_in_sign(rest, b), rest, b);
  }
};

template <>
struct Wide<functors::FloorDivide> {
  static constexpr int inputs = 2;

  static Floats usual(Floats a, Floats b, Lanes& left) {
    return of_halves<half_of_floor>(a, b, left);
  }
};

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
#endif  // __AVX512F__
