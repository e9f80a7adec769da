// Rows of float32 in shared memory, and their products on tensor cores, which multiply numbers of
// 11 bits. Of a number they are given two such parts, and of a product of two numbers all but that
// of the small parts, which is less than what rounding would take from it. They do not round when
// they add, so they add up 16 products at a time; such sums are added in float32.
#pragma once

#include "kernels/cuda/launch/warp.h"
#include "kernels/cuda/sequences/attention_of_floats.h"
#include "kernels/cuda/sequences/half_tiles.h"
#include "kernels/functors/scalar_math.h"

namespace garboard::kernels::cuda {

struct alignas(16) FourFloats {
  float at[4];
};

/// Rows of `width` numbers, in chunks of 4. Chunks have changed places in a row, so that threads
/// which read a chunk each meet different banks, of two rows or of every second one of eight.
template <int width>
struct FloatTile {
  static constexpr int chunks = width / 4;
  static_assert(chunks % 8 == 0);

  float* data;

  static constexpr std::size_t bytes(int rows) { return sizeof(float) * width * rows; }

  __device__ __forceinline__ float* chunk(int row, int number) const {
    return data + row * width + (number ^ ((row & 6) ^ (row & 1) << 2)) * 4;
  }
  __device__ __forceinline__ const FourFloats& at(int row, int number) const {
    return *reinterpret_cast<const FourFloats*>(chunk(row, number));
  }

  /// The block begins to copy `rows` rows of `columns` numbers; what is past `from.count` or
  /// `columns` is 0. Unless `is_aligned`, it has copied them.
  template <int rows, bool is_aligned>
  __device__ __forceinline__ void copy(const TileRows<const float>& from, int columns) const {
    constexpr int rows_at_a_time = half_threads / chunks;
    static_assert(rows % rows_at_a_time == 0);
    const int t = static_cast<int>(threadIdx.x);
    const int first = t / chunks, number = t % chunks;
    const std::int64_t offset = first * from.stride + number * 4;
    const int count = from.count < rows ? static_cast<int>(from.count) : rows;
#pragma unroll
    for (int i = 0; i < rows; i += rows_at_a_time) {
      const bool is_there = first + i < count && number * 4 < columns;
      float* const to = chunk(first + i, number);
      const float* const source = from.data + i * from.stride + offset;
      if constexpr (is_aligned)
        copy_chunk(to, source, is_there);  // what is not there is not read
      else
        for (int j = 0; j < 4; ++j) to[j] = is_there && number * 4 + j < columns ? source[j] : 0;
    }
  }
};

inline constexpr int together_at_once = 4;  // fragments of what stands right

/// products = left right^T, of 16 rows of `left` from `own_row` on, and of 8 others of `right` from
/// `row` on. Both rows are multiples of 8. A thread reads chunks of a row: of step s its numbers 2s
/// and 2s + 1 stand for columns t and t + 4, on both sides.
template <int width, int others>
__device__ __forceinline__ void multiply_rows(float (&products)[1][others][4],
                                              const FloatTile<width>& left, int own_row,
                                              const FloatTile<width>& right, int row,
                                              const Lane& lane) {
  constexpr int group = others < together_at_once ? others : together_at_once;
#pragma unroll
  for (int number = 0; number < width / 4; number += 4) {
    TwoParts a[2][4];
    const FourFloats upper = left.at(own_row + lane.g, number + lane.t);
    const FourFloats lower = left.at(own_row + lane.g + 8, number + lane.t);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      a[i / 2][i % 2 * 2] = parts_of(upper.at[i]);
      a[i / 2][i % 2 * 2 + 1] = parts_of(lower.at[i]);
    }
#pragma unroll
    for (int first = 0; first < others; first += group) {
      TwoParts b[2][group][2];
#pragma unroll
      for (int n = 0; n < group; ++n) {
        const FourFloats four = right.at(row + (first + n) * 8 + lane.g, number + lane.t);
#pragma unroll
        for (int i = 0; i < 4; ++i) b[i / 2][n][i % 2] = parts_of(four.at[i]);
      }
      float sums[group][4] = {};
      multiply_add_parts(sums, a, b);
#pragma unroll
      for (int n = 0; n < group; ++n)
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          float& product = products[0][first + n][i];
          product = number == 0 ? sums[n][i] : product + sums[n][i];
        }
    }
  }
}

/// sums += factors right, of 8 others rows of `right` from `row` on. Of 8 factors of a row a thread
/// has (2t, 2t + 1), which stand for columns t and t + 4; of rows of `right` it reads chunks, whose
/// numbers belong to four fragments.
template <int width, int others>
__device__ __forceinline__ void add_products(float (&sums)[1][width / 8][4],
                                             const float (&factors)[1][others][4],
                                             const FloatTile<width>& right, int row,
                                             const Lane& lane) {
  static_assert(others % 2 == 0);
#pragma unroll
  for (int step = 0; step < others; step += 2) {
    TwoParts a[2][4];
#pragma unroll
    for (int s = 0; s < 2; ++s)
#pragma unroll
      for (int i = 0; i < 4; ++i) a[s][i] = parts_of(factors[0][step + s][i % 2 * 2 + i / 2]);
#pragma unroll
    for (int part = 0; part < width / 32; ++part) {
      TwoParts b[2][4][2];
#pragma unroll
      for (int s = 0; s < 2; ++s)
#pragma unroll
        for (int second = 0; second < 2; ++second) {
          const FourFloats four =
              right.at(row + (step + s) * 8 + lane.t * 2 + second, part * 8 + lane.g);
#pragma unroll
          for (int n = 0; n < 4; ++n) b[s][n][second] = parts_of(four.at[n]);
        }
      float all[4][4] = {};
      multiply_add_parts(all, a, b);
#pragma unroll
      for (int n = 0; n < 4; ++n)
#pragma unroll
        for (int i = 0; i < 4; ++i) sums[0][part * 4 + n][i] += all[n][i];
    }
  }
}

/// Writes rows of what `add_products` has summed, each times its factor, as far as they are there.
/// Tells of a thread's numbers whether one is not finite.
template <int width, bool is_aligned>
__device__ __forceinline__ bool store_rows(const TileRows<float>& to, int row, int columns,
                                           const float (&sums)[1][width / 8][4],
                                           const float (&factors)[2], const Lane& lane) {
  bool is_odd = false;
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const int at = row + lane.row(0, r * 2);
    const int left = at < to.count ? columns : 0;
    float* const data = to.row(at);
#pragma unroll
    for (int part = 0; part < width / 32; ++part)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int column = part * 32 + lane.t * 8 + half * 4;
        FourFloats four;
#pragma unroll
        for (int n = 0; n < 4; ++n) {
          four.at[n] = sums[0][part * 4 + n][r * 2 + half] * factors[r];
          is_odd |= column + n < left && !(functors::abs(four.at[n]) < functors::infinity<float>);
        }
        if constexpr (is_aligned) {
          if (column < left) *reinterpret_cast<FourFloats*>(data + column) = four;
        } else {
          for (int n = 0; n < 4; ++n)
            if (column + n < left) data[column + n] = four.at[n];
        }
      }
  }
  return is_odd;
}

/// All threads of the block take part.
__device__ __forceinline__ void note_doubt(const Doubts& doubts, std::int64_t tile, bool is_odd,
                                           const Lane& lane) {
  float odd = is_odd ? 1.0f : 0.0f;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) odd += exchanged(odd, step);
  if (lane.number == 0) doubts.words[tile * Doubts::of_tile + threadIdx.x / 32] = odd > 0;
}

}  // namespace garboard::kernels::cuda
