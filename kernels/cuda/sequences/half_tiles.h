// Tiles of halves in shared memory, and what a warp makes of them on tensor cores.
#pragma once

#include "kernels/cuda/launch/warp.h"
#include "kernels/cuda/sequences/tile.h"

namespace garboard::kernels::cuda {

inline constexpr int half_threads = 128;  // of a block
inline constexpr int half_warps = half_threads / 32;

/// What is copied at a time.
struct alignas(16) Chunk {
  std::uint32_t words[4];
};

/// Rows of `width` halves, in chunks of 8. Of 8 rows that follow each other the chunks of one
/// number lie in different banks, for they have changed places.
template <class T, int width>
struct HalfTile {
  static constexpr int chunks = width / 8;
  static_assert(chunks % 4 == 0);

  T* data;

  static constexpr std::size_t bytes(int rows) { return sizeof(T) * width * rows; }

  static __device__ __forceinline__ int turned(int row, int number) {
    return number ^ (chunks % 8 == 0 ? row & 7 : row >> 1 & 3);
  }
  __device__ __forceinline__ T* chunk(int row, int number) const {
    return data + (row * chunks + turned(row, number)) * 8;
  }

  /// What `place` counts from: `row` is a multiple of 8, for then the turns are the same.
  __device__ __forceinline__ const std::byte* chunks_of(int row) const {
    return reinterpret_cast<const std::byte*>(data + row * width);
  }
  /// Where chunk 2 step + `second` of a row is; all but the step is a thread's own, and where rows
  /// are a power of 2 long, one operation brings it in.
  static __device__ __forceinline__ unsigned place(int row, int second, int step) {
    constexpr unsigned row_bytes = sizeof(T) * width;
    const unsigned mine = static_cast<unsigned>(turned(row, second)) * 16;
    const unsigned of_step = static_cast<unsigned>(step) * 32;
    if constexpr ((row_bytes & (row_bytes - 1)) == 0)
      return (static_cast<unsigned>(row) * row_bytes | mine) ^ of_step;
    else
      return static_cast<unsigned>(row) * row_bytes + (mine ^ of_step);
  }

  /// The block begins to copy `rows` rows of `columns` halves; what is past `from.count` or
  /// `columns` is 0. Unless `is_aligned`, it has copied them.
  template <int rows, bool is_aligned>
  __device__ __forceinline__ void copy(const TileRows<const T>& from, int columns) const {
    static_assert(half_threads % chunks == 0 && rows % (half_threads / chunks) == 0);
    constexpr int rows_at_a_time = half_threads / chunks;
    const int t = static_cast<int>(threadIdx.x);
    const int first = t / chunks, number = t % chunks;
    const std::int64_t offset = first * from.stride + number * 8;
    const int count = from.count < rows ? static_cast<int>(from.count) : rows;
#pragma unroll
    for (int i = 0; i < rows; i += rows_at_a_time) {
      const bool is_there = first + i < count && number * 8 < columns;
      T* const to = chunk(first + i, number);
      const T* const source = from.data + i * from.stride + offset;
      if constexpr (is_aligned)
        copy_chunk(to, source, is_there);  // what is not there is not read
      else
        for (int j = 0; j < 8; ++j) to[j] = is_there && number * 8 + j < columns ? source[j] : T(0);
    }
  }
};

/// Where a thread's elements of a product are, in 16 x 8 of it.
struct Lane {
  int number, g, t;

  __device__ __forceinline__ Lane()
      : number(static_cast<int>(threadIdx.x) % 32), g(number / 4), t(number % 4) {}
  /// The row of element `i` of fragment m; of what a row has in common, part m * 2 + i / 2.
  __device__ __forceinline__ int row(int m, int i) const { return m * 16 + g + i / 2 * 8; }
  __device__ __forceinline__ int column(int n, int i) const { return n * 8 + t * 2 + i % 2; }
};

/// Columns [16 step, + 16) of rows [row, + 16), as what stands left in a product. Here and below
/// `row` is a multiple of 8.
template <class T, int width>
__device__ __forceinline__ void load_left(std::uint32_t (&a)[4], const HalfTile<T, width>& tile,
                                          int row, int step, const Lane& lane) {
  load_matrices(a, tile.chunks_of(row) + tile.place(lane.number % 16, lane.number / 16, step));
}

/// The same columns of rows [row, + 8 others), which are the columns of what stands right.
template <class T, int width, int others>
__device__ __forceinline__ void load_right(std::uint32_t (&b)[others][2],
                                           const HalfTile<T, width>& tile, int row, int step,
                                           const Lane& lane) {
  const int in_two = lane.number / 16 * 8 + lane.number % 8;
#pragma unroll
  for (int n = 0; n < others; n += 2) {
    std::uint32_t four[4];
    load_matrices(four,
                  tile.chunks_of(row + n * 8) + tile.place(in_two, lane.number / 8 % 2, step));
    b[n][0] = four[0], b[n][1] = four[1], b[n + 1][0] = four[2], b[n + 1][1] = four[3];
  }
}

/// Columns [8 first, + 8 others) of rows [row, + 16), which are the rows of what stands right.
template <class T, int width, int others>
__device__ __forceinline__ void load_right_rows(std::uint32_t (&b)[others][2],
                                                const HalfTile<T, width>& tile, int row, int first,
                                                const Lane& lane) {
#pragma unroll
  for (int n = 0; n < others; n += 2) {
    std::uint32_t four[4];
    load_transposed(four, tile.chunks_of(row) +
                              tile.place(lane.number % 16, lane.number / 16, (first + n) / 2));
    b[n][0] = four[0], b[n][1] = four[1], b[n + 1][0] = four[2], b[n + 1][1] = four[3];
  }
}

inline constexpr int right_fragments = 4;  // that are in registers at a time

/// Some rows of a tile, 16 own of them: in registers, or read each time.
template <class T, int width, int own, bool is_kept>
struct LeftRows {
  HalfTile<T, width> tile;
  int row;
  std::uint32_t kept[is_kept ? width / 16 : 1][own][4];

  __device__ __forceinline__ LeftRows(const HalfTile<T, width>& tile, int row)
      : tile(tile), row(row) {}
  __device__ __forceinline__ void keep(const Lane& lane) {
    if constexpr (is_kept)
#pragma unroll
      for (int step = 0; step < width / 16; ++step)
#pragma unroll
        for (int m = 0; m < own; ++m) load_left(kept[step][m], tile, row + m * 16, step, lane);
  }
};

/// products = left right^T, of 8 others rows from `row` on.
template <class T, int width, int own, bool is_kept, int others>
__device__ __forceinline__ void multiply_rows(float (&products)[own][others][4],
                                              const LeftRows<T, width, own, is_kept>& left,
                                              const HalfTile<T, width>& right, int row,
                                              const Lane& lane) {
  constexpr int group = others < right_fragments ? others : right_fragments;
#pragma unroll
  for (int m = 0; m < own; ++m)
#pragma unroll
    for (int n = 0; n < others; ++n)
#pragma unroll
      for (int i = 0; i < 4; ++i) products[m][n][i] = 0;
#pragma unroll
  for (int step = 0; step < width / 16; ++step) {
    std::uint32_t a[own][4];
#pragma unroll
    for (int m = 0; m < own; ++m) {
      if constexpr (is_kept) {
#pragma unroll
        for (int i = 0; i < 4; ++i) a[m][i] = left.kept[step][m][i];
      } else {
        load_left(a[m], left.tile, left.row + m * 16, step, lane);
      }
    }
#pragma unroll
    for (int first = 0; first < others; first += group) {
      std::uint32_t b[group][2];
      load_right(b, right, row + first * 8, step, lane);
      multiply_add<T>(products, first, a, b);
    }
  }
}

/// sums += factors right, of 8 others rows of `right` from `row` on; factors are rounded to T.
template <class T, int width, int own, int others>
__device__ __forceinline__ void add_products(float (&sums)[own][width / 8][4],
                                             const float (&factors)[own][others][4],
                                             const HalfTile<T, width>& right, int row,
                                             const Lane& lane) {
#pragma unroll
  for (int step = 0; step < others / 2; ++step) {
    std::uint32_t a[own][4];
#pragma unroll
    for (int m = 0; m < own; ++m)
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float* const two = &factors[m][step * 2 + i / 2][i % 2 * 2];
        a[m][i] = rounded_pair<T>(two[0], two[1]);
      }
#pragma unroll
    for (int first = 0; first < width / 8; first += right_fragments) {
      std::uint32_t b[right_fragments][2];
      load_right_rows(b, right, row + step * 16, first, lane);
      multiply_add<T>(sums, first, a, b);
    }
  }
}

/// Rounds rows of sums, each times its factor, and writes those that are there.
template <class T, int own, int wide, bool is_aligned>
__device__ __forceinline__ void store_rows(const TileRows<T>& to, int row, int columns,
                                           const float (&sums)[own][wide][4],
                                           const float (&factors)[own * 2], const Lane& lane) {
#pragma unroll
  for (int r = 0; r < own * 2; ++r) {
    const int at = row + lane.row(r / 2, r % 2 * 2);
    const int left = at < to.count ? columns : 0;
    T* const data = to.row(at) + lane.column(0, 0);
#pragma unroll
    for (int n = 0; n < wide; ++n) {
      const float one = sums[r / 2][n][r % 2 * 2] * factors[r];
      const float other = sums[r / 2][n][r % 2 * 2 + 1] * factors[r];
      if constexpr (is_aligned) {
        if (n * 8 < left)
          *reinterpret_cast<std::uint32_t*>(data + n * 8) = rounded_pair<T>(one, other);
      } else {
        if (lane.column(n, 0) < left) data[n * 8] = T(one);
        if (lane.column(n, 1) < left) data[n * 8 + 1] = T(other);
      }
    }
  }
}

}  // namespace garboard::kernels::cuda
