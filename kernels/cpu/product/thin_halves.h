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
  static constexpr std::int64_t width = 512, at_once = 4;

  /// The sums of `count` columns from column j on.
  void add_rows(float* sums, std::int64_t j, std::int64_t count) const {
    std::memset(sums, 0, sizeof(float) * static_cast<std::size_t>(vectors_ * width));
    float rows[at_once][width];
    const T* from = reinterpret_cast<const T*>(b_.data) + j;
    const float* factors = factors_.as<float>();
    std::int64_t k = 0;
    for (; k + at_once <= depth_; k += at_once) {
      for (float(&row)[width] : rows) {
        widen(row, from, count);
        from += b_.row_stride;
      }
      for (std::int64_t i = 0; i < vectors_; ++i) {
        float* const sum = sums + i * width;
        const float x0 = factors[i], x1 = factors[vectors_ + i], x2 = factors[2 * vectors_ + i],
                    x3 = factors[3 * vectors_ + i];
#pragma GCC ivdep
        for (std::int64_t l = 0; l < count; ++l)
          sum[l] += x0 * rows[0][l] + x1 * rows[1][l] + (x2 * rows[2][l] + x3 * rows[3][l]);
      }
      factors += at_once * vectors_;
    }
    for (; k < depth_; ++k, from += b_.row_stride, factors += vectors_) {
      widen(rows[0], from, count);
      for (std::int64_t i = 0; i < vectors_; ++i)
#pragma GCC ivdep
        for (std::int64_t l = 0; l < count; ++l) sums[i * width + l] += factors[i] * rows[0][l];
    }
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
    for_each_part(b_.columns, 64, cost, [&](std::int64_t first, std::int64_t last) {
      Pace pace;
      for (std::int64_t j = first; j < last; j += most_lines) {
        pace.advance(most_lines * depth_);
        const std::int64_t lines = smaller(most_lines, last - j);
        float sums[tuning::thin_side][most_lines];
        dot(j, lines, sums);
        for (std::int64_t i = 0; i < vectors_; ++i) result.put(i, j, sums[i], lines);
      }
    });
  }

 private:
  static constexpr std::int64_t step = 32, half = step / 2, most_lines = 4;

  struct Parts {
    __m512 first, second;
  };
  /// 32 elements; of bfloat16 those at even and at odd places.
  static Parts parts(const T* from, __mmask32 mask) {
    const __m512i both = _mm512_maskz_loadu_epi16(mask, from);
    if constexpr (std::is_same_v<T, BFloat16>)
      return {_mm512_castsi512_ps(_mm512_slli_epi32(both, 16)),
              _mm512_castsi512_ps(_mm512_and_si512(both, _mm512_set1_epi32(-65536)))};
    else
      return {_mm512_cvtph_ps(_mm512_castsi512_si256(both)),
              _mm512_cvtph_ps(_mm512_extracti64x4_epi64(both, 1))};
  }
  /// A vector's elements as `parts` has them, with 0 behind the last.
  void spread(float* to, const Matrix& a, std::int64_t row) const {
    std::memset(to, 0, static_cast<std::size_t>(line_) * sizeof(float));
    for_each_of_row<T>(a, row, [to](std::int64_t k, float x) {
      const std::int64_t in = k % step;
      const std::int64_t at = std::is_same_v<T, BFloat16> ? in % 2 * half + in / 2 : in;
      to[k - in + at] = x;
    });
  }

  /// The sums of all vectors with some lines from line j on.
  void dot(std::int64_t j, std::int64_t lines, float (&sums)[tuning::thin_side][most_lines]) const {
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
  void dot_some(std::int64_t j, std::int64_t lines, std::int64_t first,
                float (&sums)[tuning::thin_side][most_lines]) const {
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
      const std::int64_t left = depth_ - k;
      const auto mask = left >= step ? ~__mmask32{0} : (__mmask32{1} << left) - 1;
#pragma GCC unroll 4
      for (int l = 0; l < most_lines; ++l) {
        const Parts of_line = parts(from[l] + k, mask);
#pragma GCC unroll 4
        for (int i = 0; i < vectors; ++i) {
          const float* const with = x + i * line_ + k;
          totals[i][l][0] = _mm512_fmadd_ps(of_line.first, _mm512_loadu_ps(with), totals[i][l][0]);
          totals[i][l][1] =
              _mm512_fmadd_ps(of_line.second, _mm512_loadu_ps(with + half), totals[i][l][1]);
        }
      }
    }
    for (int i = 0; i < vectors; ++i) _mm_storeu_ps(sums[first + i], sums_of(totals[i]));
  }

  Matrix b_;
  std::int64_t vectors_, depth_;
  std::int64_t line_;  // of a vector's floats
  Scratch floats_;
};

#endif

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
