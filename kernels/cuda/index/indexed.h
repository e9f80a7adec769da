// Places that an index names, and walks in row-major order.
#pragma once

#include "kernels/cuda/launch/faults.h"
#include "kernels/index_arguments.h"
#include "kernels/items.h"

namespace garboard::kernels::cuda {

/// The place along a dim that `given` counts to, or -1 where there is none, which is noted.
__device__ inline std::int64_t place_of(std::int64_t given, IndexedDim along, Fault* faults,
                                        const char* op) {
  const std::int64_t place = given < 0 ? given + along.wrap : given;
  if (place >= 0 && place < along.size) return place;
  note_fault(faults, op, given, along.size);
  return -1;
}

namespace {

/// The nest over `views` with the dims that `is_wanted(d)`, in row-major order. The last view has
/// the sizes.
template <int operands, class IsWanted>
NestPart nest_in_order(const View* const (&views)[operands], IsWanted is_wanted) {
  NestPart nest;
  nest.operands = operands;
  const View& shape = *views[operands - 1];
  for (int d = 0; d < shape.ndim(); ++d) {
    if (shape.sizes[d] == 1 || !is_wanted(d)) continue;
    LoopDim& dim = nest.dim[nest.dims++];
    dim = {shape.sizes[d], {}};
    for (int k = 0; k < operands; ++k) dim.strides[k] = views[k]->strides[d];
  }
  nest.coalesce();
  return nest;
}

}  // namespace
}  // namespace garboard::kernels::cuda
