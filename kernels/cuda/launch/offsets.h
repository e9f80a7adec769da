// How element i of a shape is found in each of several views of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "csrc/core/view.h"
#include "kernels/cuda/launch/divider.h"
#include "kernels/loop_nest.h"

namespace garboard::kernels::cuda {

/// Whether all of `x` stands for one element. Only such a view may lie in the host's memory.
inline bool is_single(const View& x) {
  if (x.count == 1) return true;
  for (int d = 0; d < x.ndim(); ++d)
    if (x.sizes[d] != 1 && x.strides[d] != 0) return false;
  return true;
}

namespace {

/// A nest, or a part of one. Neighbouring threads take neighbouring elements of its inner dim.
struct NestPart : LoopNest {
  std::int64_t start[max_operands] = {};  // where element 0 lies, in elements from the view's data
};

/// The nest over `views`, which have the sizes of the first. A single element has strides of 0.
inline NestPart nest_over(std::initializer_list<const View*> views) {
  NestPart nest;
  nest.operands = static_cast<int>(views.size());
  const View& first = **views.begin();
  for (int d = 0; d < first.ndim(); ++d) {
    LoopDim dim{first.sizes[d], {}};
    int k = 0;
    for (const View* view : views) dim.strides[k++] = is_single(*view) ? 0 : view->strides[d];
    nest.insert(dim);
  }
  nest.coalesce();
  return nest;
}

/// Parts of at most `most` elements that together are `nest`: a launch counts in 32 bits.
inline std::vector<NestPart> parts_of(const NestPart& nest, std::int64_t most) {
  std::vector<NestPart> parts{nest};
  while (parts.front().count() > most) {  // all have the same dims: only their starts differ
    std::vector<NestPart> smaller;
    for (const NestPart& part : parts) {
      const LoopDim& outer = part.dim[0];
      const std::int64_t inside = part.count() / outer.size;
      const std::int64_t step = std::max<std::int64_t>(most / inside, 1);
      for (std::int64_t from = 0; from < outer.size; from += step) {
        NestPart& added = smaller.emplace_back(part);
        const std::int64_t size = std::min(step, outer.size - from);
        for (int k = 0; k < nest.operands; ++k) added.start[k] += from * outer.strides[k];
        added.dim[0].size = size;
        if (size == 1) std::copy(added.dim + 1, added.dim + added.dims--, added.dim);
      }
    }
    parts.swap(smaller);
  }
  return parts;
}

}  // namespace

/// A nest as a kernel takes it.
template <int operands>
struct OffsetCalculator {
  struct Offsets {
    std::int64_t of[operands];  // in elements
  };

  std::uint32_t count;  // below 2^31
  int dims;
  Divider size[max_dims];  // the innermost first
  std::int64_t strides[max_dims][operands];

  explicit OffsetCalculator(const NestPart& nest)
      : count(static_cast<std::uint32_t>(nest.count())), dims(nest.dims) {
    for (int d = 0; d < dims; ++d) {
      const LoopDim& dim = nest.dim[dims - 1 - d];
      size[d] = Divider(std::max(static_cast<std::uint32_t>(dim.size), 1U));
      for (int k = 0; k < operands; ++k) strides[d][k] = dim.strides[k];
    }
  }

  /// Where element `i` lies.
  GARBOARD_HD Offsets at(std::uint32_t i) const {
    Offsets offsets{};
#pragma unroll 1  // most have one dim or two
    for (int d = 0; d < dims; ++d) {
      const bool is_last = d == dims - 1;
      const std::uint32_t rest = is_last ? 0 : size[d].quotient(i);
      const std::uint32_t index = i - rest * size[d].divisor();
      for (int k = 0; k < operands; ++k) offsets.of[k] += index * strides[d][k];
      i = rest;
    }
    return offsets;
  }
};

}  // namespace garboard::kernels::cuda
