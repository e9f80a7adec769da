// A walk over views of one shape in row-major order, by rows: elements that are written twice meet
// in that order, so no dim overtakes another.
#pragma once

#include "csrc/core/thread_pool.h"
#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/index_arguments.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// At least two dims: rows, and what is in a row.
inline LoopPlan plan_in_order(std::initializer_list<const View*> views) {
  LoopPlan plan;
  const View& first = **views.begin();
  for (const View* view : views) plan.operand[plan.operands++] = operand_of(*view);
  for (int d = 0; d < first.sizes.size(); ++d) {
    if (first.sizes.data()[d] == 1) continue;
    LoopDim& dim = plan.dim[plan.dims++];
    dim.size = first.sizes.data()[d];
    int k = 0;
    for (const View* view : views) dim.strides[k++] = view->strides.data()[d];
  }
  plan.coalesce();
  plan.pad(2);
  return plan;
}

inline std::int64_t count_of(const LoopPlan& plan) {
  std::int64_t count = 1;
  for (int d = 0; d < plan.dims; ++d) count *= plan.dim[d].size;
  return count;
}

inline int largest_dim(const LoopPlan& plan) {
  int largest = 0;
  for (int d = 1; d < plan.dims; ++d) {
    if (plan.dim[d].size > plan.dim[largest].size) largest = d;
  }
  return largest;
}

/// The part [first, last) of dim `d`.
inline LoopPlan part_of(const LoopPlan& whole, int d, std::int64_t first, std::int64_t last) {
  LoopPlan plan = whole;
  plan.dim[d].size = last - first;
  for (int k = 0; k < plan.operands; ++k)
    plan.operand[k].data += first * plan.dim[d].strides[k] * plan.operand[k].item;
  return plan;
}

/// Calls `run(part)` for parts of the plan cut along dim `d`, on several threads where that gains.
template <class Run>
void for_each_part_along(const LoopPlan& plan, int d, double cost_ns, Run run) {
  const std::int64_t slab = count_of(plan) / plan.dim[d].size;
  for_each_part(plan.dim[d].size, tuning::index_part / slab + 1, cost_ns,
                [&](std::int64_t first, std::int64_t last) { run(part_of(plan, d, first, last)); });
}

/// Counted from the end where it is below 0; beyond the dim where it is out of range.
__attribute__((always_inline)) inline std::uint64_t wrapped(std::int64_t given, std::int64_t wrap) {
  return static_cast<std::uint64_t>(given < 0 ? given + wrap : given);
}

/// The element that `index` counts to, read once.
__attribute__((always_inline)) inline std::uint64_t place_of(const std::int64_t* index,
                                                             std::int64_t wrap) {
  const std::int64_t given = __atomic_load_n(index, __ATOMIC_RELAXED);
  return wrapped(given, wrap);
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
