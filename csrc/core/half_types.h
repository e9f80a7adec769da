// Floats of 16 bits: how they are stored, and their way to float and back. By bits, for neither the
// x86-64 baseline nor CUDA's host compilers have them all; loops know faster ways.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "csrc/core/host_device.h"

namespace garboard {

/// A float of 16 bits in a Format, which has `bits_of(float)`, rounding to the nearest, halves to
/// even, and keeping NaN, and `float_of(bits)`, which is exact. No arithmetic: that is float's.
template <class Format>
struct HalfFloat {
  std::uint16_t bits;

  HalfFloat() = default;
  /// By way of float, whatever N is, as in PyTorch.
  template <class N>
  requires std::is_arithmetic_v<N> GARBOARD_HD explicit constexpr HalfFloat(N x)
      : bits(Format::bits_of(static_cast<float>(x))) {}

  template <class N>
  requires std::is_arithmetic_v<N> GARBOARD_HD explicit constexpr operator N() const {
    return static_cast<N>(Format::float_of(bits));
  }
};

/// IEEE 754's binary16: 11 digits, and numbers up to 65504.
struct Binary16 {
  static constexpr int digits = 11, max_exponent = 16;

  GARBOARD_HD static constexpr float float_of(std::uint16_t bits) {
    const std::uint32_t sign = (bits & 0x8000u) << 16, size = bits & 0x7fffu;
    // The exponent is 112 too small, that of a subnormal too: a product mends both.
    const float scaled = __builtin_bit_cast(float, size << 13) * 0x1p112f;
    const std::uint32_t finite = __builtin_bit_cast(std::uint32_t, scaled);
    const std::uint32_t whole = size >= 0x7c00 ? 0x7f800000 | size << 13 : finite;
    return __builtin_bit_cast(float, sign | whole);
  }
  GARBOARD_HD static constexpr std::uint16_t bits_of(float x) {
    const auto whole = __builtin_bit_cast(std::uint32_t, x);
    const std::uint32_t sign = whole >> 16 & 0x8000, size = whole & 0x7fffffff;
    const std::uint32_t normal = (size - (112u << 23) + 0xfff + (size >> 13 & 1)) >> 13;
    // Beside 1/2 a float has as many places behind the point as the subnormal numbers.
    const float beside = __builtin_bit_cast(float, size < 0x38800000 ? size : 0) + 0.5f;
    const std::uint32_t subnormal = __builtin_bit_cast(std::uint32_t, beside) - 0x3f000000;
    const std::uint32_t nan = 0x7e00 | (size >> 13 & 0x3ff);
    const std::uint32_t beyond = size > 0x7f800000 ? nan : 0x7c00;
    const std::uint32_t finite = size < 0x38800000 ? subnormal : normal;
    return static_cast<std::uint16_t>(sign | (size >= 0x477ff000 ? beyond : finite));
  }
};
using Float16 = HalfFloat<Binary16>;

/// The upper half of a float: its range, and 8 of its 24 digits.
struct UpperHalf {
  static constexpr int digits = 8, max_exponent = 128;

  GARBOARD_HD static constexpr float float_of(std::uint16_t bits) {
    return __builtin_bit_cast(float, std::uint32_t{bits} << 16);
  }
  GARBOARD_HD static constexpr std::uint16_t bits_of(float x) {
    const auto whole = __builtin_bit_cast(std::uint32_t, x);
    const std::uint32_t rounded = whole + 0x7fff + (whole >> 16 & 1);
    const bool is_nan = (whole & 0x7fffffff) > 0x7f800000;
    return static_cast<std::uint16_t>((is_nan ? whole | 0x400000 : rounded) >> 16);
  }
};
using BFloat16 = HalfFloat<UpperHalf>;

}  // namespace garboard

template <class Format>
struct std::numeric_limits<garboard::HalfFloat<Format>> {
 private:
  using T = garboard::HalfFloat<Format>;
  static constexpr float power_of_2(int n) {
    float power = 1;
    for (; n > 0; --n) power *= 2;
    for (; n < 0; ++n) power /= 2;
    return power;
  }

 public:
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false;
  static constexpr bool is_exact = false, is_iec559 = true, is_bounded = true, is_modulo = false;
  static constexpr bool has_infinity = true, has_quiet_NaN = true;
  static constexpr int radix = 2, digits = Format::digits, digits10 = (digits - 1) * 30103 / 100000;
  static constexpr int max_exponent = Format::max_exponent, min_exponent = 3 - max_exponent;

  static constexpr T max() { return T(power_of_2(max_exponent - digits) * ((1 << digits) - 1)); }
  static constexpr T lowest() { return T(-static_cast<float>(max())); }
  static constexpr T min() { return T(power_of_2(min_exponent - 1)); }
  static constexpr T denorm_min() { return T(power_of_2(min_exponent - digits)); }
  static constexpr T epsilon() { return T(power_of_2(1 - digits)); }
  static constexpr T infinity() { return T(std::numeric_limits<float>::infinity()); }
  static constexpr T quiet_NaN() { return T(std::numeric_limits<float>::quiet_NaN()); }
};
