// Copies of what lies across, by tiles that pass through shared memory.
#pragma once

#include "csrc/device/device.h"
#include "kernels/cuda/loop/across.h"

namespace garboard::kernels::cuda {

/// How a view lies beside a dense one.
struct Turn {
  int dims = 0;  // all but two
  std::int64_t sizes[max_dims], to_strides[max_dims], from_strides[max_dims];
  std::int64_t columns = 0, from_column = 0;  // the innermost; neighbours in `to`
  std::int64_t rows = 0, to_row = 0;          // neighbours in `from`
};

/// to = from, of elements of `item` bytes, fewer than 2^31.
void turn(const Turn& of, void* to, const void* from, std::size_t item, Stream stream);

namespace {

/// How the second operand of a nest lies beside the first, with its neighbours along `across`.
inline Turn turn_of(const NestPart& nest, int across) {
  Turn turn;
  for (int d = 0; d < nest.dims - 1; ++d) {
    if (d == across) continue;
    turn.sizes[turn.dims] = nest.dim[d].size;
    turn.to_strides[turn.dims] = nest.dim[d].strides[0];
    turn.from_strides[turn.dims++] = nest.dim[d].strides[1];
  }
  turn.columns = nest.inner().size;
  turn.from_column = nest.inner().strides[1];
  turn.rows = nest.dim[across].size;
  turn.to_row = nest.dim[across].strides[0];
  return turn;
}

}  // namespace
}  // namespace garboard::kernels::cuda
