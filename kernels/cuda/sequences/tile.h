// A tile of the product of two sets of rows, as a block's threads share it: each has a few rows of
// one set and a few of the other. Rows are read through the caches; nothing is asked of their
// length.
#pragma once

#include "kernels/cuda/launch/launch.h"

namespace garboard::kernels::cuda {

// Of a tile: own rows are those that a block has for itself, it meets the others tile by tile.
inline constexpr int own_rows = 32, other_rows = 64;
// Of a thread: rows of its warp, and those of the others that lie a warp apart.
inline constexpr int warps = threads / 32;
inline constexpr int thread_own = own_rows / warps, thread_others = other_rows / 32;
inline constexpr int staged = 32;         // columns that are in shared memory at a time
inline constexpr int wide_columns = 128;  // of a result that a block keeps in registers
inline constexpr int thread_columns = wide_columns / 32;

/// Some rows of a matrix with dense rows, from the first of a tile on.
template <class T>
struct TileRows {
  T* data;
  std::int64_t stride, count;

  GARBOARD_HD T* row(std::int64_t i) const { return data + i * stride; }
};

/// Products of a thread's rows: of row `own_of(i)` and row `other_of(j)`.
template <class T>
struct TileScores {
  T at[thread_own][thread_others];

  GARBOARD_HD static int own_of(int thread, int i) { return thread / 32 * thread_own + i; }
  GARBOARD_HD static int other_of(int thread, int j) { return thread % 32 + 32 * j; }
};

/// Memory of a block; one column more than needed, so that rows begin in different banks.
template <class T>
struct TileMemory {
  T own[own_rows][staged + 1], other[other_rows][staged + 1];
  T scores[own_rows][other_rows + 1];
};

/// own other^T over `depth` columns. All threads of the block take part; rows past the count are 0.
template <class T>
__device__ TileScores<T> multiply_tiles(TileMemory<T>& memory, const TileRows<const T>& own,
                                        const TileRows<const T>& other, std::int64_t depth) {
  const int t = static_cast<int>(threadIdx.x);
  TileScores<T> sums{};
  for (std::int64_t from = 0; from < depth; from += staged) {
    __syncthreads();
    const std::int64_t column = from + t % staged;
    for (int i = t / staged; i < own_rows; i += threads / staged)
      memory.own[i][t % staged] = i < own.count && column < depth ? own.row(i)[column] : T(0);
    for (int i = t / staged; i < other_rows; i += threads / staged)
      memory.other[i][t % staged] = i < other.count && column < depth ? other.row(i)[column] : T(0);
    __syncthreads();
    for (int k = 0; k < staged; ++k)
      for (int i = 0; i < thread_own; ++i)
        for (int j = 0; j < thread_others; ++j)
          sums.at[i][j] += memory.own[TileScores<T>::own_of(t, i)][k] *
                           memory.other[TileScores<T>::other_of(t, j)][k];
  }
  return sums;
}

/// Puts a thread's products where all can read them. All threads of the block take part.
template <class T>
__device__ void share_scores(TileMemory<T>& memory, const TileScores<T>& mine) {
  const int t = static_cast<int>(threadIdx.x);
  __syncthreads();
  for (int i = 0; i < thread_own; ++i)
    for (int j = 0; j < thread_others; ++j)
      memory.scores[TileScores<T>::own_of(t, i)][TileScores<T>::other_of(t, j)] = mine.at[i][j];
  __syncthreads();
}

/// A thread's part of own rows of a result: columns that lie a warp apart, from `first` on.
template <class T>
struct TileSums {
  T at[thread_own][thread_columns] = {};

  /// this += scores rows, of `columns` columns in all.
  __device__ void add(const TileMemory<T>& memory, const TileRows<const T>& rows,
                      std::int64_t first, std::int64_t columns) {
    const int t = static_cast<int>(threadIdx.x);
    for (int row = 0; row < other_rows && row < rows.count; ++row)
      for (int j = 0; j < thread_columns; ++j) {
        const std::int64_t column = first + t % 32 + 32 * j;
        if (column >= columns) continue;
        const T value = rows.row(row)[column];
        for (int i = 0; i < thread_own; ++i)
          at[i][j] += memory.scores[TileScores<T>::own_of(t, i)][row] * value;
      }
  }

  __device__ void store(const TileRows<T>& rows, std::int64_t first, std::int64_t columns) const {
    const int t = static_cast<int>(threadIdx.x);
    for (int i = 0; i < thread_own; ++i)
      for (int j = 0; j < thread_columns; ++j) {
        const std::int64_t column = first + t % 32 + 32 * j;
        const int row = TileScores<T>::own_of(t, i);
        if (row < rows.count && column < columns) rows.row(row)[column] = at[i][j];
      }
  }
};

}  // namespace garboard::kernels::cuda
