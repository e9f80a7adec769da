// A walk over several views of one shape: how element i of the shape is found in each of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <vector>

#include "csrc/core/view.h"
#include "kernels/cuda/launch/divider.h"

namespace garboard::kernels::cuda {

inline constexpr int max_operands = 4;

/// Whether all of `x` stands for one element. Only such a view may lie in the host's memory.
inline bool is_single(const View& x) {
  if (x.count == 1) return true;
  for (int d = 0; d < x.ndim(); ++d)
    if (x.sizes[d] != 1 && x.strides[d] != 0) return false;
  return true;
}

struct WalkDim {
  std::int64_t size;
  std::int64_t strides[max_operands];  // of each operand, in elements
};

/// The dims of a walk, innermost first: those of size 1 left out, sorted by the strides of the
/// first operand, and neighbours merged where all operands go on in one stride. Operand 0 is
/// usually the output, so that neighbouring threads write neighbouring elements.
struct Walk {
  int operands = 0;
  int dims = 0;
  WalkDim dim[max_dims];
  std::int64_t start[max_operands] = {};  // where element 0 lies, in elements from the view's data

  std::int64_t count() const {
    std::int64_t result = 1;
    for (int d = 0; d < dims; ++d) result *= dim[d].size;
    return result;
  }

  /// Puts a dim where it belongs.
  void insert(const WalkDim& added) {
    if (added.size == 1) return;
    int at = dims++;
    for (; at > 0 && is_inside(added, dim[at - 1]); --at) dim[at] = dim[at - 1];
    dim[at] = added;
  }

  void merge_neighbours() {
    int last = 0;
    for (int d = 1; d < dims; ++d) {
      if (continues(dim[last], dim[d])) {
        dim[last].size *= dim[d].size;
      } else {
        dim[++last] = dim[d];
      }
    }
    if (dims > 0) dims = last + 1;
  }

 private:
  /// The first operand that tells the dims apart decides.
  bool is_inside(const WalkDim& a, const WalkDim& b) const {
    for (int k = 0; k < operands; ++k) {
      const std::int64_t of_a = std::abs(a.strides[k]), of_b = std::abs(b.strides[k]);
      if (of_a != of_b && of_a != 0 && of_b != 0) return of_a < of_b;
    }
    return true;  // as they stood: the later dim of a view is the inner one
  }
  bool continues(const WalkDim& inner, const WalkDim& outer) const {
    for (int k = 0; k < operands; ++k)
      if (outer.strides[k] != inner.strides[k] * inner.size) return false;
    return true;
  }
};

/// The walk over `views`, which have the sizes of the first. A single element is walked by strides
/// of 0.
inline Walk walk_over(std::initializer_list<const View*> views) {
  Walk walk;
  walk.operands = static_cast<int>(views.size());
  const View& first = **views.begin();
  for (int d = 0; d < first.ndim(); ++d) {
    WalkDim dim{first.sizes[d], {}};
    int k = 0;
    for (const View* view : views) dim.strides[k++] = is_single(*view) ? 0 : view->strides[d];
    walk.insert(dim);
  }
  walk.merge_neighbours();
  return walk;
}

/// Walks of at most `most` elements that together are `walk`: a launch counts in 32 bits.
inline std::vector<Walk> parts_of(const Walk& walk, std::int64_t most) {
  std::vector<Walk> parts{walk};
  while (parts.front().count() > most) {  // all have the same dims: only their starts differ
    std::vector<Walk> smaller;
    for (const Walk& part : parts) {
      const WalkDim& outer = part.dim[part.dims - 1];
      const std::int64_t inside = part.count() / outer.size;
      const std::int64_t step = std::max<std::int64_t>(most / inside, 1);
      for (std::int64_t from = 0; from < outer.size; from += step) {
        Walk& added = smaller.emplace_back(part);
        const std::int64_t size = std::min(step, outer.size - from);
        for (int k = 0; k < walk.operands; ++k) added.start[k] += from * outer.strides[k];
        added.dim[added.dims - 1].size = size;
        if (size == 1) --added.dims;
      }
    }
    parts.swap(smaller);
  }
  return parts;
}

/// A walk as a kernel takes it.
template <int operands>
struct Places {
  struct Offsets {
    std::int64_t of[operands];  // in elements
  };

  std::uint32_t count;  // below 2^31
  int dims;
  Divider size[max_dims];
  std::int64_t strides[max_dims][operands];

  explicit Places(const Walk& walk)
      : count(static_cast<std::uint32_t>(walk.count())), dims(walk.dims) {
    for (int d = 0; d < dims && count > 0; ++d) {
      size[d] = Divider(static_cast<std::uint32_t>(walk.dim[d].size));
      for (int k = 0; k < operands; ++k) strides[d][k] = walk.dim[d].strides[k];
    }
  }

  /// Where element `i` lies.
  GARBOARD_HD Offsets at(std::uint32_t i) const {
    Offsets offsets{};
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
