// Elements chosen by a mask, a vector at a time: those of it that are true go side by side, or come
// from there, by one instruction. Pays where many are true.
#pragma once

#include <cstdint>
#ifdef __AVX512BW__
#include <immintrin.h>
#endif

#include "kernels/cpu/tuning.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// How much of a mask has been gone through, and how many of it were true.
struct MaskProgress {
  std::int64_t read = 0, taken = 0;
};

#ifdef __AVX512BW__

/// Calls `move(is_true, i, n)` for vector after vector of the mask, of which `n` were true before,
/// while there is room for a whole one behind those.
template <class Item, class Move>
MaskProgress for_each_vector(const std::uint8_t* mask, std::int64_t count, std::int64_t room,
                             Move move) {
  constexpr int lanes = static_cast<int>(64 / sizeof(Item));
  MaskProgress at;
  for (; at.read + 16 <= count && at.taken + 16 <= room; at.read += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(mask + at.read));
    const unsigned is_true = _mm_test_epi8_mask(bytes, bytes);
    for (int first = 0; first < 16; first += lanes) {
      const unsigned of_vector = (is_true >> first) & ((1u << lanes) - 1);
      move(of_vector, at.read + first, at.taken);
      at.taken += __builtin_popcount(of_vector);
    }
  }
  return at;
}

/// From x, of `count` elements, to `out`, which has room for all that are true.
template <class Item>
MaskProgress take_vectors(const std::uint8_t* mask, const Item* x, std::int64_t count, Item* out,
                          std::int64_t room) {
  if (room < count / tuning::one_true_of) return {};
  if constexpr (sizeof(Item) == 4)
    return for_each_vector<Item>(
        mask, count, room, [&](unsigned is_true, std::int64_t i, std::int64_t n) {
          const auto lanes = static_cast<__mmask16>(is_true);
          const __m512i all = _mm512_loadu_si512(x + i);
          _mm512_storeu_si512(out + n, _mm512_maskz_compress_epi32(lanes, all));
        });
  else if constexpr (sizeof(Item) == 8)
    return for_each_vector<Item>(
        mask, count, room, [&](unsigned is_true, std::int64_t i, std::int64_t n) {
          const auto lanes = static_cast<__mmask8>(is_true);
          const __m512i all = _mm512_loadu_si512(x + i);
          _mm512_storeu_si512(out + n, _mm512_maskz_compress_epi64(lanes, all));
        });
  else
    return {};
}

/// From `source`, which has as many as are true, to x, of `count` elements.
template <class Item>
MaskProgress put_vectors(const std::uint8_t* mask, Item* x, std::int64_t count, const Item* source,
                         std::int64_t room) {
  if (room < count / tuning::one_true_of) return {};
  if constexpr (sizeof(Item) == 4)
    return for_each_vector<Item>(
        mask, count, room, [&](unsigned is_true, std::int64_t i, std::int64_t n) {
          const auto lanes = static_cast<__mmask16>(is_true);
          const __m512i next = _mm512_loadu_si512(source + n);
          _mm512_mask_storeu_epi32(x + i, lanes, _mm512_maskz_expand_epi32(lanes, next));
        });
  else if constexpr (sizeof(Item) == 8)
    return for_each_vector<Item>(
        mask, count, room, [&](unsigned is_true, std::int64_t i, std::int64_t n) {
          const auto lanes = static_cast<__mmask8>(is_true);
          const __m512i next = _mm512_loadu_si512(source + n);
          _mm512_mask_storeu_epi64(x + i, lanes, _mm512_maskz_expand_epi64(lanes, next));
        });
  else
    return {};
}

#else

template <class Item>
MaskProgress take_vectors(const std::uint8_t*, const Item*, std::int64_t, Item*, std::int64_t) {
  return {};
}
template <class Item>
MaskProgress put_vectors(const std::uint8_t*, Item*, std::int64_t, const Item*, std::int64_t) {
  return {};
}

#endif

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
