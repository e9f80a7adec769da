// Reductions: each thread takes every n-th element, a block's threads meet in a tree, and
// where several blocks share a result a second launch brings theirs together by the same tree. The
// order follows from sizes and strides alone, so results are the same in every run, on every GPU.
// Each element is read once.
#pragma once

#include <bit>

#include "kernels/cuda/launch/lanes.h"
#include "kernels/functors/element.h"

namespace garboard::kernels::cuda {

inline constexpr int loads_in_flight = 4;

/// `operands` are x, and what results are written to.
template <int operands>
struct ReduceTask {
  OffsetCalculator<operands> results;
  OffsetCalculator<1> elements;  // of one result, in x
  std::int64_t first_place;      // how many elements of it come before these
  int lanes;
  bool is_across;
  std::uint32_t splits;
};

/// A `Partial` begins as `none()`, will `take(element, place)` and `merge(partial)`. `results`
/// writes it; where there are `partials` it goes there: a row of them for each split.
template <class Partial, class T, class Results, int operands>
__global__ void reduce_elements(const __grid_constant__ ReduceTask<operands> task, const T* x,
                                Results results, Partial* partials) {
  __shared__ Partial shared[threads];
  const std::uint32_t split = blockIdx.x % task.splits;
  const Seat seat(static_cast<int>(threadIdx.x), blockIdx.x / task.splits, task.lanes,
                  task.is_across);
  auto mine = Partial::none();
  if (seat.result < task.results.count) {
    const std::int64_t start = task.results.at(seat.result).of[0];
    const auto* const memory = reinterpret_cast<const functors::InMemory<T>*>(x) + start;
    const auto read = [&](std::uint32_t i) {
      return functors::loaded<T>(memory[task.elements.at(i).of[0]]);
    };
    const std::uint32_t step = task.lanes * task.splits, count = task.elements.count;
    std::uint32_t i = split * task.lanes + seat.lane;
    for (; i + (loads_in_flight - 1) * step < count; i += loads_in_flight * step) {
      T ahead[loads_in_flight];
      for (int k = 0; k < loads_in_flight; ++k) ahead[k] = read(i + k * step);
      for (int k = 0; k < loads_in_flight; ++k)
        mine.take(ahead[k], task.first_place + i + k * step);
    }
    for (; i < count; i += step) mine.take(read(i), task.first_place + i);
  }
  const Partial all = meet(shared, mine, seat, task.lanes);
  if (seat.lane > 0 || seat.result >= task.results.count) return;
  if (partials)
    partials[std::int64_t{split} * task.results.count + seat.result] = all;
  else
    results.write(task.results.at(seat.result).of, all);
}

/// Brings `rows` rows of partials together.
template <class Partial, class Results, int operands>
__global__ void reduce_partials(const __grid_constant__ OffsetCalculator<operands> offsets,
                                int lanes, std::uint32_t rows, Results results,
                                const Partial* partials) {
  __shared__ Partial shared[threads];
  const Seat seat(static_cast<int>(threadIdx.x), blockIdx.x, lanes, false);
  auto mine = Partial::none();
  if (seat.result < offsets.count)
    for (std::uint32_t row = seat.lane; row < rows; row += lanes)
      mine.merge(partials[std::int64_t{row} * offsets.count + seat.result]);
  const Partial all = meet(shared, mine, seat, lanes);
  if (seat.lane == 0 && seat.result < offsets.count) results.write(offsets.at(seat.result).of, all);
}

namespace {

/// The dims that stay, walked in x and in the results, and those that go, walked in x.
struct ReduceNests {
  NestPart kept, reduced;

  /// `is_reduced(d)` tells which are which; of results without data strides are 0.
  template <int operands, class IsReduced>
  ReduceNests(const View* const (&views)[operands], IsReduced is_reduced) {
    kept.operands = operands;
    reduced.operands = 1;
    const View& x = *views[0];
    for (int d = 0; d < x.ndim(); ++d) {
      LoopDim dim{x.sizes[d], {}};
      for (int k = 0; k < operands; ++k) dim.strides[k] = views[k]->data ? views[k]->strides[d] : 0;
      (is_reduced(d) ? reduced : kept).insert(dim);
    }
    kept.coalesce();
    reduced.coalesce();
  }

  bool is_across() const {
    if (kept.dims == 0 || reduced.dims == 0) return kept.dims > 0;
    return size_of(kept.inner().strides[0]) <= size_of(reduced.inner().strides[0]);
  }
};

/// The results of one part of those that stay.
template <class Partial, int operands, class T, class Results>
void launch_reduction(const NestPart& kept, const ReduceNests& reduction, Stream stream, const T* x,
                      Results results) {
  const auto parts = parts_of(reduction.reduced, most_elements);
  const std::int64_t count = kept.count();
  const ReducePlan plan = plan_reduction(count, parts.front().count(), reduction.is_across());
  const std::int64_t rows = plan.splits * static_cast<std::int64_t>(parts.size());
  const OffsetCalculator<operands> offsets(kept);
  const Grid grid{plan.blocks(), stream};
  std::int64_t first_place = 0;
  const auto task = [&](const NestPart& part) {
    const std::int64_t first = first_place;
    first_place += part.count();
    return ReduceTask<operands>{offsets,        OffsetCalculator<1>(part),
                                first,          plan.lanes,
                                plan.is_across, static_cast<std::uint32_t>(plan.splits)};
  };
  const auto kernel = reduce_elements<Partial, T, Results, operands>;
  if (rows == 1) return launch(kernel, grid, task(parts[0]), x, results, nullptr);
  const Scratch scratch(rows * count * sizeof(Partial), stream);
  auto* const partials = scratch.as<Partial>();
  auto* row = partials;
  for (const NestPart& part : parts) {
    launch(kernel, grid, task(part), x + part.start[0], results, row);
    row += plan.splits * count;
  }
  const auto most = static_cast<std::uint64_t>(std::min<std::int64_t>(rows, threads));
  const int lanes = static_cast<int>(std::bit_floor(most));
  launch(reduce_partials<Partial, Results, operands>, {divided_up(count, threads / lanes), stream},
         offsets, lanes, static_cast<std::uint32_t>(rows), results, partials);
}

/// All results: `results.moved(starts)` are those of a part of them, `starts` as in its nest.
template <class Partial, int operands, class T, class Results>
void launch_reductions(const ReduceNests& reduction, Stream stream, const T* x, Results results) {
  if (reduction.kept.count() == 0) return;
  for (const NestPart& part : parts_of(reduction.kept, most_elements))
    launch_reduction<Partial, operands>(part, reduction, stream, x + part.start[0],
                                        results.moved(part.start));
}

}  // namespace

/// One result a slice.
template <class T>
struct SingleResult {
  T* data;

  template <class Partial>
  GARBOARD_HD void write(const std::int64_t* at, const Partial& all) const {
    data[at[1]] = static_cast<T>(all.result());
  }
  SingleResult moved(const std::int64_t* starts) const { return {data + starts[1]}; }
};

}  // namespace garboard::kernels::cuda
