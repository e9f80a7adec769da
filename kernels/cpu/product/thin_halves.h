// A product of half types in which a few vectors meet many lines that lie dense along the depth, as
// where one token meets a layer's weight: each line is read once, from memory, and brought to float
// in registers.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/product/matmul.h"
#include "kernels/cpu/tuning.h"
#include "kernels/functors/element.h"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// Whether the columns of b are such lines, and the rows of a few.
inline bool meets_lines(const Matrix& a, const Matrix& b) {
#ifdef __AVX512F__
  return a.rows <= tuning::thin_side && b.row_stride == 1 && b.columns > a.rows && a.columns > 0;
#else
  (void)a, (void)b;
  return false;
#endif
}

#ifdef __AVX512F__

/// out = a b, + out where it accumulates, + bias where there is one: an element for each line, or
/// for each vector where those are columns of what is seen here turned around.
template <functors::Half T>
class ThinHalves {
 public:
  ThinHalves(const Matrix& out, const Matrix& a, const Matrix& b, bool accumulate)
      : out_(out),
        b_(b),
        vectors_(a.rows),
        depth_(a.columns),
        accumulate_(accumulate),
        line_(divided_up(depth_, step) * step),
        floats_(vectors_ * line_ * std::int64_t{sizeof(float)}) {
    for (std::int64_t i = 0; i < vectors_; ++i) spread(floats_.as<float>() + i * line_, a, i);
  }

  /// `bias` has an element for each line `by_line` apart, and for each vector `by_vector` apart.
  void run(const T* bias, std::int64_t by_vector, std::int64_t by_line) const {
    const double cost = static_cast<double>(b_.columns * vectors_ * depth_) * tuning::product_ns;
    for_each_part(b_.columns, 64, cost, [&](std::int64_t first, std::int64_t last) {
      Pace pace;
      for (std::int64_t j = first; j < last; j += most_lines) {
        pace.advance(most_lines * depth_);
        const std::int64_t lines = smaller(most_lines, last - j);
        float sums[tuning::thin_side][most_lines];
        dot(j, lines, sums);
        for (std::int64_t i = 0; i < vectors_; ++i)
          for (std::int64_t l = 0; l < lines; ++l) {
            T& to =
                reinterpret_cast<T*>(out_.data)[i * out_.row_stride + (j + l) * out_.column_stride];
            float sum = sums[i][l];
            if (accumulate_) sum += static_cast<float>(to);
            if (bias) sum += static_cast<float>(bias[i * by_vector + (j + l) * by_line]);
            to = T(sum);
          }
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
    const T* const from = reinterpret_cast<const T*>(a.data) + row * a.row_stride;
    std::memset(to, 0, static_cast<std::size_t>(line_) * sizeof(float));
    for (std::int64_t k = 0; k < depth_; ++k) {
      const std::int64_t in = k % step;
      const std::int64_t at = std::is_same_v<T, BFloat16> ? in % 2 * half + in / 2 : in;
      to[k - in + at] = static_cast<float>(from[k * a.column_stride]);
    }
  }

  /// The sums of all vectors with some lines from line j on.
  void dot(std::int64_t j, std::int64_t lines, float (&sums)[tuning::thin_side][most_lines]) const {
    std::int64_t i = 0;
    for (; i + 2 <= vectors_; i += 2) dot_some<2>(j, lines, i, sums);
    if (i < vectors_) dot_some<1>(j, lines, i, sums);
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
    for (int i = 0; i < vectors; ++i)
      for (int l = 0; l < most_lines; ++l)
        sums[first + i][l] = _mm512_reduce_add_ps(_mm512_add_ps(totals[i][l][0], totals[i][l][1]));
  }

  Matrix out_, b_;
  std::int64_t vectors_, depth_;
  bool accumulate_;
  std::int64_t line_;  // of a vector's floats
  Scratch floats_;
};

#endif

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
