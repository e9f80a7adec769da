// Walks the slices along one dim, each brought together where it is not dense.
#pragma once

#include <algorithm>

#include "kernels/cpu/loop/loop.h"
#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/transpose.h"
#include "kernels/cpu/tuning.h"
#include "kernels/cpu/wide/wide_vector.h"
#include "kernels/loop_nest.h"

namespace garboard::kernels::GARBOARD_ISA {

/// A slice a view: `count` dense elements, or the one element of a view that has size 1 there.
/// A long one has interruption points.
using RowFunction = void (*)(void* const* data, std::int64_t count);

/// Slices side by side: element i of slice k lies at data[i * stride + k], in each view its stride.
using ColumnsFunction = void (*)(void* const* data, const std::int64_t* strides, std::int64_t count,
                                 std::int64_t slices);

/// Whether so many slices side by side are worked on as they lie, and how many at once.
inline bool are_columns(std::int64_t slices, std::int64_t count) {
  return slices >= tuning::least_columns && count <= tuning::longest_column;
}
inline std::int64_t columns_of(std::int64_t count) {
  constexpr std::int64_t least = 8 * tuning::least_columns;  // from fewer lines of the cache
  const std::int64_t fitting = tuning::column_elements / (count + 1) / least * least;
  return smaller(tuning::columns_at_once, fitting > least ? fitting : least);
}

struct RowLoop {
  RowFunction function;
  int views;
  int outputs;  // the first views are written, the others read
  /// For slices that are neighbours in all views, which need not be brought together then, and for
  /// short ones, which are turned around; of items of 4 or 8 bytes. Null: there is none. At most
  /// `tuning::columns_at_once` of them are given.
  ColumnsFunction columns = nullptr;
};

/// Calls the function once a slice along `dim`. The views share all sizes but that of `dim`, which
/// the last view has; a view without data is passed on as null. Each row is read and written once.
void for_each_row(const RowLoop& rows, const View* const* views, int dim);

/// Brings elements that lie `stride` apart together, or takes them there; a long row has
/// interruption points.
void gather_row(int item, void* to, const void* from, std::int64_t count, std::int64_t stride);
void scatter_row(int item, void* to, const void* from, std::int64_t count, std::int64_t stride);

// Rows of a few numbers, one behind the other, as the logits of ten classes: a vector holds more
// than such a row, and what is done once a row takes longer than the rest. They are turned around
// in memory that stays in the first cache, and then lie side by side, a lane each.

/// Whether so many rows of so many numbers are turned around: few rows fill few lanes.
inline bool are_turned(std::int64_t rows, std::int64_t count) {
  constexpr std::int64_t longest =
      vector_bytes == 64 ? tuning::longest_turned_wide : tuning::longest_turned;
  return count > 1 && rows >= tuning::least_turned &&
         count <= smaller(longest, tuning::least_turned * rows);
}

/// So many rows as whole vectors; what is added is zeros.
inline std::int64_t in_whole_lanes(std::int64_t rows) {
  constexpr std::int64_t lanes = tuning::least_columns;
  return divided_up(rows, lanes) * lanes;
}

/// Element i of row k goes to[i * columns + k], for `in_whole_lanes(rows)` of them.
template <class T>
inline void turn(T* to, std::int64_t columns, const T* from, std::int64_t stride, std::int64_t rows,
                 std::int64_t count) {
  using Item = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  transpose(reinterpret_cast<Item*>(to), columns, reinterpret_cast<const Item*>(from), stride, rows,
            count);
  const std::int64_t end = in_whole_lanes(rows);
  for (std::int64_t i = 0; rows < end && i < count; ++i)
    std::fill(to + i * columns + rows, to + i * columns + end, T(0));
}

/// The way back.
template <class T>
inline void turn_back(T* to, std::int64_t stride, const T* from, std::int64_t columns,
                      std::int64_t rows, std::int64_t count) {
  using Item = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  transpose(reinterpret_cast<Item*>(to), stride, reinterpret_cast<const Item*>(from), columns,
            count, rows);
}

}  // namespace garboard::kernels::GARBOARD_ISA
