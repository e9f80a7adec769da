// Block by block through registers. What rows or columns are too few for is turned in smaller
// squares.
#include "kernels/cpu/loop/transposed_copy.h"

#include <utility>

#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/transpose.h"
#include "kernels/cpu/tuning.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

constexpr std::int64_t tile_side = tuning::turned_tile_side;

#ifdef __AVX512F__
constexpr bool puts_lines_together = true;
#else
constexpr bool puts_lines_together = false;
#endif

/// How many elements a side of a block has. Of small items a square is a part of a line.
template <class Item>
inline constexpr int block_side = puts_lines_together && sizeof(Item) < 4
                                      ? int{tuning::line_bytes} / int{sizeof(Item)}
                                      : square_side<Item>;

/// to[j * to_stride + i] = from[i * from_stride + j] for i, j < block_side.
template <class Item>
void turn_block(Item* to, std::int64_t to_stride, const Item* from, std::int64_t from_stride) {
  constexpr int side = square_side<Item>, block = block_side<Item>;
  if constexpr (side == block) {
    transpose_square<side>(to, to_stride, from, from_stride);
  } else {
    alignas(64) Item lines[block * block];
    for (int i = 0; i < block; i += side)
      zip_squares<side, block / side>(lines + i, block, from + i * from_stride, from_stride);
    for (int j = 0; j < block; ++j)
      __builtin_memcpy(to + j * to_stride, lines + j * block, sizeof(Item) * block);
  }
}

/// The lines of a block, to the second cache.
template <class Item>
void fetch(const Item* to, std::int64_t to_stride, const Item* from, std::int64_t from_stride) {
  constexpr int to_second = 2;
  for (int k = 0; k < block_side<Item>; ++k) {
    __builtin_prefetch(from + k * from_stride, 0, to_second);
    __builtin_prefetch(to + k * to_stride, 1, to_second);
  }
}

/// to[j * to_stride + i] = from[i * from_stride + j] for i < rows, j < columns. With `fetches`, for
/// what comes from memory, along rows of `from`, whose lines are asked for before their turn;
/// else along rows of `to`, so that a line is filled soon after it is first written.
template <class Item>
void turn(Item* to, std::int64_t to_stride, const Item* from, std::int64_t from_stride,
          std::int64_t rows, std::int64_t columns, bool fetches) {
  constexpr int side = block_side<Item>;
  if (side == 0 || rows < side || columns < side) {
    constexpr std::int64_t strip = side == 0 ? tuning::line_bytes / sizeof(Item) : 512;
    for (std::int64_t i = 0; i < rows; i += strip)
      for (std::int64_t j = 0; j < columns; j += strip)
        transpose(to + j * to_stride + i, to_stride, from + i * from_stride + j, from_stride,
                  smaller(strip, rows - i), smaller(strip, columns - j));
  } else if constexpr (side > 0) {
    const std::int64_t whole_rows = rows - rows % side, whole_columns = columns - columns % side;
    const auto turn_at = [&](std::int64_t i, std::int64_t j) {
      turn_block(to + j * to_stride + i, to_stride, from + i * from_stride + j, from_stride);
    };
    for (std::int64_t i0 = 0; i0 < whole_rows; i0 += tile_side) {
      const std::int64_t last_row = smaller(i0 + tile_side, whole_rows);
      for (std::int64_t j0 = 0; j0 < whole_columns; j0 += tile_side) {
        const std::int64_t last_column = smaller(j0 + tile_side, whole_columns);
        if (fetches) {
          for (std::int64_t i = i0; i < last_row; i += side)
            for (std::int64_t j = j0; j < last_column; j += side) {
              const std::int64_t ahead = smaller(j + 2 * side, whole_columns - side);
              fetch(to + ahead * to_stride + i, to_stride, from + i * from_stride + ahead,
                    from_stride);
              turn_at(i, j);
            }
        } else {
          for (std::int64_t j = j0; j < last_column; j += side)
            for (std::int64_t i = i0; i < last_row; i += side) turn_at(i, j);
        }
      }
    }
    const std::int64_t beside = columns - whole_columns, below = rows - whole_rows;
    if (beside > 0)
      turn(to + whole_columns * to_stride, to_stride, from + whole_columns, from_stride, whole_rows,
           beside, fetches);
    if (below > 0)
      turn(to + whole_rows, to_stride, from + whole_rows * from_stride, from_stride, below, columns,
           fetches);
  }
}

/// The same with a change of dtype: a tile is turned, then its rows are converted.
template <class Item>
void convert_turned(Stretch convert, char* to, std::int64_t to_stride, int to_item,
                    const Item* from, std::int64_t from_stride, std::int64_t rows,
                    std::int64_t columns) {
  constexpr std::int64_t tile_rows = 256, tile_columns = 16;
  alignas(64) Item tile[tile_columns * tile_rows];
  for (std::int64_t i = 0; i < rows; i += tile_rows)
    for (std::int64_t j = 0; j < columns; j += tile_columns) {
      const std::int64_t some_rows = smaller(tile_rows, rows - i);
      const std::int64_t some_columns = smaller(tile_columns, columns - j);
      transpose(tile, some_rows, from + i * from_stride + j, from_stride, some_rows, some_columns);
      for (std::int64_t k = 0; k < some_columns; ++k) {
        const void* const row = tile + k * some_rows;
        convert(to + ((j + k) * to_stride + i) * to_item, &row, some_rows, 0);
      }
    }
}

/// Brings the dim along which x is dense beside the innermost one, along which `out` is. False if
/// there are no such two.
bool face_each_other(LoopPlan& plan) {
  if (plan.dims < 2 || plan.inner().strides[0] != 1 || plan.inner().strides[1] == 1) return false;
  if (plan.inner().strides[1] == 0 && plan.inner().size >= tuning::own_row) return false;  // a fill
  for (int d = plan.dims - 2; d >= 0; --d) {
    if (plan.dim[d].strides[1] != 1) continue;
    const LoopDim dense = plan.dim[d];
    for (int later = d; later < plan.dims - 2; ++later) plan.dim[later] = plan.dim[later + 1];
    plan.dim[plan.dims - 2] = dense;
    return true;
  }
  return false;
}

template <class Item>
bool copy_items(const View& out, const View& x, Stretch convert) {
  LoopPlan whole;
  whole.operands = 2;
  whole.operand[0] = operand_of(out);
  whole.operand[1] = operand_of(x);
  for (int d = 0, n = out.sizes.size(); d < n; ++d)
    whole.insert({out.sizes.data()[d], {out.strides.data()[d], x.strides.data()[d]}});
  whole.coalesce();
  if (!face_each_other(whole)) return false;
  // Of two dims alone the longer one is shared among threads.
  LoopDim &down = whole.dim[whole.dims - 2], &across = whole.dim[whole.dims - 1];
  const bool is_swapped = whole.dims == 2 && across.size > down.size;
  if (is_swapped) std::swap(down, across);
  const std::int64_t inside = out.count / whole.dim[0].size;
  constexpr std::int64_t part_elements = tuning::turned_part;
  const std::int64_t bytes = out.count * std::int64_t{sizeof(Item)};
  const bool fetches = bytes >= 4 * machine().second_cache_bytes;
  for_each_part(whole.dim[0].size, divided_up(part_elements / inside + 1, tile_side) * tile_side,
                static_cast<double>(bytes) * tuning::turned_byte_ns,
                [&](std::int64_t first, std::int64_t last) {
                  const LoopPlan plan = whole.part(first, last);
                  const LoopDim& rows = plan.dim[plan.dims - (is_swapped ? 2 : 1)];
                  const LoopDim& columns = plan.dim[plan.dims - (is_swapped ? 1 : 2)];
                  // Of long rows and of many columns some at a time.
                  const std::int64_t together = smaller(rows.size, long_row / tile_side);
                  for_each_place(plan, 2, [&](char* const* data) {
                    const auto from = reinterpret_cast<const Item*>(data[1]);
                    const int item = plan.operand[0].item;
                    for (const auto [i, last_i] : Pieces<>(rows.size, tile_side))
                      for (const auto [j, last_j] : Pieces<>(columns.size, together)) {
                        char* const to = data[0] + (j * columns.strides[0] + i) * item;
                        const Item* const some = from + i * rows.strides[1] + j;
                        if (convert)
                          convert_turned(convert, to, columns.strides[0], item, some,
                                         rows.strides[1], last_i - i, last_j - j);
                        else
                          turn(reinterpret_cast<Item*>(to), columns.strides[0], some,
                               rows.strides[1], last_i - i, last_j - j, fetches);
                      }
                  });
                });
  return true;
}

}  // namespace

bool copy_transposed(const View& out, const View& x, Stretch convert) {
  if (out.count < tuning::turned_least || x.count != out.count) return false;
  return visit_item(item_size(x.dtype),
                    [&]<class Item>(Type<Item>) { return copy_items<Item>(out, x, convert); });
}

}  // namespace garboard::kernels::GARBOARD_ISA
