// e^x and what is made of it, wide: one instruction scales by a power of 2, into the subnormal
// numbers too.
#pragma once

#include "kernels/cpu/wide/wide.h"
#include "kernels/functors/transcendental.h"
#include "kernels/functors/unary.h"

#ifdef __AVX512F__
namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// e^x for x <= 89 and NaN, within 1 ULP.
inline Floats exponential(Floats x) {
  // Below -104 it is 0 without a power, for one that underflows costs a hundred cycles.
  const Lanes is_some = _mm512_cmp_ps_mask(x, all(-104), _CMP_NLT_UQ);
  const Floats magic = all(functors::round_magic);
  const Floats n = _mm512_sub_ps(_mm512_fmadd_ps(x, all(1.44269504f), magic), magic);
  const Floats most = _mm512_fnmadd_ps(n, all(0.693359375f), x);
  const Floats r = _mm512_fmadd_ps(n, all(2.12194440e-4f), most);
  const Floats power = polynomial_of(r, 1.0f, 1.0f, 0.4999999305f, 0.1666651479f, 0.04166845647f,
                                     0.008369418717f, 0.001381316045f);
  return _mm512_maskz_scalef_ps(is_some, power, n);
}

/// Within 1 ULP, as the functor.
template <>
struct Wide<functors::Exp> {
  static constexpr int inputs = 1;

  static Floats usual(Floats x, Lanes&) {
    return exponential(_mm512_min_ps(all(89), x));  // NaN stays
  }
};

/// 1 / (1 + e^-x), within 3 ULP.
inline Floats sigmoid_of(Floats x) {
  const Floats power = exponential(_mm512_min_ps(all(40), x));  // from there on it is 1; NaN stays
  return _mm512_div_ps(power, _mm512_add_ps(power, all(1)));
}

/// Within 3 ULP, as the functor.
template <>
struct Wide<functors::Sigmoid> {
  static constexpr int inputs = 1;

  static Floats usual(Floats x, Lanes&) { return sigmoid_of(x); }
};

/// Within 4 ULP, as the functor, which does minus infinity.
template <>
struct Wide<functors::Silu> {
  static constexpr int inputs = 1;

  static Floats usual(Floats x, Lanes& left) {
    left = _mm512_fpclass_ps_mask(x, 0x10);
    return _mm512_mul_ps(x, sigmoid_of(x));
  }
};

template <>
struct Wide<functors::SiluGradient> {
  static constexpr int inputs = 2;

  static Floats usual(Floats gradient, Floats x, Lanes&) {
    const Floats inside = _mm512_max_ps(all(-200), x);  // NaN stays
    const Floats share = sigmoid_of(inside);
    const Floats slope = _mm512_fmadd_ps(inside, _mm512_sub_ps(all(1), share), all(1));
    return _mm512_mul_ps(gradient, _mm512_mul_ps(share, slope));
  }
};

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
#endif  // __AVX512F__
