// A float32 product as dot products: both operands are dense along the depth, and one has so few
// rows that packing it or the other would cost more than it saves.
#pragma once

#include <cstdint>
#include <utility>

#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/product/packed_product.h"
#include "kernels/cpu/product/product_tile.h"
#include "kernels/cpu/tuning.h"

#ifdef __AVX512F__
namespace garboard::kernels::GARBOARD_ISA {
namespace {

constexpr std::int64_t most_few = 12;
constexpr int lanes = lanes_of<float>;

/// Vectors x_i, which are few, and y_j: out[i * out_x + j * out_y] becomes x_i y_j, plus
/// bias[i * bias_x + j * bias_y].
struct Dots {
  const float *x, *y;
  std::int64_t x_stride, y_stride;  // from vector to vector
  std::int64_t depth;
  float* out;
  std::int64_t out_x, out_y;
  const float* bias;  // or null
  std::int64_t bias_x, bias_y;
  bool accumulate;
};

/// Each vector's sum; always in the same order, wherever it stands.
inline __m128 sums(__m512 a, __m512 b, __m512 c, __m512 d) {
  const __m512 ab = _mm512_add_ps(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
  const __m512 cd = _mm512_add_ps(_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
  const __m512 all =
      _mm512_add_ps(_mm512_shuffle_ps(ab, cd, 0x44), _mm512_shuffle_ps(ab, cd, 0xee));
  const __m256 half = _mm256_add_ps(_mm512_castps512_ps256(all), _mm512_extractf32x8_ps(all, 1));
  return _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
}

/// What was loaded, in a register: the compiler would load it again for each multiplication.
inline __m512 once(__m512 loaded) {
  asm("" : "+v"(loaded));
  return loaded;
}

/// One product alone: of eight sums, so that no addition waits for the one before.
inline float dot_alone(const float* x, const float* y, std::int64_t depth) {
  constexpr int apart = 8;
  __m512 sum[apart];
#pragma GCC unroll 8
  for (auto& part : sum) part = _mm512_setzero_ps();
  std::int64_t k = 0;
  for (const auto [first, last] : Pieces<>(depth / (apart * lanes))) {
    for (std::int64_t i = first; i < last; ++i, k += apart * lanes) {
#pragma GCC unroll 8
      for (int n = 0; n < apart; ++n)
        sum[n] = _mm512_fmadd_ps(_mm512_loadu_ps(x + k + n * lanes),
                                 _mm512_loadu_ps(y + k + n * lanes), sum[n]);
    }
  }
  for (int n = 0; k < depth; ++n, k += lanes) {
    const __mmask16 mask = depth - k < lanes ? first_lanes<float>(depth - k) : __mmask16(~0);
    sum[n] = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(mask, x + k), _mm512_maskz_loadu_ps(mask, y + k),
                             sum[n]);
  }
  float parts[4];
  _mm_storeu_ps(parts, sums(_mm512_add_ps(sum[0], sum[4]), _mm512_add_ps(sum[1], sum[5]),
                            _mm512_add_ps(sum[2], sum[6]), _mm512_add_ps(sum[3], sum[7])));
  return (parts[0] + parts[2]) + (parts[1] + parts[3]);
}

/// For `count` of y_j from `first` on.
template <int few, int count>
void multiply_dots(const Dots& p, std::int64_t first) {
  constexpr int all = few * count;
  __m512 sum[(all + 3) / 4 * 4];
#pragma GCC unroll 28
  for (auto& part : sum) part = _mm512_setzero_ps();
  const float* y[count];
#pragma GCC unroll 8
  for (int j = 0; j < count; ++j) y[j] = p.y + (first + j) * p.y_stride;
  const auto step = [&](std::int64_t k, auto load) __attribute__((always_inline)) {
    __m512 b[count];
#pragma GCC unroll 8
    for (int j = 0; j < count; ++j) b[j] = once(load(y[j] + k));
#pragma GCC unroll 12
    for (int i = 0; i < few; ++i) {
      const __m512 a = once(load(p.x + i * p.x_stride + k));
#pragma GCC unroll 8
      for (int j = 0; j < count; ++j)
        sum[i * count + j] = _mm512_fmadd_ps(a, b[j], sum[i * count + j]);
    }
  };
  std::int64_t k = 0;
  for (; k + lanes <= p.depth; k += lanes)
    step(k, [](const float* at) { return _mm512_loadu_ps(at); });
  if (k < p.depth) {
    const __mmask16 mask = first_lanes<float>(p.depth - k);
    step(k, [mask](const float* at) { return _mm512_maskz_loadu_ps(mask, at); });
  }
  float sums_of[(all + 3) / 4 * 4];
#pragma GCC unroll 7
  for (int n = 0; n < all; n += 4)
    _mm_storeu_ps(sums_of + n, sums(sum[n], sum[n + 1], sum[n + 2], sum[n + 3]));
  for (int i = 0; i < few; ++i) {
    for (int j = 0; j < count; ++j) {
      float* out = p.out + i * p.out_x + (first + j) * p.out_y;
      const float kept = p.accumulate ? *out : 0.0f;
      const float bias = p.bias ? p.bias[i * p.bias_x + (first + j) * p.bias_y] : 0.0f;
      *out = kept + bias + sums_of[i * count + j];
    }
  }
}

/// As many y_j at a time as there are registers for.
template <int few>
void multiply_all_dots(const Dots& p, std::int64_t first, std::int64_t last) {
  constexpr int count = few <= 2 ? 8 : few <= 6 ? 4 : few <= 8 ? 3 : 2;
  std::int64_t j = first;
  Pace pace;
  for (; j + count <= last; j += count) {
    pace.advance(p.depth);
    multiply_dots<few, count>(p, j);
  }
  for (; j < last; ++j) multiply_dots<few, 1>(p, j);
}

using DotsFunction = void (*)(const Dots&, std::int64_t, std::int64_t);

template <int... few>
DotsFunction dots_function(std::int64_t count, std::integer_sequence<int, few...>) {
  static constexpr DotsFunction of[] = {multiply_all_dots<few + 1>...};
  return of[count - 1];
}

bool suits_dots(const FloatProduct& p) {
  const std::int64_t few = smaller(p.rows, p.columns);
  return p.a.column_stride == 1 && p.b.row_stride == 1 && few <= most_few &&
         p.depth >= (few <= 6 ? 4 : 8) * lanes;
}

void multiply_by_dots(const FloatProduct& p) {
  if (p.rows == 1 && p.columns == 1) {
    const float dot = dot_alone(p.a.data, p.b.data, p.depth);
    *p.out = (p.accumulate ? *p.out : 0.0f) + (p.bias ? *p.bias : 0.0f) + dot;
    return;
  }
  const bool rows_are_few = p.rows <= p.columns;
  const std::int64_t few = smaller(p.rows, p.columns), many = larger(p.rows, p.columns);
  Dots dots{p.a.data,
            p.b.data,
            p.a.row_stride,
            p.b.column_stride,
            p.depth,
            p.out,
            p.out_stride,
            1,
            p.bias,
            0,
            1,
            p.accumulate};
  if (!rows_are_few) {
    std::swap(dots.x, dots.y);
    std::swap(dots.x_stride, dots.y_stride);
    std::swap(dots.out_x, dots.out_y);
    std::swap(dots.bias_x, dots.bias_y);
  }
  const DotsFunction run = dots_function(few, std::make_integer_sequence<int, most_few>{});
  // What counts is that the many are read, not what is multiplied.
  const double cost_ns = static_cast<double>(many) * static_cast<double>(p.depth) * tuning::dot_ns;
  // No longer than a piece: a dot product alone is cut by whoever asks for one so long.
  const double dot_ns = static_cast<double>(p.depth) * tuning::dot_ns + 1;
  const auto most = static_cast<std::int64_t>(machine().piece_ns / dot_ns) / 8 * 8;
  const std::int64_t part =
      smaller(divided_up(many, 2 * thread_count() * 8) * 8, larger(most, std::int64_t{8}));
  for_each_part(many, part, cost_ns,
                [&](std::int64_t first, std::int64_t last) { run(dots, first, last); });
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
#else
namespace garboard::kernels::GARBOARD_ISA {
namespace {

inline bool suits_dots(const FloatProduct&) { return false; }
inline void multiply_by_dots(const FloatProduct&) {}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
#endif
