// Sixteen floats at once by instructions of AVX-512 that g++ never finds in a functor: tables that
// lie in registers, scaling by a power of 2, classes of numbers. A wide form may leave lanes to the
// functor, so it covers what is usual and needs no care for the rest.
#pragma once

#include <cstdint>
#include <type_traits>

#ifdef __AVX512F__
#include <immintrin.h>
#endif

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// The wide form of functor F, where there is one: `usual(x, left)` for each of its `inputs`. It
/// adds to `left` the lanes whose results it does not know, which may depend on their own numbers
/// alone.
template <class F>
struct Wide {
  static constexpr int inputs = 0;
};

template <class F, class T>
concept HasWide = std::is_same_v<T, float> && Wide<F>::inputs != 0;

#ifdef __AVX512F__
using Floats = __m512;
using Bits = __m512i;
using Lanes = __mmask16;

inline Floats all(float x) { return _mm512_set1_ps(x); }
inline Bits all_bits(std::uint32_t x) { return _mm512_set1_epi32(static_cast<int>(x)); }
inline Bits bits_of(Floats x) { return _mm512_castps_si512(x); }
inline Floats floats_of(Bits x) { return _mm512_castsi512_ps(x); }
/// The sign bit of x, the rest of `size`.
inline Floats signed_as(Floats x, Floats size) {
  return floats_of(
      _mm512_ternarylogic_epi32(bits_of(size), bits_of(x), all_bits(0x80000000), 0xd8));
}

/// c + rest[0] x + rest[1] x^2 + ...
inline Floats horner(Floats, Floats c) { return c; }
template <class... Rest>
Floats horner(Floats x, Floats c, Rest... rest) {
  return _mm512_fmadd_ps(x, horner(x, rest...), c);
}
template <class... Rest>
Floats polynomial_of(Floats x, Rest... c) {
  return horner(x, all(c)...);
}

/// 32 numbers that stay in two registers.
struct alignas(64) Table32 {
  float numbers[32];

  /// The ones whose places are the low five bits of each lane.
  Floats at(Bits places) const {
    return _mm512_permutex2var_ps(_mm512_load_ps(numbers), places, _mm512_load_ps(numbers + 16));
  }
};

/// 32 polynomials of one degree: row k has the coefficients of x^k.
template <int rows>
Floats piecewise(const Table32 (&coefficients)[rows], Bits places, Floats x) {
  Floats y = coefficients[rows - 1].at(places);
  for (int k = rows - 2; k >= 0; --k) y = _mm512_fmadd_ps(x, y, coefficients[k].at(places));
  return y;
}

inline Lanes first_lanes(std::int64_t count) { return static_cast<Lanes>((1u << count) - 1); }

/// y, with what F gives in the lanes left.
template <class F>
[[gnu::noinline]] Floats completed(Floats y, Lanes left, Floats a) {
  float in[16], out[16];
  _mm512_storeu_ps(in, a);
  for (int l = 0; l < 16; ++l) out[l] = F{}(in[l]);
  return _mm512_mask_loadu_ps(y, left, out);
}
template <class F>
[[gnu::noinline]] Floats completed(Floats y, Lanes left, Floats a, Floats b) {
  float first[16], second[16], out[16];
  _mm512_storeu_ps(first, a);
  _mm512_storeu_ps(second, b);
  for (int l = 0; l < 16; ++l) out[l] = F{}(first[l], second[l]);
  return _mm512_mask_loadu_ps(y, left, out);
}

template <class F, class... Inputs>
[[gnu::always_inline]] inline Floats wide(Inputs... x) {
  Lanes left = 0;
  const Floats y = Wide<F>::usual(x..., left);
  return __builtin_expect(left, 0) ? completed<F>(y, left, x...) : y;
}

/// y[i] = f(i, lanes) for 16 floats from i on; of the last ones, the lanes that exist.
template <class Step>
void for_each_wide(float* y, std::int64_t count, Step f) {
  std::int64_t i = 0;
  for (; i + 16 <= count; i += 16) _mm512_storeu_ps(y + i, f(i, Lanes(0xffff)));
  if (i == count) return;
  const Lanes rest = first_lanes(count - i);
  _mm512_mask_storeu_ps(y + i, rest, f(i, rest));
}

/// Lanes that do not exist count as 1, which is no hard number for any function.
inline Floats loaded_wide(const float* x, Lanes lanes) {
  return lanes == 0xffff ? _mm512_loadu_ps(x) : _mm512_mask_loadu_ps(all(1), lanes, x);
}

template <class F>
void wide_stretch(float* y, const float* x, std::int64_t count) {
  for_each_wide(
      y, count, [=](std::int64_t i, Lanes lanes) __attribute__((always_inline)) {
        return wide<F>(loaded_wide(x + i, lanes));
      });
}

/// Input k is one number for all where bit k of `scalars` is set.
template <class F>
void wide_stretch(float* y, const float* a, const float* b, std::int64_t count, unsigned scalars) {
  if (scalars == 0)
    return for_each_wide(
        y, count, [=](std::int64_t i, Lanes lanes) __attribute__((always_inline)) {
          return wide<F>(loaded_wide(a + i, lanes), loaded_wide(b + i, lanes));
        });
  const Floats one = all(scalars == 1 ? *a : *b);
  if (scalars == 1)
    return for_each_wide(
        y, count, [=](std::int64_t i, Lanes lanes) __attribute__((always_inline)) {
          return wide<F>(one, loaded_wide(b + i, lanes));
        });
  for_each_wide(
      y, count, [=](std::int64_t i, Lanes lanes) __attribute__((always_inline)) {
        return wide<F>(loaded_wide(a + i, lanes), one);
      });
}
#endif  // __AVX512F__

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
