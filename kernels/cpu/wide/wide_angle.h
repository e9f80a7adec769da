// The angle whose tangent is known, wide: pieces of the arc tangent.
#pragma once

#include "kernels/cpu/wide/wide.h"
#include "kernels/functors/transcendental.h"

#ifdef __AVX512F__
namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// atan(x) for 0 <= x < 32 and NaN, within 1.3 ULP: near centers of quarters of [2^e, 2 * 2^e), as
/// Wide<Tanh>. The first piece reaches down to 0. Of each center the arc tangent is nearly a float.
inline Floats atan_by_pieces(Floats x) {
  static constexpr Table32 centers = {
      {2.2109375f,   2.7578125f, 3.25f,        3.7109375f,   4.484375f,    5.515625f,
       6.59375f,     7.46875f,   9.125f,       11.03125f,    13.125f,      14.84375f,
       17.625f,      22.3125f,   26.3125f,     30.0f,        0.0f,         0.170898438f,
       0.204589844f, 0.234375f,  0.28515625f,  0.346679688f, 0.405273438f, 0.47265625f,
       0.55078125f,  0.6875f,    0.802734375f, 0.92578125f,  1.12890625f,  1.37890625f,
       1.609375f,    1.88671875f}};
  static constexpr Table32 pieces[] = {
      {{1.146034f,    1.22293544f,  1.27229738f,  1.30757511f, 1.35138965f,  1.39144146f,
        1.42028451f,  1.4376967f,   1.46164286f,  1.48039186f, 1.49475276f,  1.50352955f,
        1.51411951f,  1.52600837f,  1.53280985f,  1.53747535f, 0.0f,         0.169263229f,
        0.201804951f, 0.230219588f, 0.277783662f, 0.3337138f,  0.385044158f, 0.441534311f,
        0.503442824f, 0.602287352f, 0.676406026f, 0.74687767f, 0.845874786f, 0.943348885f,
        1.01481938f,  1.08342159f}},
      {{0.169829875f,   0.116204351f,   0.0864864886f,  0.0676999614f,  0.0473717637f,
        0.0318247154f,  0.0224832613f,  0.0176111441f,  0.0118672615f,  0.00815072469f,
        0.00577148516f, 0.00451799901f, 0.00320881931f, 0.00200461992f, 0.00144227792f,
        0.00110987795f, 1.0f,           0.971622527f,   0.959824622f,   0.947928727f,
        0.924800694f,   0.892708242f,   0.858924568f,   0.817391515f,   0.767247736f,
        0.679045081f,   0.608131051f,   0.538482368f,   0.439670712f,   0.344663292f,
        0.278544724f,   0.21931231f}},
      {{-0.0637675822f,   -0.037238311f,    -0.024307888f,    -0.0170074534f,   -0.0100628668f,
        -0.00558640063f,  -0.0033331227f,   -0.00231630658f,  -0.00128501887f,  -0.000732773042f,
        -0.000437163369f, -0.000303013687f, -0.000181473108f, -8.96517304e-05f, -5.47234849e-05f,
        -3.69873451e-05f, 2.43851468e-06f,  -0.161319748f,    -0.18849133f,     -0.210615277f,
        -0.243871734f,    -0.276272774f,    -0.298961937f,    -0.315795749f,    -0.324234784f,
        -0.317020029f,    -0.296880066f,    -0.268434793f,    -0.218231291f,    -0.163804427f,
        -0.124867186f,    -0.0907493681f}},
      {{0.0223153327f,   0.0114113335f,   0.00661728298f,  0.00416900497f,  0.00210246607f,
        0.000969716988f, 0.000490176841f, 0.000302852364f, 0.000138451331f, 6.57123528e-05f,
        3.30564799e-05f, 2.02967403e-05f, 1.02630538e-05f, 4.00830504e-06f, 2.07717699e-06f,
        1.22995141e-06f, -0.333473116f,   -0.279064f,      -0.257935643f,   -0.237250015f,
        -0.199298114f,   -0.151580095f,   -0.107090928f,   -0.0600203462f,  -0.0135096759f,
        0.0436237231f,   0.0699692369f,   0.0817623436f,   0.0799923539f,   0.0642015785f,
        0.0487698615f,   0.0340291336f}},
      {{-0.00718461815f,  -0.00336291082f,  -0.00177455973f,  -0.00101432635f,  -0.000437484559f,
        -0.000167220715f, -7.18149458e-05f, -4.01125399e-05f, -1.5098376e-05f,  -6.00382918e-06f,
        -2.54238898e-06f, -1.33946878e-06f, -5.84861482e-07f, -1.83640807e-07f, -8.23908266e-08f,
        -3.30056054e-08f, 0.00237880554f,   0.0765918046f,    0.212023303f,     0.23278068f,
        0.179860801f,     0.186920717f,     0.154407844f,     0.164334565f,     0.135175973f,
        0.0803025737f,    0.0422192477f,    0.00867730845f,   -0.0112483259f,   -0.0174601488f,
        -0.0153705534f,   -0.0110270167f}},
      {{0.0019392214f,   0.000905654219f, 0.000440615346f, 0.000254087325f, 8.69978248e-05f,
        2.91125634e-05f, 1.13468823e-05f, 5.28317241e-06f, 1.7680984e-06f,  5.26030192e-07f,
        1.81838885e-07f, 7.573815e-08f,   2.94465146e-08f, 7.68957342e-09f, 2.36715914e-09f,
        1.37924638e-09f, 0.186460704f,    1.00630438f,     1.36288857f,     0.454268783f,
        -0.112385496f,   -0.106691435f,   -0.0275442712f,  -0.074844189f,   -0.101966895f,
        -0.074193269f,   -0.074460797f,   -0.0161004625f,  -0.0123480586f,  -6.20162391e-05f,
        0.0029321888f,   0.0033914526f}},
  };
  const Bits places = _mm512_srli_epi32(bits_of(_mm512_max_ps(x, all(0.125f))), 21);
  return piecewise(pieces, places, _mm512_sub_ps(x, centers.at(places)));
}

/// Within 2 ULP, where the functor is within 3.
template <>
struct Wide<functors::Atan> {
  static constexpr int inputs = 1;

  static Floats usual(Floats x, Lanes&) {
    constexpr float most = 31;
    const Floats size = _mm512_abs_ps(x);
    const Lanes beyond = _mm512_cmp_ps_mask(size, all(most), _CMP_GT_OQ);
    if (__builtin_expect(beyond == 0, 1)) return signed_as(x, atan_by_pieces(size));
    const Floats bounded = _mm512_mask_div_ps(size, beyond, all(1), size);  // the complement's
    const Floats angle = atan_by_pieces(bounded);
    const Floats rest = all(-4.37113883e-08f);  // of pi / 2
    return signed_as(
        x, _mm512_mask_sub_ps(angle, beyond, all(1.57079637f), _mm512_sub_ps(angle, rest)));
  }
};

/// Within 3 ULP, where the functor is within 4. It does what is infinite, subnormal or no number.
template <>
struct Wide<functors::Atan2> {
  static constexpr int inputs = 2;

  static Floats usual(Floats y, Floats x, Lanes& left) {
    constexpr int neither_normal_nor_zero = 0xff & ~(0x02 | 0x04 | 0x40);  // nor negative
    const Floats up = _mm512_abs_ps(y), along = _mm512_abs_ps(x);
    const Floats tangent = _mm512_div_ps(_mm512_min_ps(up, along), _mm512_max_ps(up, along));
    left = _mm512_fpclass_ps_mask(y, neither_normal_nor_zero) |
           _mm512_fpclass_ps_mask(x, neither_normal_nor_zero) |
           _mm512_fpclass_ps_mask(tangent, neither_normal_nor_zero);
    const Lanes is_steep = _mm512_cmp_ps_mask(up, along, _CMP_GT_OQ);
    const Lanes is_behind = _mm512_cmp_ps_mask(x, all(0), _CMP_LT_OQ);
    const Floats small = atan_by_pieces(tangent);
    const Floats half_rest = all(-4.37113883e-08f), rest = all(-8.74227766e-08f);
    const Floats first =
        _mm512_mask_sub_ps(small, is_steep, all(1.57079637f), _mm512_sub_ps(small, half_rest));
    return signed_as(
        y, _mm512_mask_sub_ps(first, is_behind, all(3.14159274f), _mm512_sub_ps(first, rest)));
  }
};

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
#endif  // __AVX512F__
