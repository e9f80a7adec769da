#include "csrc/ops/create/result_layout.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/tensor/grad_mode.h"

namespace garboard {
namespace {

/// Whether each element of one stretch of memory is met once, in whatever order of dims.
bool fills_memory(const View& view) {
  std::int64_t expected = 1;
  for (int i = 0; i < view.ndim(); ++i) {  // from the start once more, where a dim was found
    if (view.sizes[i] == 1 || view.strides[i] != expected) continue;
    expected *= view.sizes[i];
    i = -1;
  }
  return expected == view.count;
}

/// Whether all inputs lie in one way that a result can take, down to the strides of single places.
bool are_alike(const Dims& sizes, std::span<const View* const> inputs) {
  for (const View* input : inputs)
    if (input->sizes != sizes || input->strides != inputs.front()->strides) return false;
  return !inputs.empty() && fills_memory(*inputs.front());
}

/// 1 where dim `b` lies inside of dim `a`, -1 where outside, 0 where no input tells.
int compared(const Dims& sizes, std::span<const View* const> inputs, int a, int b) {
  for (const View* input : inputs) {
    if (input->count == 1) continue;
    const std::int64_t of_a = std::abs(input->strides[a]), of_b = std::abs(input->strides[b]);
    if (of_a == 0 || of_b == 0) continue;
    if (of_a != of_b) return of_a > of_b ? 1 : -1;
    if (sizes[a] > sizes[b]) return 1;
  }
  return 0;
}

/// The dim within which all others of more than one place lie; -1 where there is none.
int innermost(const Dims& sizes, const Dims& strides) {
  int inner = -1;
  for (int i = sizes.size() - 1; i >= 0; --i) {
    if (sizes[i] == 1 || strides[i] == 0) continue;
    if (inner < 0 || std::abs(strides[i]) < std::abs(strides[inner])) inner = i;
  }
  return inner;
}

}  // namespace

// Sorts as PyTorch does, by insertion: where no input tells two dims apart, what comes out depends
// on which pairs are compared.
Dims result_strides(const Dims& sizes, std::span<const View* const> inputs) {
  if (are_alike(sizes, inputs)) return inputs.front()->strides;
  const int ndim = sizes.size();
  int order[max_dims];  // the innermost dim first
  for (int i = 0; i < ndim; ++i) order[i] = ndim - 1 - i;
  for (int i = 1; i < ndim; ++i) {
    for (int at = i, inside = i - 1; inside >= 0; --inside) {
      const int told = compared(sizes, inputs, order[inside], order[at]);
      if (told < 0) break;
      if (told > 0) std::swap(order[std::exchange(at, inside)], order[inside]);
    }
  }
  Dims strides = sizes;
  std::int64_t stride = 1;
  for (int i = 0; i < ndim; ++i) {
    strides[order[i]] = stride;
    stride *= std::max<std::int64_t>(sizes[order[i]], 1);
  }
  return strides;
}

Dims outside_in(const Dims& strides) {
  Dims order;
  for (int i = 0; i < strides.size(); ++i) order.push_back(i);
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::int64_t dim) { return strides[static_cast<int>(dim)]; });
  return order;
}

bool lies_across(const View& view, const Dims& strides) {
  const int inner = innermost(view.sizes, strides);
  if (inner < 0 || view.strides[inner] == 0) return false;
  for (int i = 0; i < view.ndim(); ++i) {
    const bool moves = view.sizes[i] != 1 && view.strides[i] != 0;
    if (moves && std::abs(view.strides[i]) < std::abs(view.strides[inner])) return true;
  }
  return false;
}

Tensor laid_along(const Tensor& tensor, const Dims& strides) {
  const GradModeGuard no_grad(false);
  try {
    const Tensor copy = empty_of("clone", tensor.sizes(), tensor.dtype(), tensor.device());
    const int outer = strides.size() - tensor.ndim();
    const View like = make_view(nullptr, tensor.dtype(), tensor.sizes(),
                                Dims::of(strides.begin() + outer, tensor.ndim()));
    lie_as(copy, {&like});
    copy_into(copy, tensor);
    return copy;
  } catch (const OutOfMemoryError&) {
    return tensor;
  }
}

void lay_out_as(const Tensor& fresh, std::initializer_list<const View*> inputs) {
  const Dims sizes = fresh.sizes();
  fresh.body()->lay_out(sizes, result_strides(sizes, {inputs.begin(), inputs.size()}), 0);
}

void lie_as(const Tensor& fresh, const Tensor& input) {
  if (input.is_contiguous()) return;
  const View view = input.view();
  lie_as(fresh, {&view});
}

}  // namespace garboard
