// Rows of a few numbers, one behind the other, as the logits of ten classes: a vector holds more
// than such a row, and what is done once a row takes longer than the rest. They are turned around
// in memory that stays in the first cache, and then lie side by side, a lane each.
#pragma once

#include <algorithm>

#include "kernels/cpu/loop/loop.h"
#include "kernels/cpu/loop/transpose.h"
#include "kernels/cpu/tuning.h"
#include "kernels/cpu/wide/wide_vector.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

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
  return (rows + lanes - 1) / lanes * lanes;
}

/// Element i of row k goes to[i * columns + k], for `in_whole_lanes(rows)` of them.
template <class T>
void turn(T* to, std::int64_t columns, const T* from, std::int64_t stride, std::int64_t rows,
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
void turn_back(T* to, std::int64_t stride, const T* from, std::int64_t columns, std::int64_t rows,
               std::int64_t count) {
  using Item = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  transpose(reinterpret_cast<Item*>(to), stride, reinterpret_cast<const Item*>(from), columns,
            count, rows);
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
