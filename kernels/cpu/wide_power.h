// x^y, wide: log2 x and y log2 x are kept in two floats each, so that the exponent may be large.
#pragma once

#include "kernels/cpu/wide.h"
#include "kernels/functors/binary.h"

#ifdef __AVX512F__
namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// A number as the sum of two: `head` is nearly all of it.
struct Twofold {
  Floats head, rest;
};

/// log2 x for positive x that are finite and not subnormal, with some 33 bits.
inline Twofold log2_of(Floats x) {
  // x = 2^e m, and m times a short number is 1 + f: exactly, and |f| < 0.02. Near 1 that number is
  // 1, so the logarithm keeps its digits there.
  static constexpr std::uint32_t least = 0x3f3e0000;  // of m: 0.742
  static constexpr Table32 inverses = {
      {1.328125f, 1.3125f,  1.28125f,  1.25f,      1.234375f,  1.203125f,  1.1875f,    1.15625f,
       1.140625f, 1.125f,   1.109375f, 1.078125f,  1.0625f,    1.046875f,  1.03125f,   1.015625f,
       1.0f,      0.96875f, 0.9375f,   0.9140625f, 0.890625f,  0.859375f,  0.84375f,   0.8203125f,
       0.796875f, 0.78125f, 0.765625f, 0.7421875f, 0.7265625f, 0.7109375f, 0.6953125f, 0.6796875f}};
  // Minus their logarithms: 15 bits after the point, which may be added to e, and the rest.
  static constexpr Table32 heads = {
      {-0.409393311f,  -0.392303467f,  -0.357543945f,  -0.321929932f,  -0.303771973f, -0.266784668f,
       -0.247924805f,  -0.209442139f,  -0.189819336f,  -0.169921875f,  -0.149749756f, -0.108520508f,
       -0.0874633789f, -0.0661010742f, -0.0444030762f, -0.0223693848f, 0.0f,          0.0458068848f,
       0.0931091309f,  0.129638672f,   0.167114258f,   0.21862793f,    0.245117188f,  0.285766602f,
       0.327575684f,   0.356140137f,   0.385284424f,   0.430145264f,   0.460845947f,  0.492218018f,
       0.524261475f,   0.557067871f}};
  static constexpr Table32 rests = {{2.37440918e-06f,
                                     -1.39559816e-05f,
                                     -8.0593054e-06f,
                                     1.83675331e-06f,
                                     -8.77552066e-06f,
                                     -1.8727261e-06f,
                                     -2.70875603e-06f,
                                     -1.12269572e-05f,
                                     -5.22294249e-06f,
                                     -3.12644238e-06f,
                                     2.63635479e-06f,
                                     -3.94896551e-06f,
                                     5.37655922e-07f,
                                     1.18837606e-05f,
                                     8.95681387e-06f,
                                     1.57173713e-06f,
                                     0.0f,
                                     -3.19515243e-06f,
                                     2.73532095e-07f,
                                     -3.39145845e-06f,
                                     -4.2719771e-06f,
                                     1.23567879e-05f,
                                     -4.68966346e-06f,
                                     -1.21192288e-05f,
                                     -1.02556521e-06f,
                                     3.67350663e-06f,
                                     5.73205671e-06f,
                                     -8.72002829e-07f,
                                     -4.75837351e-06f,
                                     -1.2657777e-05f,
                                     5.09442407e-06f,
                                     -1.13669421e-05f}};
  const Bits offset = _mm512_sub_epi32(bits_of(x), all_bits(least));
  const Bits exponent = _mm512_and_si512(offset, all_bits(0xff800000));
  const Floats m = floats_of(_mm512_sub_epi32(bits_of(x), exponent));
  const Bits places = _mm512_srli_epi32(offset, 18);
  const Floats f = _mm512_fmsub_ps(m, inverses.at(places), all(1));
  const Floats e = _mm512_cvtepi32_ps(_mm512_srai_epi32(offset, 23));
  const Floats whole = _mm512_add_ps(e, heads.at(places));

  // log2(1 + f) = f slope, of which the first two terms are summed in two parts.
  const Floats constant = all(1.44269502f), linear = all(-0.721347511f);
  const Floats slope = _mm512_fmadd_ps(f, linear, constant);
  const Floats tail = polynomial_of(f, 1.92596303e-08f, -9.62981517e-09f, 0.480898350f,
                                    -0.360725909f, 0.288570434f);
  const Floats slope_rest =
      _mm512_add_ps(_mm512_fmadd_ps(f, linear, _mm512_sub_ps(constant, slope)), tail);
  const Floats head = _mm512_fmadd_ps(f, slope, whole);
  const Floats lost = _mm512_fmadd_ps(f, slope, _mm512_sub_ps(whole, head));
  return {head, _mm512_add_ps(_mm512_fmadd_ps(f, slope_rest, lost), rests.at(places))};
}

/// 2^x for |x.head| <= 150.
inline Floats power_of_two(Twofold x) {
  const Floats magic = all(functors::round_magic);
  const Floats n = _mm512_sub_ps(_mm512_add_ps(x.head, magic), magic);
  const Floats r = _mm512_add_ps(_mm512_sub_ps(x.head, n), x.rest);
  return _mm512_scalef_ps(polynomial_of(r, 1.0f, 0.693147182f, 0.240226507f, 0.0555035919f,
                                        0.00961806718f, 0.00133911741f, 0.000154608759f),
                          n);
}

/// Within 1.1 ULP, as the functor, which does extreme x and results far out of range.
template <>
struct Wide<functors::Power> {
  static constexpr int inputs = 2;

  static Floats usual(Floats x, Floats y, Lanes& left) {
    const auto [log, log_rest] = log2_of(_mm512_abs_ps(x));
    const Floats head = _mm512_mul_ps(y, log);
    const Floats lost = _mm512_fmsub_ps(y, log, head);
    const Floats power = power_of_two({head, _mm512_fmadd_ps(y, log_rest, lost)});

    constexpr int all_but_normal = 0xff & ~0x40;  // and of those the negative ones too
    left = _mm512_fpclass_ps_mask(x, all_but_normal) |
           _mm512_cmp_ps_mask(_mm512_abs_ps(head), all(150), _CMP_NLE_UQ);
    const Lanes negative = _mm512_movepi32_mask(bits_of(x));
    return __builtin_expect(negative, 0) ? signed_by(y, power, negative) : power;
  }

 private:
  /// The power of a negative number from that of its size.
  static Floats signed_by(Floats y, Floats power, Lanes negative) {
    const Lanes broken = differs_from_truncated(y);
    const Lanes odd = differs_from_truncated(_mm512_mul_ps(y, all(0.5f))) & negative;
    power = _mm512_mask_xor_ps(power, odd, power, all(-0.0f));
    return _mm512_mask_mov_ps(power, broken & negative, all(functors::not_a_number<float>));
  }
  static Lanes differs_from_truncated(Floats x) {
    return _mm512_cmp_ps_mask(_mm512_roundscale_ps(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC), x,
                              _CMP_NEQ_UQ);
  }
};

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
#endif  // __AVX512F__
