// In which order of dims a result lies in memory.
#pragma once

#include <initializer_list>
#include <span>

#include "csrc/tensor/tensor.h"

namespace garboard {

/// The input that a result of `sizes` lies as: one of these sizes, where all of them fill their
/// memory in one order of dims, so that a kernel walks all of it as one line; else null, for
/// row-major. What is broadcast has no say. Where inputs differ, one of them is walked across the
/// other's grain anyway, and row-major suits what comes next.
const View* shared_layout(const Dims& sizes, std::span<const View* const> inputs);

/// Whether another dim than the last of more than one place is the one whose neighbours lie
/// closest: read by rows, a line of the cache is fetched for each element.
bool is_turned(const View& view);
/// What lies turned in rows, without history; itself where there is no memory for that.
Tensor straightened(const Tensor& turned);

/// Lays `fresh` out, which is row-major and has no values yet, as `shared_layout` says.
void lay_out_as(const Tensor& fresh, std::initializer_list<const View*> inputs);
/// The same: at once where an input says row-major, as usual.
inline void lie_as(const Tensor& fresh, std::initializer_list<const View*> inputs) {
  for (const View* input : inputs) {
    if (input->contiguous && fresh.has_sizes(input->sizes)) [[likely]]
      return;
  }
  lay_out_as(fresh, inputs);
}

}  // namespace garboard
