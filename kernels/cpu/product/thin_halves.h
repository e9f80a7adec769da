// A product of half types in which a few vectors meet a matrix, as where one token meets a layer's
// weight: each of its elements is read once, from memory, and brought to float in the caches.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/product/matmul.h"
#include "kernels/cpu/tuning.h"
#include "kernels/cpu/wide/half_conversions.h"
#include "kernels/functors/element.h"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// Calls `visit(k, x)` for the elements of a row, of T or, where `m` is of them, floats.
template <functors::Half T, class Visit>
void for_each_of_row(const Matrix& m, std::int64_t row, Visit visit) {
  const auto go = [&](const auto* from) {
    from += row * m.row_stride;
    for (std::int64_t k = 0; k < m.columns; ++k)
      visit(k, static_cast<float>(from[k * m.column_stride]));
  };
  if (m.item == sizeof(float))
    go(reinterpret_cast<const float*>(m.data));
  else
    go(reinterpret_cast<const T*>(m.data));
}

/// Where sums go: to a matrix of T or of floats, with what is there added, and a bias of which rows
/// and columns of the matrix have an element each so far apart.
template <functors::Half T>
struct ThinResult {
  Matrix out;
  bool accumulate;
  const T* bias;
  std::int64_t by_row, by_column;

  /// The sums of row i from column j on.
  void put(std::int64_t i, std::int64_t j, const float* sums, std::int64_t count) const {
    const std::int64_t at = i * out.row_stride + j * out.column_stride;
    if (out.item != sizeof(float))
      put(reinterpret_cast<T*>(out.data) + at, i, j, sums, count);
    else if (bias || out.column_stride != 1)
      put(reinterpret_cast<float*>(out.data) + at, i, j, sums, count);
    else if (float* const to = reinterpret_cast<float*>(out.data) + at; accumulate)
      for (std::int64_t l = 0; l < count; ++l) to[l] += sums[l];
    else
      for (std::int64_t l = 0; l < count; ++l) to[l] = sums[l];
  }

 private:
  template <class To>
  void put(To* to, std::int64_t i, std::int64_t j, const float* sums, std::int64_t count) const {
    for (std::int64_t l = 0; l < count; ++l, to += out.column_stride) {
      float sum = sums[l];
      if (accumulate) sum += static_cast<float>(*to);
      if (bias) sum += static_cast<float>(bias[i * by_row + (j + l) * by_column]);
      *to = To(sum);
    }
  }
};

inline bool is_few(const Matrix& a, const Matrix& b) {
  return a.rows <= tuning::thin_side && b.columns > a.rows && a.columns > 0;
}

#ifdef __AVX512F__
/// 32 elements as floats; of bfloat16 those at even places and those at odd ones.
template <functors::Half T>
struct HalfParts {
  static constexpr std::int64_t step = 32;
  __m512 first, second;

  HalfParts(const T* from, __mmask32 mask) {
    const __m512i both = _mm512_maskz_loadu_epi16(mask, from);
    if constexpr (std::is_same_v<T, BFloat16>) {
      first = _mm512_castsi512_ps(_mm512_slli_epi32(both, 16));
      second = _mm512_castsi512_ps(_mm512_and_si512(both, _mm512_set1_epi32(-65536)));
    } else {
      first = _mm512_cvtph_ps(_mm512_castsi512_si256(both));
      second = _mm512_cvtph_ps(_mm512_extracti64x4_epi64(both, 1));
    }
  }
  /// Where element k of 32 stands among those of `first` and of `second`.
  static std::int64_t place_of(std::int64_t k) {
    return std::is_same_v<T, BFloat16> ? k % 2 * (step / 2) + k / 2 : k;
  }
  /// Of the first `left`, at most all.
  static __mmask32 mask_of(std::int64_t left) {
    return left >= step ? ~__mmask32{0} : (__mmask32{1} << left) - 1;
  }
  /// 32 floats that stand as the elements do here, as those stand in memory.
  static void put_in_order(float* parts) {
    if constexpr (std::is_same_v<T, BFloat16>) {
      const __m512 even = _mm512_loadu_ps(parts), odd = _mm512_loadu_ps(parts + step / 2);
      const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
      const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
      _mm512_storeu_ps(parts, _mm512_permutex2var_ps(even, low, odd));
      _mm512_storeu_ps(parts + step / 2, _mm512_permutex2var_ps(even, high, odd));
    }
  }
};
#endif

/// Whether the rows of a are few, and those of b are dense.
inline bool meets_rows(const Matrix& a, const Matrix& b) {
  return is_few(a, b) && b.column_stride == 1;
}

/// A few rows of b at a time are brought to float and added to sums that stay in the first cache.
template <functors::Half T>
class ThinRows {
 public:
  ThinRows(const Matrix& a, const Matrix& b)
      : b_(b), vectors_(a.rows), depth_(a.columns), factors_(vectors_ * depth_, sizeof(float)) {
    for (std::int64_t i = 0; i < vectors_; ++i)
      for_each_of_row<T>(a, i, [to = factors_.as<float>() + i, this](std::int64_t k, float x) {
        to[k * vectors_] = x;
      });
  }

  void run(const ThinResult<T>& result) const {
    const double cost = static_cast<double>(b_.columns * vectors_ * depth_) * tuning::product_ns;
    for_each_part(b_.columns, width, cost, [&](std::int64_t first, std::int64_t last) {
      float sums[tuning::thin_side * width];
      Pace pace;
      for (std::int64_t j = first; j < last; j += width) {
        const std::int64_t count = smaller(width, last - j);
        pace.advance(count * depth_);
        add_rows(sums, j, count);
        for (std::int64_t i = 0; i < vectors_; ++i) result.put(i, j, sums + i * width, count);
      }
    });
  }

 private:
  static constexpr std::int64_t width = 512;

  /// The sums of `count` columns from column j on.
  void add_rows(float* sums, std::int64_t j, std::int64_t count) const {
    std::memset(sums, 0, sizeof(float) * static_cast<std::size_t>(vectors_ * width));
    const T* from = reinterpret_cast<const T*>(b_.data) + j;
    const float* factors = factors_.as<float>();
    constexpr std::int64_t most = 8;
    for (std::int64_t k = 0; k < depth_; k += most) {
      const std::int64_t rows = smaller(most, depth_ - k);
      add_some(sums, from, rows, factors, count, std::integral_constant<int, tuning::thin_side>{});
      from += rows * b_.row_stride;
      factors += rows * vectors_;
    }
#ifdef __AVX512F__
    for (std::int64_t i = 0; i < vectors_; ++i)
      for (std::int64_t l = 0; l < count; l += HalfParts<T>::step)
        HalfParts<T>::put_in_order(sums + i * width + l);
#endif
  }
  /// Some rows; with AVX-512 the sums stand as `HalfParts` has elements.
  template <int vectors>
  void add_some(float* sums, const T* from, std::int64_t rows, const float* factors,
                std::int64_t count, std::integral_constant<int, vectors>) const {
    if constexpr (vectors > 1)
      if (vectors_ < vectors)
        return add_some(sums, from, rows, factors, count,
                        std::integral_constant<int, vectors - 1>{});
#ifdef __AVX512F__
    constexpr std::int64_t step = HalfParts<T>::step, half = step / 2;
    for (std::int64_t l = 0; l < count; l += step) {
      const __mmask32 mask = HalfParts<T>::mask_of(count - l);
      __m512 total[vectors][2];
#pragma GCC unroll 7
      for (int i = 0; i < vectors; ++i) {
        total[i][0] = _mm512_loadu_ps(sums + i * width + l);
        total[i][1] = _mm512_loadu_ps(sums + i * width + l + half);
      }
      for (std::int64_t r = 0; r < rows; ++r) {
        const HalfParts<T> row(from + r * b_.row_stride + l, mask);
#pragma GCC unroll 7
        for (int i = 0; i < vectors; ++i) {
          const __m512 factor = _mm512_set1_ps(factors[r * vectors + i]);
          total[i][0] = _mm512_fmadd_ps(row.first, factor, total[i][0]);
          total[i][1] = _mm512_fmadd_ps(row.second, factor, total[i][1]);
        }
      }
#pragma GCC unroll 7
      for (int i = 0; i < vectors; ++i) {
        _mm512_storeu_ps(sums + i * width + l, total[i][0]);
        _mm512_storeu_ps(sums + i * width + l + half, total[i][1]);
      }
    }
#else
    float row[width];
    for (std::int64_t r = 0; r < rows; ++r) {
      widen(row, from + r * b_.row_stride, count);
      for (int i = 0; i < vectors; ++i) {
        float* const sum = sums + i * width;
        const float factor = factors[r * vectors + i];
#pragma GCC ivdep
        for (std::int64_t l = 0; l < count; ++l) sum[l] += factor * row[l];
      }
    }
#endif
  }

  Matrix b_;
  std::int64_t vectors_, depth_;
  Scratch factors_;  // of row after row of b, those of all vectors
};

/// Whether the rows of a are few, and the columns of b dense.
inline bool meets_lines(const Matrix& a, const Matrix& b) {
#ifdef __AVX512F__
  return is_few(a, b) && b.row_stride == 1;
#else
  (void)a, (void)b;
  return false;
#endif
}

#ifdef __AVX512F__

/// Columns of b, as lines, are brought to float in registers, each one's sums together.
template <functors::Half T>
class ThinLines {
 public:
  ThinLines(const Matrix& a, const Matrix& b)
      : b_(b),
        vectors_(a.rows),
        depth_(a.columns),
        line_(divided_up(depth_, step) * step),
        floats_(vectors_ * line_ * std::int64_t{sizeof(float)}) {
    for (std::int64_t i = 0; i < vectors_; ++i) spread(floats_.as<float>() + i * line_, a, i);
  }

  void run(const ThinResult<T>& result) const {
    const double cost = static_cast<double>(b_.columns * vectors_ * depth_) * tuning::product_ns;
    for_each_part(b_.columns, together, cost, [&](std::int64_t first, std::int64_t last) {
      Pace pace;
      float sums[tuning::thin_side * together];
      for (std::int64_t j = first; j < last; j += together) {
        const std::int64_t count = smaller(together, last - j);
        pace.advance(count * depth_);
        for (std::int64_t l = 0; l < count; l += most_lines)
          dot(j + l, smaller(most_lines, count - l), sums + l);
        for (std::int64_t i = 0; i < vectors_; ++i) result.put(i, j, sums + i * together, count);
      }
    });
  }

 private:
  static constexpr std::int64_t step = HalfParts<T>::step, half = step / 2;
  static constexpr std::int64_t most_lines = 4, together = 64;

  /// A vector's elements as `parts` has them, with 0 behind the last.
  void spread(float* to, const Matrix& a, std::int64_t row) const {
    std::memset(to, 0, static_cast<std::size_t>(line_) * sizeof(float));
    for_each_of_row<T>(a, row, [to](std::int64_t k, float x) {
      const std::int64_t in = k % step;
      to[k - in + HalfParts<T>::place_of(in)] = x;
    });
  }

  /// The sums of all vectors with some lines from line j on.
  void dot(std::int64_t j, std::int64_t lines, float* sums) const {
    std::int64_t i = 0;
    for (; i + 2 <= vectors_; i += 2) dot_some<2>(j, lines, i, sums);
    if (i < vectors_) dot_some<1>(j, lines, i, sums);
  }
  /// The sums of the lanes of four lines.
  static __m128 sums_of(const __m512 (&lines)[most_lines][2]) {
    static_assert(most_lines == 4);
    const auto whole = [&](int l) { return _mm512_add_ps(lines[l][0], lines[l][1]); };
    const auto by_twos = [](__m512 x, __m512 y) {
      return _mm512_add_ps(_mm512_unpacklo_ps(x, y), _mm512_unpackhi_ps(x, y));
    };
    const __m512d first = _mm512_castps_pd(by_twos(whole(0), whole(1)));
    const __m512d second = _mm512_castps_pd(by_twos(whole(2), whole(3)));
    const __m512 by_fours = _mm512_add_ps(_mm512_castpd_ps(_mm512_unpacklo_pd(first, second)),
                                          _mm512_castpd_ps(_mm512_unpackhi_pd(first, second)));
    const __m256 half =
        _mm256_add_ps(_mm512_castps512_ps256(by_fours), _mm512_extractf32x8_ps(by_fours, 1));
    return _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
  }
  template <int vectors>
  void dot_some(std::int64_t j, std::int64_t lines, std::int64_t first, float* sums) const {
    const T* from[most_lines];
    for (std::int64_t l = 0; l < most_lines; ++l)
      from[l] = reinterpret_cast<const T*>(b_.data) +
                (j + smaller(l, lines - 1)) * b_.column_stride;  // what is too much is not kept
    const float* const x = floats_.as<float>() + first * line_;
    __m512 totals[vectors][most_lines][2];
#pragma GCC unroll 4
    for (auto& of_vector : totals)
#pragma GCC unroll 4
      for (auto& total : of_vector) total[0] = total[1] = _mm512_setzero_ps();
    for (std::int64_t k = 0; k < line_; k += step) {
      const __mmask32 mask = HalfParts<T>::mask_of(depth_ - k);
#pragma GCC unroll 4
      for (int l = 0; l < most_lines; ++l) {
        const HalfParts<T> of_line(from[l] + k, mask);
#pragma GCC unroll 4
        for (int i = 0; i < vectors; ++i) {
          const float* const with = x + i * line_ + k;
          totals[i][l][0] = _mm512_fmadd_ps(of_line.first, _mm512_loadu_ps(with), totals[i][l][0]);
          totals[i][l][1] =
              _mm512_fmadd_ps(of_line.second, _mm512_loadu_ps(with + half), totals[i][l][1]);
        }
      }
    }
    for (int i = 0; i < vectors; ++i)
      _mm_storeu_ps(sums + (first + i) * together, sums_of(totals[i]));
  }

  Matrix b_;
  std::int64_t vectors_, depth_;
  std::int64_t line_;  // of a vector's floats
  Scratch floats_;
};

#endif

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
