// Swift functors on half types without a buffer between, which would take half as long again.
//
// Two bfloat16 in a word are floats once it is shifted, or masked: nothing is unpacked, and g++
// makes vectors of that. float16 goes by vectors where the instruction set converts them.
#pragma once

#include <cstdint>

#include "kernels/cpu/wide/half_conversions.h"
#include "kernels/functors/binary.h"
#include "kernels/functors/unary.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

// An operand is an array, or one number for all.

template <functors::Half T>
float element_at(const T* x, std::int64_t i) {
  return static_cast<float>(x[i]);
}
inline float element_at(float x, std::int64_t) { return x; }

/// Two elements, which are aligned as one is.
typedef std::uint32_t HalfPair __attribute__((may_alias, aligned(2)));

inline std::uint32_t pair_at(const BFloat16* x, std::int64_t i) {
  return reinterpret_cast<const HalfPair*>(x)[i];
}
inline float pair_at(float x, std::int64_t) { return x; }

inline float low_of(std::uint32_t pair) { return functors::bits_as<float>(pair << 16); }
inline float low_of(float x) { return x; }
inline float high_of(std::uint32_t pair) { return functors::bits_as<float>(pair & 0xffff0000); }
inline float high_of(float x) { return x; }

/// Rounded to the nearest, halves to even. NaN needs no care: what one operation makes of bfloat16
/// has zeros where rounding would carry.
inline std::uint32_t rounded_pair(float low, float high) {
  const auto l = functors::bits_as<std::uint32_t>(low), h = functors::bits_as<std::uint32_t>(high);
  return (l + 0x7fff + (l >> 16 & 1)) >> 16 | ((h + 0x7fff + (h >> 16 & 1)) & 0xffff0000);
}

/// y[i] = F(x[i]...) for the elements that have a swift way; gives how many that were.
template <class F, class... In>
std::int64_t take_swiftly(BFloat16* y, std::int64_t count, In... x) {
  auto* const pairs = reinterpret_cast<HalfPair*>(y);
#pragma GCC ivdep
  for (std::int64_t i = 0; i < count / 2; ++i)
    pairs[i] = rounded_pair(F{}(low_of(pair_at(x, i))...), F{}(high_of(pair_at(x, i))...));
  return count - count % 2;
}

#ifdef __F16C__
inline HalfVector apply(functors::Add, HalfVector a, HalfVector b) { return a + b; }
inline HalfVector apply(functors::Subtract, HalfVector a, HalfVector b) { return a - b; }
inline HalfVector apply(functors::Multiply, HalfVector a, HalfVector b) { return a * b; }
inline HalfVector apply(functors::Relu, HalfVector x) {
  const HalfVector zero{};
  return x < zero ? zero : x;
}

template <class F, class... In>
std::int64_t take_swiftly(Float16* y, std::int64_t count, In... x) {
  constexpr std::int64_t width = sizeof(HalfVector) / sizeof(float);
  return for_each_vector(
      count, width, [=](std::int64_t i) __attribute__((always_inline)) {
        store_vector(y + i, apply(F{}, vector_at(x, i)...));
      });
}
#else
template <class F, class... In>
std::int64_t take_swiftly(Float16*, std::int64_t, In...) {
  return 0;
}
#endif

/// What `F` makes of single bits.
template <class F>
void half_bits_stretch(void* out, const void* in, std::int64_t count) {
  typedef std::uint16_t Bits __attribute__((may_alias));
  auto* const y = static_cast<Bits*>(out);
  auto* const x = static_cast<const Bits*>(in);
#pragma GCC ivdep
  for (std::int64_t i = 0; i < count; ++i) y[i] = F::of_half_bits(x[i]);
}

/// y[i] = F(x[i]...). `F` makes one operation.
template <class F, functors::Half T, class... In>
void swift_stretch(T* y, std::int64_t count, In... x) {
  for (std::int64_t i = take_swiftly<F>(y, count, x...); i < count; ++i)
    y[i] = T(F{}(element_at(x, i)...));
}

/// The number for all that an operand is, in float already or not.
template <functors::Half T>
float number_of(const void* x, bool is_float) {
  const float number =
      is_float ? *static_cast<const float*>(x) : static_cast<float>(*static_cast<const T*>(x));
  return number == number ? number : functors::not_a_number<float>;
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
