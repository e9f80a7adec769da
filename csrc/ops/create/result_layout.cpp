#include "csrc/ops/create/result_layout.h"

#include <cstdlib>

#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
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

bool is_broadcast(const View& view) {
  for (int i = 0; i < view.ndim(); ++i) {
    if (view.strides[i] == 0 && view.sizes[i] != 1) return true;
  }
  return false;
}

}  // namespace

const View* shared_layout(const Dims& sizes, std::span<const View* const> inputs) {
  const View* like = nullptr;
  for (const View* input : inputs) {
    if (input->sizes != sizes) continue;
    if (input->contiguous) return nullptr;
    if (is_broadcast(*input)) continue;
    if (like && input->strides != like->strides) return nullptr;
    like = input;
  }
  return like && fills_memory(*like) ? like : nullptr;
}

bool is_turned(const View& view) {
  int last = view.ndim() - 1;
  while (last > 0 && view.sizes[last] == 1) --last;
  for (int i = 0; i < last; ++i) {
    const bool moves = view.sizes[i] != 1 && view.strides[i] != 0 && view.strides[last] != 0;
    if (moves && std::abs(view.strides[i]) < std::abs(view.strides[last])) return true;
  }
  return false;
}

Tensor straightened(const Tensor& turned) {
  const GradModeGuard no_grad(false);
  try {
    return contiguous(turned);
  } catch (const OutOfMemoryError&) {
    return turned;
  }
}

void lay_out_as(const Tensor& fresh, std::initializer_list<const View*> inputs) {
  const View* const like = shared_layout(fresh.sizes(), {inputs.begin(), inputs.size()});
  if (like) fresh.body()->lay_out(like->sizes, like->strides, 0);
}

}  // namespace garboard
