// Turns a block around, through registers.
#pragma once

#include <cstdint>
#include <utility>

#ifdef __AVX__
#include <immintrin.h>
#endif

namespace garboard::kernels::GARBOARD_ISA {
namespace {

#if defined(__AVX512F__)
inline constexpr int turned_vector = 64;  // bytes
#elif defined(__AVX__)
inline constexpr int turned_vector = 32;
#else
inline constexpr int turned_vector = 16;
#endif

/// How many elements a side of the largest square has that `transpose_square` turns around; 0:
/// there is none. Vectors longer than 16 bytes have no quick shuffles for items of 1 and 2.
template <class Item>
inline constexpr int square_side = sizeof(Item) > 8 ? 0
                                                    : (sizeof(Item) < 4 ? 16 : turned_vector) /
                                                          int{sizeof(Item)};

/// The smallest square worth it has that many.
template <class Item>
inline constexpr int least_side = sizeof(Item) < 4 ? 4 : 2;

template <class Item, int side, int square, class Rows, int... k>
__attribute__((always_inline)) inline auto row_of(Rows rows, std::integer_sequence<int, k...>) {
  return __builtin_shufflevector(rows, rows, (square * side + k)...);
}
template <class Item, class Row>
__attribute__((always_inline)) inline void keep_row(Item* to, Row row) {
  __builtin_memcpy(to, &row, sizeof(Row));
}

/// to[j * to_stride + i] = from[i * from_stride + j] for i < side, j < side * beside: squares that
/// lie beside each other. A half of the rows and the other one are zipped, as often as it takes.
template <int side, int beside, class Item>
__attribute__((always_inline)) inline void zip_squares(Item* to, std::int64_t to_stride,
                                                       const Item* from, std::int64_t from_stride) {
  typedef Item Rows __attribute__((vector_size(side * beside * sizeof(Item))));
  Rows x[side], y[side];
  const auto zip = [&]<int... k>(std::integer_sequence<int, k...>) {
    constexpr int other = side * beside;  // where the second vector begins
    for (int i = 0; i < side / 2; ++i) {
      const Rows a = x[i], b = x[i + side / 2];
      y[2 * i] = __builtin_shufflevector(a, b, (k / side * side + k % side / 2 + k % 2 * other)...);
      y[2 * i + 1] = __builtin_shufflevector(
          a, b, (k / side * side + (k % side + side) / 2 + k % 2 * other)...);
    }
    for (int i = 0; i < side; ++i) x[i] = y[i];
  };
  for (int i = 0; i < side; ++i) __builtin_memcpy(&x[i], from + i * from_stride, sizeof(Rows));
  for (int half = 1; half < side; half *= 2) zip(std::make_integer_sequence<int, side * beside>());
  const auto keep = [&]<int... square>(int j, std::integer_sequence<int, square...>) {
    (keep_row(to + (j + square * side) * to_stride,
              row_of<Item, side, square>(x[j], std::make_integer_sequence<int, side>())),
     ...);
  };
#pragma GCC unroll 16
  for (int j = 0; j < side; ++j) keep(j, std::make_integer_sequence<int, beside>());
}

#ifdef __AVX512F__
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

/// Likewise 8 vectors of doubles.
__attribute__((always_inline)) inline void transpose_lanes(__m512d (&x)[8]) {
  __m512d y[8];
  for (int i = 0; i < 8; i += 2) {
    y[i] = _mm512_unpacklo_pd(x[i], x[i + 1]);
    y[i + 1] = _mm512_unpackhi_pd(x[i], x[i + 1]);
  }
  for (int i = 0; i < 8; i += 4) {
    for (int j = 0; j < 2; ++j) {
      x[i + j] = _mm512_shuffle_f64x2(y[i + j], y[i + j + 2], 0x88);
      x[i + j + 2] = _mm512_shuffle_f64x2(y[i + j], y[i + j + 2], 0xdd);
    }
  }
  for (int j = 0; j < 4; ++j) {
    y[j] = _mm512_shuffle_f64x2(x[j], x[j + 4], 0x88);
    y[j + 4] = _mm512_shuffle_f64x2(x[j], x[j + 4], 0xdd);
  }
  for (int j = 0; j < 8; ++j) x[j] = y[j];
}

inline void turn_16(std::uint32_t* to, std::int64_t to_stride, const std::uint32_t* from,
                    std::int64_t from_stride) {
  __m512 x[16];
  for (int i = 0; i < 16; ++i) x[i] = _mm512_loadu_ps(from + i * from_stride);
  transpose_lanes(x);
  for (int j = 0; j < 16; ++j) _mm512_storeu_ps(to + j * to_stride, x[j]);
}
#endif

#ifdef __AVX__
/// Likewise 8 vectors. Shuffles within halves of a vector are cheaper than those across.
__attribute__((always_inline)) inline void transpose_lanes(__m256 (&x)[8]) {
  __m256 pairs[8], fours[8];
  for (int i = 0; i < 8; i += 2) {
    pairs[i] = _mm256_unpacklo_ps(x[i], x[i + 1]);
    pairs[i + 1] = _mm256_unpackhi_ps(x[i], x[i + 1]);
  }
  for (int i = 0; i < 8; i += 4) {
    for (int k = 0; k < 2; ++k) {
      fours[i + 2 * k] = _mm256_shuffle_ps(pairs[i + k], pairs[i + k + 2], 0x44);
      fours[i + 2 * k + 1] = _mm256_shuffle_ps(pairs[i + k], pairs[i + k + 2], 0xee);
    }
  }
  for (int j = 0; j < 4; ++j) {
    x[j] = _mm256_permute2f128_ps(fours[j], fours[j + 4], 0x20);
    x[j + 4] = _mm256_permute2f128_ps(fours[j], fours[j + 4], 0x31);
  }
}

inline void turn_8(std::uint32_t* to, std::int64_t to_stride, const std::uint32_t* from,
                   std::int64_t from_stride) {
  __m256 x[8];
  for (int i = 0; i < 8; ++i)
    x[i] = _mm256_loadu_ps(reinterpret_cast<const float*>(from + i * from_stride));
  transpose_lanes(x);
  for (int j = 0; j < 8; ++j) _mm256_storeu_ps(reinterpret_cast<float*>(to + j * to_stride), x[j]);
}

inline void turn_4(std::uint64_t* to, std::int64_t to_stride, const std::uint64_t* from,
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

/// to[j * to_stride + i] = from[i * from_stride + j] for i, j < side.
template <int side, class Item>
__attribute__((always_inline)) inline void transpose_square(Item* to, std::int64_t to_stride,
                                                            const Item* from,
                                                            std::int64_t from_stride) {
#ifdef __AVX512F__
  if constexpr (sizeof(Item) == 4 && side == 16) return turn_16(to, to_stride, from, from_stride);
#endif
#ifdef __AVX__
  if constexpr (sizeof(Item) == 4 && side == 8) return turn_8(to, to_stride, from, from_stride);
  if constexpr (sizeof(Item) == 8 && side == 4) return turn_4(to, to_stride, from, from_stride);
#endif
  zip_squares<side, 1>(to, to_stride, from, from_stride);
}

/// Rows of so few columns, or so few rows, are shuffled by g++.
template <int few, class Item>
void weave(Item* __restrict to, const Item* __restrict from, std::int64_t from_stride,
           std::int64_t columns) {
  for (std::int64_t j = 0; j < columns; ++j)
    for (int i = 0; i < few; ++i) to[j * few + i] = from[i * from_stride + j];
}
template <int few, class Item>
void unravel(Item* __restrict to, std::int64_t to_stride, const Item* __restrict from,
             std::int64_t rows) {
  for (std::int64_t i = 0; i < rows; ++i)
    for (int j = 0; j < few; ++j) to[j * to_stride + i] = from[i * few + j];
}

template <class Item>
void transpose(Item* to, std::int64_t to_stride, const Item* from, std::int64_t from_stride,
               std::int64_t rows, std::int64_t columns);

/// In squares, and what is left beside and below them in smaller ones, which may overlap others.
template <int side, class Item>
void transpose_by(Item* to, std::int64_t to_stride, const Item* from, std::int64_t from_stride,
                  std::int64_t rows, std::int64_t columns) {
  const std::int64_t whole_rows = rows - rows % side, whole_columns = columns - columns % side;
  if (rows < columns) {
    for (std::int64_t j = 0; j < whole_columns; j += side)
      for (std::int64_t i = 0; i < whole_rows; i += side)
        transpose_square<side>(to + j * to_stride + i, to_stride, from + i * from_stride + j,
                               from_stride);
  } else {
    for (std::int64_t i = 0; i < whole_rows; i += side)
      for (std::int64_t j = 0; j < whole_columns; j += side)
        transpose_square<side>(to + j * to_stride + i, to_stride, from + i * from_stride + j,
                               from_stride);
  }
  const auto covered = [](std::int64_t rest) {
    std::int64_t cover = least_side<Item>;
    while (cover < rest) cover *= 2;
    return rest ? cover : 0;
  };
  if (const std::int64_t some = covered(columns - whole_columns)) {
    const std::int64_t j = columns - some;
    transpose(to + j * to_stride, to_stride, from + j, from_stride, rows, some);
  }
  if (const std::int64_t some = covered(rows - whole_rows)) {
    const std::int64_t i = rows - some;
    transpose(to + i, to_stride, from + i * from_stride, from_stride, some, whole_columns);
  }
}

/// to[j * to_stride + i] = from[i * from_stride + j] for i < rows, j < columns.
template <class Item>
void transpose(Item* to, std::int64_t to_stride, const Item* from, std::int64_t from_stride,
               std::int64_t rows, std::int64_t columns) {
  const std::int64_t least = rows < columns ? rows : columns;
  if constexpr (constexpr int side = square_side<Item>; side > 0) {
    const auto turned = [&]<int by>(std::integral_constant<int, by>) {
      if constexpr (by >= least_side<Item> && by <= side) {
        if (least < by) return false;
        transpose_by<by>(to, to_stride, from, from_stride, rows, columns);
        return true;
      }
      return false;
    };
    if constexpr (sizeof(Item) < 8) {
      if (rows == 2 && to_stride == 2) return weave<2>(to, from, from_stride, columns);
      if (rows == 3 && to_stride == 3) return weave<3>(to, from, from_stride, columns);
      if (columns == 2 && from_stride == 2) return unravel<2>(to, to_stride, from, rows);
      if (columns == 3 && from_stride == 3) return unravel<3>(to, to_stride, from, rows);
    }
    if (turned(std::integral_constant<int, 16>()) || turned(std::integral_constant<int, 8>()) ||
        turned(std::integral_constant<int, 4>()) || turned(std::integral_constant<int, 2>()))
      return;
  }
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) to[j * to_stride + i] = from[i * from_stride + j];
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
