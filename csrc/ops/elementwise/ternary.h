// Elementwise ops of three operands.
#pragma once

#include <array>

#include "csrc/ops/op/op.h"

namespace garboard {

namespace gradients {
Grads where(const Backward&);
Grads retain(const Backward&);
Grads clamp(const Backward&);
Grads add_scaled(const Backward&);
Grads lerp(const Backward&);
}  // namespace gradients

inline constexpr Ternary where{
    .name = "where",
    .summary = "Take `input` where `condition` is true, else `other`.",
    .kernel = kernels::ternary<functors::Where>,
    .keep = Keep::first,
    .gradient = gradients::where,
    .takes_condition = true,
};
/// Users reach it through `dropout`.
inline constexpr Ternary retain{
    .name = "dropout",
    .summary = "Multiply `input` by a number where a mask is true, by 0 where not.",
    .kernel = kernels::ternary<functors::Retain>,
    .keep = Keep::first | Keep::third,
    .gradient = gradients::retain,
    .takes_condition = true,
};
/// Users reach it through `clamp`, which may leave a bound out.
inline constexpr Ternary clamp_between{
    .name = "clamp",
    .summary = "Move what lies outside [`min`, `max`] to the nearer bound.",
    .kernel = kernels::ternary<functors::Clamp>,
    .keep = Keep::inputs,
    .gradient = gradients::clamp,
};
inline constexpr Ternary add_scaled{
    .name = "add",
    .summary = "Add `alpha` * `other` to `input`.",
    .kernel = kernels::ternary<functors::AddScaled>,
    .gradient = gradients::add_scaled,
    .wraps = true,
};
inline constexpr Ternary lerp{
    .name = "lerp",
    .summary = "Move `input` towards `end` by `weight`.",
    .kernel = kernels::ternary<functors::Lerp>,
    .keep = Keep::inputs,
    .gradient = gradients::lerp,
};

inline constexpr std::array ternary_ops{&where, &lerp};

}  // namespace garboard
