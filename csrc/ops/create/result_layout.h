// In which order of dims a result lies in memory.
#pragma once

#include <initializer_list>
#include <span>

#include "csrc/tensor/tensor.h"

namespace garboard {

/// The strides of a result of `sizes`: those of the inputs of these sizes, where all of them fill
/// their memory in one order of dims, so that a kernel walks all of it as one line; else row-major.
/// What is broadcast has no say. Where inputs differ, one of them is walked across the other's
/// grain anyway, and row-major suits what comes next.
Dims common_strides(const Dims& sizes, std::span<const View* const> inputs);

/// Gives `fresh`, row-major and without values yet, these strides.
void lie_as(const Tensor& fresh, std::initializer_list<const View*> inputs);

}  // namespace garboard
