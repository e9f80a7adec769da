// A tile of the product of two sets of rows, as a block's threads share it: each has a few rows of
// one set and a few of the other. Rows are read through the caches; nothing is asked of their
// length.
#pragma once

#include "kernels/cuda/launch/launch.h"
#include "kernels/cuda/launch/packs.h"

namespace garboard::kernels::cuda {

// Of a tile: own rows are those that a block has for itself, it meets the others tile by tile.
template <class T>
inline constexpr int own_rows = sizeof(T) == 4 ? 64 : 32;
inline constexpr int other_rows = 64;
// Of a thread: rows of its warp, and those of the others that lie a warp apart.
inline constexpr int warps = threads / 32;
template <class T>
inline constexpr int thread_own = own_rows<T> / warps;
inline constexpr int thread_others = other_rows / 32;
inline constexpr int staged = 32;         // columns that are in shared memory at a time
inline constexpr int wide_columns = 128;  // of a result that a block keeps in registers
inline constexpr int thread_columns = wide_columns / 32;
inline constexpr int together = 4;  // numbers of a row that a thread reads from there at once

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
  T at[thread_own<T>][thread_others];

  GARBOARD_HD static int own_of(int thread, int i) { return thread / 32 * thread_own<T> + i; }
  GARBOARD_HD static int other_of(int thread, int j) { return thread % 32 + 32 * j; }
};

template <class T>
using Numbers = ElementPack<T, together>;

/// Memory of a block. Rows are longer than needed by one read, so that those of neighbours begin in
/// different banks.
template <class T>
struct TileMemory {
  static constexpr int row_length = staged + together, scores_length = other_rows + together;

  alignas(sizeof(Numbers<T>)) T own[own_rows<T>][row_length];
  alignas(sizeof(Numbers<T>)) T other[other_rows][row_length];
  alignas(sizeof(Numbers<T>)) T scores[own_rows<T>][scores_length];

  GARBOARD_HD static const Numbers<T>& at(const T* numbers) {
    return *reinterpret_cast<const Numbers<T>*>(numbers);
  }
};

/// Puts `count` rows from column `from` on into shared memory; what lies outside is 0.
template <class T>
__device__ void stage(T (*to)[TileMemory<T>::row_length], int count, const TileRows<const T>& rows,
                      std::int64_t from, std::int64_t depth) {
  const int t = static_cast<int>(threadIdx.x);
  const std::int64_t column = from + t % staged;
  for (int i = t / staged; i < count; i += threads / staged)
    to[i][t % staged] = i < rows.count && column < depth ? rows.row(i)[column] : T(0);
}

/// own other^T over `depth` columns. All threads of the block take part; rows past the count are 0.
template <class T>
__device__ TileScores<T> multiply_tiles(TileMemory<T>& memory, const TileRows<const T>& own,
                                        const TileRows<const T>& other, std::int64_t depth) {
  const int t = static_cast<int>(threadIdx.x);
  TileScores<T> sums{};
  for (std::int64_t from = 0; from < depth; from += staged) {
    __syncthreads();
    stage(memory.own, own_rows<T>, own, from, depth);
    stage(memory.other, other_rows, other, from, depth);
    __syncthreads();
    for (int k = 0; k < staged; k += together) {
      Numbers<T> others[thread_others];
      for (int j = 0; j < thread_others; ++j)
        others[j] = memory.at(&memory.other[TileScores<T>::other_of(t, j)][k]);
      for (int i = 0; i < thread_own<T>; ++i) {
        const Numbers<T> mine = memory.at(&memory.own[TileScores<T>::own_of(t, i)][k]);
        for (int j = 0; j < thread_others; ++j)
          for (int n = 0; n < together; ++n) sums.at[i][j] += mine.item[n] * others[j].item[n];
      }
    }
  }
  return sums;
}

/// Puts a thread's products where all can read them. All threads of the block take part.
template <class T>
__device__ void share_scores(TileMemory<T>& memory, const TileScores<T>& mine) {
  const int t = static_cast<int>(threadIdx.x);
  __syncthreads();
  for (int i = 0; i < thread_own<T>; ++i)
    for (int j = 0; j < thread_others; ++j)
      memory.scores[TileScores<T>::own_of(t, i)][TileScores<T>::other_of(t, j)] = mine.at[i][j];
  __syncthreads();
}

/// A thread's part of own rows of a result: columns that lie a warp apart, from `first` on.
template <class T>
struct TileSums {
  T at[thread_own<T>][thread_columns] = {};

  /// this += scores rows, of `columns` columns in all.
  __device__ void add(const TileMemory<T>& memory, const TileRows<const T>& rows,
                      std::int64_t first, std::int64_t columns) {
    const int t = static_cast<int>(threadIdx.x);
    for (int row = 0; row < other_rows && row < rows.count; row += together) {
      T values[together][thread_columns];
      for (int n = 0; n < together; ++n)
        for (int j = 0; j < thread_columns; ++j) {
          const std::int64_t column = first + t % 32 + 32 * j;
          const bool is_there = row + n < rows.count && column < columns;
          values[n][j] = is_there ? rows.row(row + n)[column] : T(0);
        }
      for (int i = 0; i < thread_own<T>; ++i) {
        const Numbers<T> scores = memory.at(&memory.scores[TileScores<T>::own_of(t, i)][row]);
        for (int n = 0; n < together; ++n)
          for (int j = 0; j < thread_columns; ++j) at[i][j] += scores.item[n] * values[n][j];
      }
    }
  }

  __device__ void store(const TileRows<T>& rows, std::int64_t first, std::int64_t columns) const {
    const int t = static_cast<int>(threadIdx.x);
    for (int i = 0; i < thread_own<T>; ++i)
      for (int j = 0; j < thread_columns; ++j) {
        const std::int64_t column = first + t % 32 + 32 * j;
        const int row = TileScores<T>::own_of(t, i);
        if (row < rows.count && column < columns) rows.row(row)[column] = at[i][j];
      }
  }
};

}  // namespace garboard::kernels::cuda
