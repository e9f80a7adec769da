// What layers do to each element, and losses to each difference. Users reach them through
// `nn.functional`, which says more of them.
#pragma once

#include <array>

#include "csrc/ops/op/op.h"
#include "csrc/ops/op/remade.h"

namespace garboard {

namespace gradients {
Grads hardsigmoid(const Backward&);
Grads hardswish(const Backward&);
Grads hardswish_slope(const Backward&);
Grads mish(const Backward&);
Grads mish_slope(const Backward&);
Grads elu(const Backward&);
Grads elu_slope(const Backward&);
Grads softplus_slope(const Backward&);
Grads leaky_relu(const Backward&);
Grads shrunk(const Backward&);
Grads huber(const Backward&);
Grads hardtanh(const Backward&);
Grads threshold(const Backward&);
Grads finite_number(const Backward&);
}  // namespace gradients

inline constexpr Unary hardsigmoid{
    .name = "hardsigmoid",
    .summary = "Compute min(max(`input` + 3, 0), 6) / 6.",
    .kernel = kernels::unary<functors::HardSigmoid>,
    .keep = Keep::first,
    .gradient = gradients::hardsigmoid,
};
inline constexpr Binary hardswish_gradient{
    .name = "hardswish_gradient",
    .summary = "Multiply `input` by the slope of hard swish at `other`.",
    .kernel = kernels::binary<functors::HardSwishGradient>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::hardswish_slope,
};
inline constexpr Unary hardswish{
    .name = "hardswish",
    .summary = "Multiply `input` by its hard sigmoid.",
    .kernel = kernels::unary<functors::HardSwish>,
    .keep = Keep::first,
    .gradient = gradients::hardswish,
    .remake = [](GradNode& node) { return remade_from_input(hardswish, node); },
};
inline constexpr Binary mish_gradient{
    .name = "mish_gradient",
    .summary = "Multiply `input` by the slope of mish at `other`.",
    .kernel = kernels::binary<functors::MishGradient>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::mish_slope,
};
inline constexpr Unary mish{
    .name = "mish",
    .summary = "Multiply `input` by the tanh of its softplus.",
    .kernel = kernels::unary<functors::Mish>,
    .keep = Keep::first,
    .gradient = gradients::mish,
    .remake = [](GradNode& node) { return remade_from_input(mish, node); },
};
inline constexpr Binary softplus_gradient{
    .name = "softplus_gradient",
    .summary = "Multiply `input` by the logistic function of `other`.",
    .kernel = kernels::binary<functors::SoftplusGradient>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::softplus_slope,
};
inline constexpr Unary softplus{
    .name = "softplus",
    .summary = "Compute the logarithm of 1 + e^`input`.",
    .kernel = kernels::unary<functors::Softplus>,
    .keep = Keep::first,
    .gradient = [](const Backward& at) -> Grads {
      return softplus_gradient.of_gradient(at, at.input(0));
    },
    .remake = [](GradNode& node) { return remade_from_input(softplus, node); },
};
inline constexpr Ternary elu_gradient{
    .name = "elu_gradient",
    .summary = "Multiply a gradient by the slope of elu at `input`.",
    .kernel = kernels::ternary<functors::EluGradient>,
    .keep = Keep::inputs,
    .gradient = gradients::elu_slope,
};
/// No gradient passes to alpha, which is a number.
inline constexpr Binary elu{
    .name = "elu",
    .summary = "Bend `input` below 0 towards a number.",
    .kernel = kernels::binary<functors::Elu>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::elu,
};
inline constexpr Binary leaky_relu{
    .name = "leaky_relu",
    .summary = "Multiply `input` by `other` where it is not above 0.",
    .kernel = kernels::binary<functors::LeakyRelu>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::leaky_relu,
};
/// No gradient passes to the number, here and in what follows.
inline constexpr Binary hardshrink{
    .name = "hardshrink",
    .summary = "Put 0 where `input` is within a number of it.",
    .kernel = kernels::binary<functors::HardShrink>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::shrunk,
};
inline constexpr Binary softshrink{
    .name = "softshrink",
    .summary = "Move `input` towards 0 by a number, and no further.",
    .kernel = kernels::binary<functors::SoftShrink>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::shrunk,
};
inline constexpr Binary huber{
    .name = "huber",
    .summary = "Square `input` and halve it, and follow the tangent beyond a number.",
    .kernel = kernels::binary<functors::Huber>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::huber,
};
/// As clamp_between, of numbers.
inline constexpr Ternary hardtanh{
    .name = "hardtanh",
    .summary = "Move what lies outside two numbers to the nearer one.",
    .kernel = kernels::ternary<functors::Clamp>,
    .keep = Keep::inputs,
    .gradient = gradients::hardtanh,
};
/// The bound and what stands in are numbers.
inline constexpr Ternary threshold{
    .name = "threshold",
    .summary = "Put a number where `input` is not above another one.",
    .kernel = kernels::ternary<functors::Threshold>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::threshold,
};
/// `nan` and the bound are numbers.
inline constexpr Ternary finite_number{
    .name = "nan_to_num",
    .summary = "Put a number for NaN, and bound what is infinite.",
    .kernel = kernels::ternary<functors::FiniteNumber>,
    .keep = Keep::first,
    .gradient = gradients::finite_number,
};

inline constexpr std::array activation_ops{&hardsigmoid, &hardswish, &mish, &softplus};
inline constexpr std::array activation_pairs{&leaky_relu, &hardshrink, &softshrink, &huber, &elu};
inline constexpr std::array activation_triples{&hardtanh, &threshold};

}  // namespace garboard
