// A tile of a convolution, computed in registers: some out channels at two vectors of places. What
// their taps meet is read where it lies.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/transpose.h"
#include "kernels/cpu/product/packed_product.h"
#include "kernels/cpu/tuning.h"
#include "kernels/cpu/wide/wide_vector.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace garboard::kernels::GARBOARD_ISA {
namespace {

// Two registers hold what the taps meet, one a factor.
constexpr int most_tile_rows = has_many_registers ? 14 : 6;
/// Factors of as many rows follow each other.
constexpr std::int64_t strip_line = has_many_registers ? 16 : 8;

/// to[j * strip_line + i] = from[i * row_stride + j] for i < rows, j < depth.
template <class T>
void pack_lines(T* to, std::int64_t line, const T* from, std::int64_t row_stride, std::int64_t rows,
                std::int64_t depth) {
  if constexpr (sizeof(T) == 4) {
    if (line == PanelProduct::strip_line && has_panels())
      return pack_rows(reinterpret_cast<float*>(to),
                       {reinterpret_cast<const float*>(from), row_stride, 1}, rows, depth);
  }
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr std::int64_t side = square_side<Bits>;
  std::int64_t turned = 0;
  if constexpr (side > 0) {
    if (line == side) {
      Bits square[side * side] = {};  // with zeros for rows that are not there
      for (; turned + side <= depth; turned += side) {
        for (std::int64_t i = 0; i < rows; ++i)
          __builtin_memcpy(square + i * side, from + i * row_stride + turned, side * sizeof(T));
        transpose_square<side>(reinterpret_cast<Bits*>(to + turned * line), line, square, side);
      }
    }
  }
  constexpr std::int64_t block = 64;  // what is written stays in the first cache
  for (std::int64_t k = turned; k < depth; k += block)
    for (std::int64_t i = 0; i < line; ++i)
      for (std::int64_t j = k; j < smaller(k + block, depth); ++j)
        to[j * line + i] = i < rows ? from[i * row_stride + j] : T(0);
}

/// A vector over places of a box: from `at` on in the copies, of which some are places.
struct Spot {
  std::int64_t at, to;     // the first place, and where its result goes
  std::uint32_t kept = 0;  // lanes that are places
  std::int32_t count = 0;
  std::uint64_t order = 0;   // of at most eight lanes: those that are places, a byte each
  bool is_followed = false;  // results of later spots cover a whole vector from `to` on
};

template <class T>
struct DirectTile {
  const T* factors;             // a line for each tap of each channel
  const std::int64_t* offsets;  // of those taps, from a place
  std::int64_t depth;
  const T* met;
  T* out;
  std::int64_t out_stride;
  const T* bias;  // an element a row, or null
  bool accumulate;
};

/// Brings the lanes that are places, side by side, to out.
template <class T>
__attribute__((always_inline)) inline void keep(T* out, const typename WideVector<T>::Type& sum,
                                                const Spot& spot, bool accumulate) {
  using V = WideVector<T>;
  constexpr std::uint32_t all = static_cast<std::uint32_t>((std::uint64_t{1} << V::lanes) - 1);
  if (spot.kept == all) return V::store(out, accumulate ? V::load(out) + sum : sum);
#ifdef __AVX512F__
  if constexpr (sizeof(T) == 4) {
    __m512 y = _mm512_maskz_compress_ps(static_cast<__mmask16>(spot.kept), (__m512)sum);
    const auto mask = static_cast<__mmask16>((1u << spot.count) - 1);
    if (accumulate) y = _mm512_add_ps(y, _mm512_maskz_loadu_ps(mask, out));
    _mm512_mask_storeu_ps(out, mask, y);
    return;
  } else {
    __m512d y = _mm512_maskz_compress_pd(static_cast<__mmask8>(spot.kept), (__m512d)sum);
    const auto mask = static_cast<__mmask8>((1u << spot.count) - 1);
    if (accumulate) y = _mm512_add_pd(y, _mm512_maskz_loadu_pd(mask, out));
    _mm512_mask_storeu_pd(out, mask, y);
    return;
  }
#endif
#if defined(__AVX2__) && !defined(__AVX512F__)
  if constexpr (sizeof(T) == 4) {
    if (spot.is_followed) {  // lanes behind the last place are written again later
      const __m256i order =
          _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(spot.order)));
      __m256 y = _mm256_permutevar8x32_ps((__m256)sum, order);
      if (accumulate) {
        const __m256 before = _mm256_loadu_ps(out);
        const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        const __m256i is_place = _mm256_cmpgt_epi32(_mm256_set1_epi32(spot.count), lanes);
        y = _mm256_blendv_ps(before, _mm256_add_ps(before, y), _mm256_castsi256_ps(is_place));
      }
      return _mm256_storeu_ps(out, y);
    }
  }
#endif
  T lanes[V::lanes];
  V::store(lanes, sum);
  std::uint32_t kept = spot.kept;
  for (int i = 0; i < spot.count; ++i, kept &= kept - 1) {
    const T y = lanes[__builtin_ctz(kept)];
    out[i] = accumulate ? out[i] + y : y;
  }
}

template <class T, int rows, int vectors>
void convolve_tile(const DirectTile<T>& t, const Spot* spots) {
  using V = typename WideVector<T>::Type;
  V sum[rows][vectors];
#pragma GCC unroll 14
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) sum[i][v] = V{} + (t.bias ? t.bias[i] : T(0));
  const T* met[vectors];
#pragma GCC unroll 2
  for (int v = 0; v < vectors; ++v) met[v] = t.met + spots[v].at;
  const T* factors = t.factors;
  const std::int64_t* const end = t.offsets + t.depth;
#pragma GCC unroll 1
  for (const std::int64_t* offset = t.offsets; offset < end; ++offset, factors += strip_line) {
    __builtin_prefetch(factors + tuning::factors_ahead * strip_line);
    V x[vectors];
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) x[v] = WideVector<T>::load(met[v] + *offset);
#pragma GCC unroll 14
    for (int i = 0; i < rows; ++i)
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) sum[i][v] += factors[i] * x[v];
  }
  T* out = t.out;
#pragma GCC unroll 14
  for (int i = 0; i < rows; ++i, out += t.out_stride)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) keep<T>(out + spots[v].to, sum[i][v], spots[v], t.accumulate);
}

/// [rows - 1][vectors - 1]
template <class T>
struct DirectTiles {
  using Function = void (*)(const DirectTile<T>&, const Spot*);

  Function of[most_tile_rows][2];

  template <int rows>
  constexpr void fill() {
    of[rows - 1][0] = convolve_tile<T, rows, 1>;
    of[rows - 1][1] = convolve_tile<T, rows, 2>;
    if constexpr (rows > 1) fill<rows - 1>();
  }
};

template <class T>
constexpr DirectTiles<T> direct_tiles = [] {
  DirectTiles<T> tiles{};
  tiles.template fill<most_tile_rows>();
  return tiles;
}();

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
