// ln x, log2 x and log10 x, wide: a table brings x so near to 1 that few terms are left.
#pragma once

#include "kernels/cpu/wide/wide.h"
#include "kernels/functors/transcendental.h"
#include "kernels/functors/unary.h"

#ifdef __AVX512F__
namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// x = 2^e m, of x that is positive, finite and not subnormal; 1 + f is m times a short number,
/// exactly, and |f| < 0.02. Near 1, e is 0 and f is x - 1.
struct NearOne {
  Floats e, f;
  Bits places;  // of the short number among `inverses`

  explicit NearOne(Floats x) {
    const Bits offset = _mm512_sub_epi32(bits_of(x), all_bits(least));
    const Bits exponent = _mm512_and_si512(offset, all_bits(0xff800000));
    const Floats m = floats_of(_mm512_sub_epi32(bits_of(x), exponent));
    places = _mm512_srli_epi32(offset, 18);
    e = _mm512_cvtepi32_ps(_mm512_srai_epi32(offset, 23));
    f = _mm512_fmsub_ps(m, inverses.at(places), all(1));
  }

 private:
  static constexpr std::uint32_t least = 0x3f3e0000;  // of m: 0.742
  static constexpr Table32 inverses = {
      {1.328125f, 1.3125f,  1.28125f,  1.25f,      1.234375f,  1.203125f,  1.1875f,    1.15625f,
       1.140625f, 1.125f,   1.109375f, 1.078125f,  1.0625f,    1.046875f,  1.03125f,   1.015625f,
       1.0f,      0.96875f, 0.9375f,   0.9140625f, 0.890625f,  0.859375f,  0.84375f,   0.8203125f,
       0.796875f, 0.78125f, 0.765625f, 0.7421875f, 0.7265625f, 0.7109375f, 0.6953125f, 0.6796875f}};
};

/// A number as the sum of two: `head` is nearly all of it.
struct Twofold {
  Floats head, rest;
};

/// log2 x, for x that NearOne takes, with some 33 bits.
inline Twofold log2_of(Floats x) {
  // Minus log2 of the inverses: 15 bits after the point, so that they may be added to e, and the
  // rest.
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
  const NearOne near(x);
  const Floats f = near.f, whole = _mm512_add_ps(near.e, heads.at(near.places));
  // log2(1 + f) = f slope, of which the first two terms are summed in two parts.
  const Floats constant = all(1.44269502f), linear = all(-0.721347511f);
  const Floats slope = _mm512_fmadd_ps(f, linear, constant);
  const Floats tail = polynomial_of(f, 1.92596303e-08f, -9.62981517e-09f, 0.480898350f,
                                    -0.360725909f, 0.288570434f);
  const Floats slope_rest =
      _mm512_add_ps(_mm512_fmadd_ps(f, linear, _mm512_sub_ps(constant, slope)), tail);
  const Floats head = _mm512_fmadd_ps(f, slope, whole);
  const Floats lost = _mm512_fmadd_ps(f, slope, _mm512_sub_ps(whole, head));
  return {head, _mm512_add_ps(_mm512_fmadd_ps(f, slope_rest, lost), rests.at(near.places))};
}

/// Within 1 ULP, where the functor is within 2, which does what NearOne does not take.
template <>
struct Wide<functors::Log2> {
  static constexpr int inputs = 1;

  static Floats usual(Floats x, Lanes& left) {
    left = _mm512_fpclass_ps_mask(x, 0xff);
    const auto [head, rest] = log2_of(x);
    return _mm512_add_ps(head, rest);
  }
};

/// Likewise: log2 x times log10 2, in two parts each.
template <>
struct Wide<functors::Log10> {
  static constexpr int inputs = 1;

  static Floats usual(Floats x, Lanes& left) {
    left = _mm512_fpclass_ps_mask(x, 0xff);
    const auto [head, rest] = log2_of(x);
    const Floats factor = all(0.30103001f), factor_rest = all(-1.43209888e-08f);
    const Floats most = _mm512_mul_ps(head, factor);
    const Floats lost = _mm512_fmsub_ps(head, factor, most);
    const Floats more = _mm512_fmadd_ps(rest, factor, _mm512_fmadd_ps(head, factor_rest, lost));
    return _mm512_add_ps(most, more);
  }
};

/// Within 1.1 ULP, as the functor, which does what NearOne does not take.
template <>
struct Wide<functors::Log> {
  static constexpr int inputs = 1;

  static Floats usual(Floats x, Lanes& left) {
    left = _mm512_fpclass_ps_mask(x, 0xff);
    const NearOne near(x);
    const Floats f = near.f, square = _mm512_mul_ps(f, f);
    // ln 2 in two parts, of which the first has 15 bits after the point.
    const Floats whole = _mm512_fmadd_ps(near.e, all(0.693145752f), heads.at(near.places));
    const Floats curve = polynomial_of(f, -0.5f, 0.333374679f, -0.250038058f);
    const Floats rest = _mm512_fmadd_ps(near.e, all(1.42860677e-06f), rests.at(near.places));
    const Floats small = _mm512_fmadd_ps(square, curve, rest);
    const Floats head = _mm512_add_ps(whole, f);
    const Floats lost = _mm512_sub_ps(f, _mm512_sub_ps(head, whole));
    return _mm512_add_ps(head, _mm512_add_ps(small, lost));
  }

 private:
  // Minus ln of the inverses, in two parts as well.
  static constexpr Table32 heads = {{-0.283782959f,  -0.271942139f,  -0.247833252f,  -0.223144531f,
                                     -0.210571289f,  -0.184936523f,  -0.171844482f,  -0.145172119f,
                                     -0.131561279f,  -0.117797852f,  -0.103790283f,  -0.0752258301f,
                                     -0.0606384277f, -0.0458068848f, -0.0307617188f, -0.0155029297f,
                                     0.0f,           0.0317382812f,  0.0645446777f,  0.08984375f,
                                     0.115844727f,   0.151550293f,   0.169891357f,   0.198059082f,
                                     0.227050781f,   0.246856689f,   0.267059326f,   0.298156738f,
                                     0.31942749f,    0.341156006f,   0.36340332f,    0.386108398f}};
  static constexpr Table32 rests = {{1.47858536e-05f,
                                     8.42318786e-06f,
                                     -2.91195147e-06f,
                                     9.79935749e-07f,
                                     6.51995515e-06f,
                                     1.41849432e-05f,
                                     -5.77450464e-06f,
                                     -9.89070395e-06f,
                                     -1.50784917e-05f,
                                     1.48159061e-05f,
                                     -6.51047867e-06f,
                                     2.4088406e-06f,
                                     1.38059177e-05f,
                                     -2.65126573e-06f,
                                     -9.93991671e-06f,
                                     -1.25684846e-06f,
                                     0.0f,
                                     1.04170649e-05f,
                                     -6.15659701e-06f,
                                     1.25791221e-05f,
                                     -1.29110376e-05f,
                                     -3.9484155e-07f,
                                     7.67937308e-06f,
                                     1.08317308e-05f,
                                     6.66938513e-06f,
                                     3.38847849e-06f,
                                     3.45907711e-06f,
                                     -3.36596213e-06f,
                                     3.28053193e-06f,
                                     1.47515429e-05f,
                                     -9.42612496e-06f,
                                     1.37468278e-05f}};
};

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
#endif  // __AVX512F__
