// Turns a block around, through registers where the instruction set has shuffles for it.
#pragma once

#include <cstdint>

#ifdef __AVX__
#include <immintrin.h>
#endif

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// How many elements a side of `transpose_square` has; 0: there is none.
template <class Item>
inline constexpr int square_side = 0;

#ifdef __AVX512F__
template <>
inline constexpr int square_side<std::uint32_t> = 16;

/// Turns 16 vectors around: lane j of vector i becomes lane i of vector j.
__attribute__((always_inline)) inline void transpose_lanes(__m512 (&x)[16]) {
  __m512 y[16];
  for (int i = 0; i < 16; i += 2) {
    y[i] = _mm512_unpacklo_ps(x[i], x[i + 1]);
    y[i + 1] = _mm512_unpackhi_ps(x[i], x[i + 1]);
  }
  for (int i = 0; i < 16; i += 4) {
    x[i] = _mm512_shuffle_ps(y[i], y[i + 2], 0x44);
    x[i + 1] = _mm512_shuffle_ps(y[i], y[i + 2], 0xee);
    x[i + 2] = _mm512_shuffle_ps(y[i + 1], y[i + 3], 0x44);
    x[i + 3] = _mm512_shuffle_ps(y[i + 1], y[i + 3], 0xee);
  }
  for (int i = 0; i < 16; i += 8) {
    for (int j = 0; j < 4; ++j) {
      y[i + j] = _mm512_shuffle_f32x4(x[i + j], x[i + j + 4], 0x88);
      y[i + j + 4] = _mm512_shuffle_f32x4(x[i + j], x[i + j + 4], 0xdd);
    }
  }
  for (int j = 0; j < 8; ++j) {
    x[j] = _mm512_shuffle_f32x4(y[j], y[j + 8], 0x88);
    x[j + 8] = _mm512_shuffle_f32x4(y[j], y[j + 8], 0xdd);
  }
}

/// to[j * to_stride + i] = from[i * from_stride + j] for i, j < 16: every store fills a line.
inline void transpose_square(std::uint32_t* to, std::int64_t to_stride, const std::uint32_t* from,
                             std::int64_t from_stride) {
  __m512 x[16];
  for (int i = 0; i < 16; ++i) x[i] = _mm512_loadu_ps(from + i * from_stride);
  transpose_lanes(x);
  for (int j = 0; j < 16; ++j) _mm512_storeu_ps(to + j * to_stride, x[j]);
}
#elif defined(__AVX__)
template <>
inline constexpr int square_side<std::uint32_t> = 8;

/// to[j * to_stride + i] = from[i * from_stride + j] for i, j < 8.
inline void transpose_square(std::uint32_t* to, std::int64_t to_stride, const std::uint32_t* from,
                             std::int64_t from_stride) {
  __m256 rows[8], pairs[8], fours[8];
  for (int i = 0; i < 8; ++i)
    rows[i] = _mm256_loadu_ps(reinterpret_cast<const float*>(from + i * from_stride));
  for (int i = 0; i < 8; i += 2) {
    pairs[i] = _mm256_unpacklo_ps(rows[i], rows[i + 1]);
    pairs[i + 1] = _mm256_unpackhi_ps(rows[i], rows[i + 1]);
  }
  for (int i = 0; i < 8; i += 4) {
    for (int k = 0; k < 2; ++k) {
      fours[i + 2 * k] = _mm256_shuffle_ps(pairs[i + k], pairs[i + k + 2], 0x44);
      fours[i + 2 * k + 1] = _mm256_shuffle_ps(pairs[i + k], pairs[i + k + 2], 0xee);
    }
  }
  for (int j = 0; j < 4; ++j) {
    auto* low = reinterpret_cast<float*>(to + j * to_stride);
    auto* high = reinterpret_cast<float*>(to + (j + 4) * to_stride);
    _mm256_storeu_ps(low, _mm256_permute2f128_ps(fours[j], fours[j + 4], 0x20));
    _mm256_storeu_ps(high, _mm256_permute2f128_ps(fours[j], fours[j + 4], 0x31));
  }
}

#endif

#ifdef __AVX__
template <>
inline constexpr int square_side<std::uint64_t> = 4;

/// The same for i, j < 4.
inline void transpose_square(std::uint64_t* to, std::int64_t to_stride, const std::uint64_t* from,
                             std::int64_t from_stride) {
  __m256d rows[4], pairs[4];
  for (int i = 0; i < 4; ++i)
    rows[i] = _mm256_loadu_pd(reinterpret_cast<const double*>(from + i * from_stride));
  for (int i = 0; i < 4; i += 2) {
    pairs[i] = _mm256_unpacklo_pd(rows[i], rows[i + 1]);
    pairs[i + 1] = _mm256_unpackhi_pd(rows[i], rows[i + 1]);
  }
  for (int j = 0; j < 2; ++j) {
    auto* low = reinterpret_cast<double*>(to + j * to_stride);
    auto* high = reinterpret_cast<double*>(to + (j + 2) * to_stride);
    _mm256_storeu_pd(low, _mm256_permute2f128_pd(pairs[j], pairs[j + 2], 0x20));
    _mm256_storeu_pd(high, _mm256_permute2f128_pd(pairs[j], pairs[j + 2], 0x31));
  }
}
#endif

/// to[j * to_stride + i] = from[i * from_stride + j] for i < rows, j < columns.
template <class Item>
void transpose(Item* to, std::int64_t to_stride, const Item* from, std::int64_t from_stride,
               std::int64_t rows, std::int64_t columns) {
  std::int64_t i = 0;
  if constexpr (constexpr int side = square_side<Item>; side > 0) {
    for (; i + side <= rows; i += side) {
      std::int64_t j = 0;
      for (; j + side <= columns; j += side)
        transpose_square(to + j * to_stride + i, to_stride, from + i * from_stride + j,
                         from_stride);
      for (; j < columns; ++j)
        for (int k = 0; k < side; ++k) to[j * to_stride + i + k] = from[(i + k) * from_stride + j];
    }
  }
  for (; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) to[j * to_stride + i] = from[i * from_stride + j];
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
