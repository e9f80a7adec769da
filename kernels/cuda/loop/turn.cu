// Tiles pass through shared memory: a warp reads neighbours in one view and writes neighbours in
// the other. Each element is read once and written once.
#include "kernels/cuda/loop/turn.h"

#include "kernels/cuda/launch/launch.h"
#include "kernels/items.h"

namespace garboard::kernels::cuda {
namespace {

template <class Item>
inline constexpr int side_of = sizeof(Item) <= 4 ? 64 : 32;

/// Strides and sizes of a tile's matrix.
struct Matrix {
  std::int64_t rows, columns, to_row, from_column;
  std::uint32_t row_tiles, column_tiles;
};

template <class Item>
__global__ void turn_tiles(const __grid_constant__ OffsetCalculator<2> matrices, Matrix matrix,
                           Item* to, const Item* from) {
  constexpr int side = side_of<Item>, at_once = threads / side, each = side / at_once;
  __shared__ Item tile[side][side + 1];  // columns begin in different banks
  const int lane = static_cast<int>(threadIdx.x) % side,
            line = static_cast<int>(threadIdx.x) / side;
  const std::uint32_t tiles = blockIdx.x / matrix.column_tiles;
  const std::int64_t first_column = std::int64_t{blockIdx.x - tiles * matrix.column_tiles} * side;
  const std::int64_t first_row = std::int64_t{tiles % matrix.row_tiles} * side;
  const auto start = matrices.at(tiles / matrix.row_tiles);
  Item mine[each];
  from += start.of[1] + first_row + first_column * matrix.from_column;
  for (int k = 0; k < each; ++k) {
    const int column = line + k * at_once;
    if (first_row + lane < matrix.rows && first_column + column < matrix.columns)
      mine[k] = from[lane + column * matrix.from_column];
  }
  for (int k = 0; k < each; ++k) tile[line + k * at_once][lane] = mine[k];
  __syncthreads();
  to += start.of[0] + first_row * matrix.to_row + first_column;
  for (int k = 0; k < each; ++k) {
    const int row = line + k * at_once;
    if (first_row + row < matrix.rows && first_column + lane < matrix.columns)
      to[row * matrix.to_row + lane] = tile[lane][row];
  }
}

template <class Item>
void launch_turn(const Turn& of, void* to, const void* from, Stream stream) {
  NestPart nest;
  nest.operands = 2;
  for (int d = 0; d < of.dims; ++d)
    nest.insert({of.sizes[d], {of.to_strides[d], of.from_strides[d]}});
  const std::int64_t row_tiles = divided_up(of.rows, side_of<Item>);
  const std::int64_t column_tiles = divided_up(of.columns, side_of<Item>);
  const Matrix matrix{of.rows,
                      of.columns,
                      of.to_row,
                      of.from_column,
                      static_cast<std::uint32_t>(row_tiles),
                      static_cast<std::uint32_t>(column_tiles)};
  launch(turn_tiles<Item>, {nest.count() * row_tiles * column_tiles, stream},
         OffsetCalculator<2>(nest), matrix, static_cast<Item*>(to), static_cast<const Item*>(from));
}

}  // namespace

void turn(const Turn& of, void* to, const void* from, std::size_t item, Stream stream) {
  visit_item(item, [&]<class Item>(Type<Item>) { launch_turn<Item>(of, to, from, stream); });
}

}  // namespace garboard::kernels::cuda
