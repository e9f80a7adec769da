// A walk over several views of one shape: its dims in an order that suits memory, runs of them
// merged.
#pragma once

#include <cstdint>

#include "csrc/core/view.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

inline constexpr int max_operands = 4;

inline std::int64_t smaller(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
inline std::int64_t larger(std::int64_t a, std::int64_t b) { return a > b ? a : b; }
inline std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
inline std::int64_t size_of(std::int64_t stride) { return stride < 0 ? -stride : stride; }

struct Dim {
  std::int64_t size;
  std::int64_t strides[max_operands];  // of each operand, in elements
};

struct Operand {
  char* data;
  int item;  // bytes
};

inline Operand operand_of(const View& x) {
  return {x.as<char>(), static_cast<int>(item_size(x.dtype))};
}

/// Plain arrays and no methods of core's classes: one of those, not inlined, would be compiled for
/// this instruction set and might be linked into code for another.
struct Plan {
  int operands = 0;
  int dims = 0;
  Dim dim[max_dims];  // the last is the innermost
  Operand operand[max_operands];

  Dim& inner() { return dim[dims - 1]; }
  const Dim& inner() const { return dim[dims - 1]; }

  /// Whether `a` belongs outside of `b`: the first operand that tells them apart decides.
  bool is_outer(const Dim& a, const Dim& b) const {
    for (int k = 0; k < operands; ++k) {
      const auto of_a = size_of(a.strides[k]), of_b = size_of(b.strides[k]);
      if (of_a != of_b && of_a != 0 && of_b != 0) return of_a > of_b;
    }
    return true;
  }

  /// Puts a dim where it belongs. Those of size 1 say nothing and are left out.
  void insert(const Dim& added) {
    if (added.size == 1) return;
    int at = dims++;
    for (; at > 0 && !is_outer(dim[at - 1], added); --at) dim[at] = dim[at - 1];
    dim[at] = added;
  }

  /// Merges neighbours that all operands walk in one stride.
  void coalesce() {
    int last = 0;
    for (int d = 1; d < dims; ++d) {
      bool continues = true;
      for (int k = 0; k < operands; ++k)
        continues &= dim[last].strides[k] == dim[d].strides[k] * dim[d].size;
      const std::int64_t size = continues ? dim[last].size * dim[d].size : dim[d].size;
      if (!continues) ++last;
      dim[last] = dim[d];
      dim[last].size = size;
    }
    if (dims > 0) dims = last + 1;
  }

  /// The part [first, last) of the outermost dim.
  Plan part(std::int64_t first, std::int64_t last) const {
    Plan plan = *this;
    plan.dim[0].size = last - first;
    for (int k = 0; k < operands; ++k)
      plan.operand[k].data += first * dim[0].strides[k] * operand[k].item;
    return plan;
  }

  /// Gives the plan at least `count` dims.
  void pad(int count) {
    for (; dims < count; ++dims) {
      for (int d = dims; d > 0; --d) dim[d] = dim[d - 1];
      dim[0] = {1, {}};
    }
  }
};

/// Calls `visit(data)` for every place of all dims but the `inside` innermost ones; data[k] is
/// where operand k stands, counted from `start[k]`.
template <class Visit>
void for_each_place(const Plan& plan, int inside, char* const* start, Visit visit) {
  char* data[max_operands];
  for (int k = 0; k < plan.operands; ++k) data[k] = start[k];
  std::int64_t at[max_dims] = {};
  const int outside = plan.dims - inside;
  for (;;) {
    visit(data);
    int d = outside - 1;
    for (; d >= 0; --d) {
      const Dim& dim = plan.dim[d];
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
void for_each_place(const Plan& plan, int inside, Visit visit) {
  char* start[max_operands];
  for (int k = 0; k < plan.operands; ++k) start[k] = plan.operand[k].data;
  for_each_place(plan, inside, start, visit);
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
