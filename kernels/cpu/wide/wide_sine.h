// Sine, cosine and tangent, wide: pi / 2 in three floats, of which the first is taken off without
// an error.
#pragma once

#include "kernels/cpu/wide/wide.h"
#include "kernels/functors/transcendental.h"
#include "kernels/functors/unary.h"

#ifdef __AVX512F__
namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// An angle from 0 to sine_limit: sine and cosine of what is left of it beside the nearest multiple
/// of pi / 2, whose number stands in the low bits of `quadrant`.
struct PartedAngle {
  Floats sine, cosine;
  Bits quadrant;

  explicit PartedAngle(Floats size) {
    const Floats magic = all(functors::round_magic);
    const Floats shifted = _mm512_fmadd_ps(size, all(0.636619747f), magic);
    const Floats n = _mm512_sub_ps(shifted, magic);
    // A multiple of 2^-24 below 1, hence exact.
    const Floats most = _mm512_fnmadd_ps(n, all(1.57079637f), size);
    const Floats nearly = _mm512_fnmadd_ps(n, all(-4.37113883e-08f), most);
    const Floats r = _mm512_fnmadd_ps(n, all(-1.71512451e-15f), nearly);
    const Floats z = _mm512_mul_ps(r, r);
    sine = _mm512_fmadd_ps(_mm512_mul_ps(r, z),
                           polynomial_of(z, -0.1666665465f, 0.008332157826f, -0.0001951437844f), r);
    cosine = polynomial_of(z, 1.0f, -0.5f, 0.04166664652f, -0.001388734748f, 2.443586716e-5f);
    quadrant = bits_of(shifted);
  }
};

/// sin(size + quarters pi / 2) for 0 <= size <= sine_limit, turned around where `sign` has its sign
/// bit set.
inline Floats sine_of(Floats size, std::uint32_t quarters, Bits sign) {
  const PartedAngle parted(size);
  const Bits quadrant = _mm512_add_epi32(parted.quadrant, all_bits(quarters));
  const Lanes odd = _mm512_test_epi32_mask(quadrant, all_bits(1));
  const Bits chosen = bits_of(_mm512_mask_mov_ps(parted.sine, odd, parted.cosine));
  const Bits turns = _mm512_xor_si512(_mm512_slli_epi32(quadrant, 30), sign);
  // chosen ^ (turns & sign bit)
  return floats_of(_mm512_ternarylogic_epi32(chosen, turns, all_bits(0x80000000), 0x78));
}

inline Lanes beyond_sine_limit(Floats size) {
  return _mm512_cmp_ps_mask(size, all(functors::sine_limit<float>), _CMP_NLE_UQ);
}

/// Within 2 ULP, as the functor, which does large angles.
template <>
struct Wide<functors::Sin> {
  static constexpr int inputs = 1;

  static Floats usual(Floats x, Lanes& left) {
    const Floats size = _mm512_abs_ps(x);
    left = beyond_sine_limit(size);
    return sine_of(size, 0, bits_of(x));
  }
};

/// Within 2 ULP, as the functor, which does large angles.
template <>
struct Wide<functors::Cos> {
  static constexpr int inputs = 1;

  static Floats usual(Floats x, Lanes& left) {
    const Floats size = _mm512_abs_ps(x);
    left = beyond_sine_limit(size);
    return sine_of(size, 1, all_bits(0));
  }
};

/// Within 4 ULP, as the functor, which does large angles.
template <>
struct Wide<functors::Tan> {
  static constexpr int inputs = 1;

  static Floats usual(Floats x, Lanes& left) {
    const Floats size = _mm512_abs_ps(x);
    left = beyond_sine_limit(size);
    const PartedAngle parted(size);
    const Lanes odd = _mm512_test_epi32_mask(parted.quadrant, all_bits(1));
    const Floats over = _mm512_mask_mov_ps(parted.sine, odd, parted.cosine);
    const Floats under = _mm512_mask_mov_ps(parted.cosine, odd, parted.sine);
    // A quarter further the quotient is turned around.
    const Bits turns = _mm512_xor_si512(_mm512_slli_epi32(parted.quadrant, 31), bits_of(x));
    const Bits tangent = bits_of(_mm512_div_ps(over, under));
    return floats_of(_mm512_ternarylogic_epi32(tangent, turns, all_bits(0x80000000), 0x78));
  }
};

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
#endif  // __AVX512F__
