// Square by square through registers, without a buffer: a store fills a line of the result, and
// while one square is turned the lines of the next but one are fetched, for the processor guesses
// no such walk. Both are read and written once.
#include "kernels/cpu/loop/transposed_copy.h"

#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/transpose.h"
#include "kernels/cpu/tuning.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

constexpr std::int64_t tile_side = tuning::turned_tile_side;

template <class Item>
void fetch(const Item* to, std::int64_t to_stride, const Item* from, std::int64_t from_stride) {
  for (int k = 0; k < square_side<Item>; ++k) {
    __builtin_prefetch(from + k * from_stride);
    __builtin_prefetch(to + k * to_stride, 1);
  }
}

struct SquareTile {
  std::int64_t row, column;  // its first ones
};

/// to[j * to_stride + i] = from[i * from_stride + j] for i < rows, j < columns.
template <class Item>
void turn(Item* to, std::int64_t to_stride, const Item* from, std::int64_t from_stride,
          std::int64_t rows, std::int64_t columns) {
  if constexpr (constexpr int side = square_side<Item>; side > 0) {
    const std::int64_t whole_rows = rows - rows % side, whole_columns = columns - columns % side;
    for (std::int64_t i0 = 0; i0 < whole_rows; i0 += tile_side) {
      for (std::int64_t j0 = 0; j0 < whole_columns; j0 += tile_side) {
        const std::int64_t last_row = smaller(i0 + tile_side, whole_rows);
        const std::int64_t last_column = smaller(j0 + tile_side, whole_columns);
        const auto after = [=](SquareTile at) {
          if (at.column + side < last_column) return SquareTile{at.row, at.column + side};
          if (at.row + side < last_row) return SquareTile{at.row + side, j0};
          return last_column < whole_columns ? SquareTile{i0, last_column}
                                             : SquareTile{last_row, 0};
        };
        for (std::int64_t i = i0; i < last_row; i += side) {
          for (std::int64_t j = j0; j < last_column; j += side) {
            const SquareTile ahead = after(after({i, j}));
            if (ahead.row < whole_rows)
              fetch(to + ahead.column * to_stride + ahead.row, to_stride,
                    from + ahead.row * from_stride + ahead.column, from_stride);
            transpose_square(to + j * to_stride + i, to_stride, from + i * from_stride + j,
                             from_stride);
          }
        }
      }
    }
    transpose(to + whole_columns * to_stride, to_stride, from + whole_columns, from_stride,
              whole_rows, columns - whole_columns);
    transpose(to + whole_rows, to_stride, from + whole_rows * from_stride, from_stride,
              rows - whole_rows, columns);
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
bool copy_items(const View& out, const View& x) {
  if constexpr (square_side<Item> == 0) return false;
  LoopPlan whole;
  whole.operands = 2;
  whole.operand[0] = operand_of(out);
  whole.operand[1] = operand_of(x);
  for (int d = 0, n = out.sizes.size(); d < n; ++d)
    whole.insert({out.sizes.data()[d], {out.strides.data()[d], x.strides.data()[d]}});
  whole.coalesce();
  if (!face_each_other(whole)) return false;
  if (whole.inner().size < tile_side / 2 || whole.dim[whole.dims - 2].size < tile_side / 2)
    return false;
  const std::int64_t inside = out.count / whole.dim[0].size;
  constexpr std::int64_t part_elements = tuning::turned_part;
  for_each_part(
      whole.dim[0].size, divided_up(part_elements / inside + 1, tile_side) * tile_side,
      static_cast<double>(out.count * std::int64_t{sizeof(Item)}) * tuning::turned_byte_ns,
      [&](std::int64_t first, std::int64_t last) {
        const LoopPlan plan = whole.part(first, last);
        const LoopDim& across = plan.inner();
        const LoopDim& down = plan.dim[plan.dims - 2];
        // Of long rows and of many columns some at a time.
        const std::int64_t columns = smaller(across.size, long_row / tile_side);
        for_each_place(plan, 2, [&](char* const* data) {
          const auto to = reinterpret_cast<Item*>(data[0]);
          const auto from = reinterpret_cast<const Item*>(data[1]);
          for (const auto [c, last_c] : Pieces<>(across.size, tile_side))
            for (const auto [r, last_r] : Pieces<>(down.size, columns))
              turn(to + r * down.strides[0] + c, down.strides[0], from + c * across.strides[1] + r,
                   across.strides[1], last_c - c, last_r - r);
        });
      });
  return true;
}

}  // namespace

bool copy_transposed(const View& out, const View& x) {
  if (out.count < tuning::turned_least) return false;
  return visit_item(item_size(out.dtype),
                    [&]<class Item>(Type<Item>) { return copy_items<Item>(out, x); });
}

}  // namespace garboard::kernels::GARBOARD_ISA
