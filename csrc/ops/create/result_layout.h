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

/// Lays `fresh` out, which is row-major and has no values yet, as its inputs share it.
void lie_as(const Tensor& fresh, std::initializer_list<const View*> inputs);

}  // namespace garboard
