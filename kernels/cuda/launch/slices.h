// The slices of several views along one dim, and the lanes that walk them.
#pragma once

#include "kernels/cuda/launch/lanes.h"

namespace garboard::kernels::cuda {

/// Slices as a kernel takes them: where each starts, and how it goes on.
template <int operands>
struct Slices {
  OffsetCalculator<operands> starts;
  std::int64_t size;  // elements of a slice of the last operand
  std::int64_t strides[operands];
  int lanes;  // threads that share a slice
  bool is_across;

  std::int64_t blocks() const { return divided_up(starts.count, threads / lanes); }
};

/// The slice of a thread, and which lane of it the thread is.
template <int operands>
struct Slice {
  Seat seat;
  std::int64_t size;  // 0 where there is no slice left for the thread
  std::int64_t start[operands] = {};
  int lanes;

  GARBOARD_HD Slice(const Slices<operands>& of, int thread, std::uint32_t block)
      : seat(thread, block, of.lanes, of.is_across), size(0), lanes(of.lanes) {
    if (seat.result >= of.starts.count) return;
    size = of.size;
    const auto at = of.starts.at(seat.result);
    for (int k = 0; k < operands; ++k) start[k] = at.of[k];
  }

  GARBOARD_HD bool is_first_lane() const { return size > 0 && seat.lane == 0; }
};

namespace {

/// The slices of `views` along `dim`: their other sizes are those of the last view. What has no
/// data has strides of 0.
template <int operands>
NestPart nest_of_slices(const View* const (&views)[operands], int dim) {
  NestPart nest;
  nest.operands = operands;
  const View& shape = *views[operands - 1];
  for (int d = 0; d < shape.ndim(); ++d) {
    if (d == dim) continue;
    LoopDim added{shape.sizes[d], {}};
    for (int k = 0; k < operands; ++k) added.strides[k] = views[k]->data ? views[k]->strides[d] : 0;
    nest.insert(added);
  }
  nest.coalesce();
  return nest;
}

/// Calls `run(slices, starts)` for parts of them that one launch can count: `starts[k]` is where
/// the part's first slice of view k lies, in elements from its data.
template <int operands, class Run>
void for_each_part_of_slices(const View* const (&views)[operands], int dim, Run run) {
  const View& shape = *views[operands - 1];
  if (shape.count == 0) return;
  const std::int64_t size = shape.ndim() ? shape.sizes[dim] : 1;
  const NestPart nest = nest_of_slices(views, dim);
  for (const NestPart& part : parts_of(nest, most_elements)) {
    const std::int64_t stride = shape.ndim() ? shape.strides[dim] : 1;
    const bool is_across =
        part.dims > 0 && size_of(part.inner().strides[operands - 1]) <= size_of(stride);
    const ReducePlan plan = plan_reduction(part.count(), size, is_across);
    Slices<operands> slices{OffsetCalculator<operands>(part), size, {}, plan.lanes, is_across};
    for (int k = 0; k < operands; ++k)
      slices.strides[k] = views[k]->data && shape.ndim() ? views[k]->strides[dim] : 0;
    run(slices, part.start);
  }
}

}  // namespace
}  // namespace garboard::kernels::cuda
