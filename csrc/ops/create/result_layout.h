// In which order of dims a result lies in memory.
#pragma once

#include <initializer_list>
#include <span>

#include "csrc/tensor/tensor.h"

namespace garboard {

/// The strides of a dense result of `sizes`. Of two dims the first input that tells them apart by
/// its strides says which one lies inside, as in PyTorch; where none does, the later one. Inputs
/// are broadcast to `sizes`, or one element, which has no say; neither has what is broadcast along
/// one of the two.
Dims result_strides(const Dims& sizes, std::span<const View* const> inputs);

/// The dims by their strides, the outermost first: permuted so, what fills its memory is row-major.
Dims outside_in(const Dims& strides);

/// Whether of a result of these strides' order of dims, another dim than the innermost is the one
/// whose neighbours lie closest in `view`: walked beside the result, a line of the cache is fetched
/// for each element.
bool lies_across(const View& view, const Dims& strides);
/// A dense copy in the order of dims of a result of these strides, to which `tensor` broadcasts,
/// without history; itself where there is no memory for that.
Tensor laid_along(const Tensor& tensor, const Dims& strides);

/// Whether strides grow from the last dim to the first, which is all that row-major asks for.
inline bool goes_by_rows(const View& view) {
  std::int64_t inner = 0;
  for (int i = view.ndim() - 1; i >= 0; --i) {
    if (view.strides[i] == 0) continue;
    if (view.strides[i] <= inner) return false;
    inner = view.strides[i];
  }
  return true;
}

/// Lays `fresh` out, which is row-major and has the memory already, by `result_strides`.
void lay_out_as(const Tensor& fresh, std::initializer_list<const View*> inputs);
/// The same: at once where inputs say row-major, as usual.
inline void lie_as(const Tensor& fresh, std::initializer_list<const View*> inputs) {
  for (const View* input : inputs) {
    if (input->contiguous && fresh.has_sizes(input->sizes)) [[likely]]
      return;
    if (input->count != 1 && !goes_by_rows(*input)) return lay_out_as(fresh, inputs);
  }
}

/// As a copy of `input` lies: in the same way where that fills its memory, else densely, its dims
/// in the same order.
void lie_as(const Tensor& fresh, const Tensor& input);

}  // namespace garboard
