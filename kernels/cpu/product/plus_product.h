// The step of a product in vectors.
#pragma once

#ifdef __AVX512F__
#include <immintrin.h>
#endif

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// Whether elements of T can be pairs of bfloat16.
#ifdef __AVX512F__
template <class T>
inline constexpr bool holds_pairs = sizeof(T) == 4;
#else
template <class T>
inline constexpr bool holds_pairs = false;
#endif

/// sum + a b, of floats or, each in the place of one, of pairs of bfloat16. Only who has asked for
/// the instruction comes here with pairs, so no option of the compiler is wanted for all.
template <bool of_pairs, class V>
__attribute__((always_inline)) inline V plus_product(V sum, V a, V b) {
  if constexpr (!of_pairs) return sum + a * b;
#ifdef __AVX512F__
  asm("vdpbf16ps %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
#endif
  return sum;
}

/// The same of one float or pair for all lanes, which is not computed with before.
template <bool of_pairs, class V, class T>
__attribute__((always_inline)) inline V plus_product(V sum, T a, V b) {
#ifdef __AVX512F__
  if constexpr (of_pairs) return plus_product<true>(sum, (V)_mm512_set1_ps(a), b);
#endif
  return sum + a * b;
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
