// The loops over several views of one shape, for any device: their dims in an order that suits
// memory, runs of them merged.
#pragma once

#include <cstdint>

#include "csrc/core/view.h"

namespace garboard::kernels {
// Internal, like all that is compiled once per instruction set: see kernels/cpu/README.md.
namespace {

inline constexpr int max_operands = 4;

inline constexpr std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
inline constexpr std::int64_t size_of(std::int64_t stride) { return stride < 0 ? -stride : stride; }

struct LoopDim {
  std::int64_t size;
  std::int64_t strides[max_operands];  // of each operand, in elements
};

/// Plain arrays and no methods of core's classes: one of those, not inlined, would be compiled for
/// one instruction set and might be linked into code for another.
struct LoopNest {
  int operands = 0;
  int dims = 0;
  LoopDim dim[max_dims];  // the last is the innermost

  LoopDim& inner() { return dim[dims - 1]; }
  const LoopDim& inner() const { return dim[dims - 1]; }

  std::int64_t count() const {
    std::int64_t result = 1;
    for (int d = 0; d < dims; ++d) result *= dim[d].size;
    return result;
  }

  /// Puts a dim where it belongs: sorted by the strides of the first operand, which is usually the
  /// output. Those of size 1 say nothing and are left out.
  void insert(const LoopDim& added) {
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

  /// Gives the nest at least `count` dims.
  void pad(int count) {
    for (; dims < count; ++dims) {
      for (int d = dims; d > 0; --d) dim[d] = dim[d - 1];
      dim[0] = {1, {}};
    }
  }

 private:
  /// Whether `a` belongs outside of `b`: the first operand that tells them apart decides.
  bool is_outer(const LoopDim& a, const LoopDim& b) const {
    for (int k = 0; k < operands; ++k) {
      const auto of_a = size_of(a.strides[k]), of_b = size_of(b.strides[k]);
      if (of_a != of_b && of_a != 0 && of_b != 0) return of_a > of_b;
    }
    return true;  // as they stood: the later dim of a view is the inner one
  }
};

}  // namespace
}  // namespace garboard::kernels
