// The loops of a kernel: a nest, and where each operand lies.
#pragma once

#include <cstdint>

#include "kernels/items.h"
#include "kernels/loop_nest.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

inline std::int64_t smaller(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
inline std::int64_t larger(std::int64_t a, std::int64_t b) { return a > b ? a : b; }

struct LoopOperand {
  char* data;
  int item;  // bytes
};

inline LoopOperand operand_of(const View& x) {
  return {x.as<char>(), static_cast<int>(item_size(x.dtype))};
}

struct LoopPlan : LoopNest {
  LoopOperand operand[max_operands];

  /// The part [first, last) of a dim, the outermost one by default.
  LoopPlan part(std::int64_t first, std::int64_t last, int d = 0) const {
    LoopPlan plan = *this;
    plan.dim[d].size = last - first;
    for (int k = 0; k < operands; ++k)
      plan.operand[k].data += first * dim[d].strides[k] * operand[k].item;
    return plan;
  }
};

/// Calls `visit(data)` for every place of all dims but the `inside` innermost ones; data[k] is
/// where operand k stands, counted from `start[k]`.
template <class Visit>
void for_each_place(const LoopPlan& plan, int inside, char* const* start, Visit visit) {
  char* data[max_operands];
  for (int k = 0; k < plan.operands; ++k) data[k] = start[k];
  std::int64_t at[max_dims] = {};
  const int outside = plan.dims - inside;
  for (;;) {
    visit(data);
    int d = outside - 1;
    for (; d >= 0; --d) {
      const LoopDim& dim = plan.dim[d];
      const bool is_over = ++at[d] == dim.size;
      const std::int64_t steps = is_over ? 1 - dim.size : 1;
      if (is_over) at[d] = 0;
      for (int k = 0; k < plan.operands; ++k)
        data[k] += dim.strides[k] * steps * plan.operand[k].item;
      if (!is_over) break;
    }
    if (d < 0) return;
  }
}

template <class Visit>
void for_each_place(const LoopPlan& plan, int inside, Visit visit) {
  char* start[max_operands];
  for (int k = 0; k < plan.operands; ++k) start[k] = plan.operand[k].data;
  for_each_place(plan, inside, start, visit);
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
