// Reductions: which dims go, and what kernel suits them. The order of a sum follows from sizes and
// strides alone, so results are the same in every run, on every GPU.
#pragma once

#include <bit>

#include "kernels/cuda/reduce/reduce_kernels.h"

namespace garboard::kernels::cuda {
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
  /// Whether the elements of a result stand one behind the other.
  bool has_dense_rows() const { return reduced.dims == 1 && reduced.inner().strides[0] == 1; }
  /// Whether results stand side by side, so that packs of `pack` never end within a row of them.
  bool has_dense_columns(int pack) const {
    return reduced.dims > 0 && kept.dims > 0 && kept.inner().strides[0] == 1 &&
           kept.inner().size % pack == 0;
  }
};

/// Whether all strides in x but those of 1 lead from one pack to another.
inline bool strides_suit(const LoopNest& nest, int pack) {
  for (int d = 0; d < nest.dims; ++d)
    if (nest.dim[d].strides[0] != 1 && nest.dim[d].strides[0] % pack != 0) return false;
  return true;
}

/// The results of one part of those that stay.
template <class Partial, int operands, class T, class Results>
void launch_reduction(const NestPart& kept, const ReduceNests& reduction, Stream stream, const T* x,
                      Results results) {
  constexpr int columns = columns_of<T>;
  const auto parts = parts_of(reduction.reduced, most_elements);
  const std::int64_t count = kept.count(), size = parts.front().count();
  auto kernel = reduce_elements<Partial, T, Results, operands>;
  const ReducePlan by_elements = plan_reduction(count, size, reduction.is_across());
  RowPlan plan{by_elements.lanes, by_elements.groups, by_elements.splits, 0};
  const bool by_columns = reduction.is_across() && reduction.has_dense_columns(columns);
  if (by_columns) {
    kernel = reduce_columns<Partial, T, Results, operands>;
    plan = plan_columns(count / columns, size);
  } else if (reduction.has_dense_rows()) {
    kernel = reduce_rows<Partial, T, Results, operands>;
    plan = plan_rows(count, size, pack_of<T, 8>);
  }
  const std::int64_t rows = plan.splits * static_cast<std::int64_t>(parts.size());
  const OffsetCalculator<operands> offsets(kept);
  std::int64_t first_place = 0;
  const auto run = [&](const NestPart& part, Partial* partials) {
    const T* const start = x + part.start[0];
    const bool is_aligned = suits_packs<T, columns>(start) && strides_suit(kept, columns) &&
                            strides_suit(part, columns);
    launch(kernel, {plan.blocks(), stream},
           ReduceTask<operands>{offsets, OffsetCalculator<1>(part), first_place, plan.lanes,
                                reduction.is_across(), static_cast<std::uint32_t>(plan.splits),
                                static_cast<std::uint32_t>(plan.portion), is_aligned},
           start, results, partials);
    first_place += part.count();
  };
  if (rows == 1) return run(parts[0], nullptr);
  const Scratch scratch(rows * count * sizeof(Partial), stream);
  auto* const partials = scratch.as<Partial>();
  auto* row = partials;
  for (const NestPart& part : parts) {
    run(part, row);
    row += plan.splits * count;
  }
  const bool is_across = count >= warp_threads;
  const int most = is_across ? threads / warp_threads : threads;
  const int lanes = static_cast<int>(
      std::bit_floor(static_cast<std::uint64_t>(std::min<std::int64_t>(rows, most))));
  launch(reduce_partials<Partial, Results, operands>, {divided_up(count, threads / lanes), stream},
         offsets, lanes, is_across, static_cast<std::uint32_t>(rows), results, partials);
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
