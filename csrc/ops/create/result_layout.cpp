#include "csrc/ops/create/result_layout.h"

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

Dims common_strides(const Dims& sizes, std::span<const View* const> inputs) {
  const View* like = nullptr;
  for (const View* input : inputs) {
    if (input->sizes != sizes || is_broadcast(*input)) continue;
    if (input->contiguous || (like && input->strides != like->strides))
      return contiguous_strides(sizes);
    like = input;
  }
  return like && fills_memory(*like) ? like->strides : contiguous_strides(sizes);
}

void lie_as(const Tensor& fresh, std::initializer_list<const View*> inputs) {
  const Dims sizes = fresh.sizes();
  fresh.body()->lay_out(sizes, common_strides(sizes, {inputs.begin(), inputs.size()}), 0);
}

}  // namespace garboard
