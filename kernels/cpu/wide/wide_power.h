// x^y, wide: log2 x and y log2 x are kept in two floats each, so that the exponent may be large.
#pragma once

#include "kernels/cpu/wide/wide_logarithm.h"
#include "kernels/functors/binary.h"

#ifdef __AVX512F__
namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// 2^x for |x.head| <= 150, in the lanes wanted: a power that underflows costs a hundred cycles.
inline Floats power_of_two(Twofold x, Lanes wanted) {
  const Floats magic = all(functors::round_magic);
  const Floats n = _mm512_sub_ps(_mm512_add_ps(x.head, magic), magic);
  const Floats r = _mm512_add_ps(_mm512_sub_ps(x.head, n), x.rest);
  const Floats power = polynomial_of(r, 1.0f, 0.693147182f, 0.240226507f, 0.0555035919f,
                                     0.00961806718f, 0.00133911741f, 0.000154608759f);
  return _mm512_maskz_scalef_ps(wanted, power, n);
}

/// Within 1.1 ULP, as the functor, which does extreme x and results far out of range.
template <>
struct Wide<functors::Power> {
  static constexpr int inputs = 2;

  static Floats usual(Floats x, Floats y, Lanes& left) {
    const auto [log, log_rest] = log2_of(_mm512_abs_ps(x));
    const Floats head = _mm512_mul_ps(y, log);
    const Floats lost = _mm512_fmsub_ps(y, log, head);
    constexpr int all_but_normal = 0xff & ~0x40;  // and of those the negative ones too
    left = _mm512_fpclass_ps_mask(x, all_but_normal) |
           _mm512_cmp_ps_mask(_mm512_abs_ps(head), all(150), _CMP_NLE_UQ);
    const Floats power = power_of_two({head, _mm512_fmadd_ps(y, log_rest, lost)}, ~left);
    if (__builtin_expect(left, 0)) left &= ~powers_of_nothing(x, y);  // they are 0 already
    const Lanes negative = _mm512_movepi32_mask(bits_of(x));
    return __builtin_expect(negative, 0) ? signed_by(y, power, negative) : power;
  }

 private:
  /// The lanes where x is 0 and y above, as after a relu.
  static Lanes powers_of_nothing(Floats x, Floats y) {
    constexpr int positive_zero = 2;
    return _mm512_mask_cmp_ps_mask(_mm512_fpclass_ps_mask(x, positive_zero), y, all(0), _CMP_GT_OQ);
  }
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
