// Elementwise ops of two operands.
#pragma once

#include <array>

#include "csrc/ops/op.h"

namespace garboard {

namespace gradients {
Grads add(const Backward&);
Grads subtract(const Backward&);
Grads multiply(const Backward&);
Grads divide(const Backward&);
Grads power(const Backward&);
Grads larger(const Backward&);
Grads remainder(const Backward&);
Grads gelu(const Backward&);
Grads gelu_tanh(const Backward&);
Grads relu(const Backward&);
Grads sigmoid(const Backward&);
Grads tanh(const Backward&);
}  // namespace gradients

inline constexpr Binary add{
    .name = "add",
    .summary = "input + other",
    .kernel = kernels::binary<functors::Add>,
    .gradient = gradients::add,
    .wraps = true,
};
inline constexpr Binary sub{
    .name = "sub",
    .summary = "input - other",
    .kernel = kernels::binary<functors::Subtract>,
    .gradient = gradients::subtract,
    .wraps = true,
};
inline constexpr Binary mul{
    .name = "mul",
    .summary = "input * other",
    .kernel = kernels::binary<functors::Multiply>,
    .keep = Keep::crosswise,
    .gradient = gradients::multiply,
    .wraps = true,
};
inline constexpr Binary div{
    .name = "div",
    .summary = "input / other; integers are divided as float32",
    .kernel = kernels::binary<functors::Divide>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::divide,
};
inline constexpr Binary floor_divide{
    .name = "floor_divide",
    .summary = "floor(input / other); an integer divided by zero gives 0",
    .kernel = kernels::binary<functors::FloorDivide>,
};
inline constexpr Binary remainder{
    .name = "remainder",
    .summary = "input - other * floor(input / other), with the sign of other",
    .kernel = kernels::binary<functors::Remainder>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::remainder,
};
inline constexpr Binary pow{
    .name = "pow",
    .summary = "input to the power of exponent",
    .kernel = kernels::binary<functors::Power>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::power,
};
inline constexpr Binary maximum{
    .name = "maximum",
    .summary = "the larger of input and other; NaN where one is NaN",
    .kernel = kernels::binary<functors::Maximum>,
    .keep = Keep::first | Keep::second | Keep::output,
    .gradient = gradients::larger,
    .place = Place::everywhere,
    .in_place = InPlace::no,
};
inline constexpr Binary minimum{
    .name = "minimum",
    .summary = "the smaller of input and other; NaN where one is NaN",
    .kernel = kernels::binary<functors::Minimum>,
    .keep = Keep::first | Keep::second | Keep::output,
    .gradient = gradients::larger,
    .place = Place::everywhere,
    .in_place = InPlace::no,
};
inline constexpr Binary eq{
    .name = "eq",
    .summary = "input == other, as bool",
    .kernel = kernels::binary<functors::Equal>,
};
inline constexpr Binary ne{
    .name = "ne",
    .summary = "input != other, as bool",
    .kernel = kernels::binary<functors::NotEqual>,
};
inline constexpr Binary lt{
    .name = "lt",
    .summary = "input < other, as bool",
    .kernel = kernels::binary<functors::Less>,
};
inline constexpr Binary le{
    .name = "le",
    .summary = "input <= other, as bool",
    .kernel = kernels::binary<functors::LessEqual>,
};
inline constexpr Binary gt{
    .name = "gt",
    .summary = "input > other, as bool",
    .kernel = kernels::binary<functors::Greater>,
};
inline constexpr Binary ge{
    .name = "ge",
    .summary = "input >= other, as bool",
    .kernel = kernels::binary<functors::GreaterEqual>,
};
inline constexpr Binary bitwise_and{
    .name = "bitwise_and",
    .summary = "input & other, for integers and bools",
    .kernel = kernels::binary<functors::BitwiseAnd>,
    .wraps = true,
};
inline constexpr Binary bitwise_or{
    .name = "bitwise_or",
    .summary = "input | other, for integers and bools",
    .kernel = kernels::binary<functors::BitwiseOr>,
    .wraps = true,
};
inline constexpr Binary bitwise_xor{
    .name = "bitwise_xor",
    .summary = "input ^ other, for integers and bools",
    .kernel = kernels::binary<functors::BitwiseXor>,
    .wraps = true,
};
inline constexpr Binary logical_and{
    .name = "logical_and",
    .summary = "input and other, where not zero is true, as bool",
    .kernel = kernels::binary<functors::LogicalAnd>,
};
inline constexpr Binary logical_or{
    .name = "logical_or",
    .summary = "input or other, where not zero is true, as bool",
    .kernel = kernels::binary<functors::LogicalOr>,
};
inline constexpr Binary logical_xor{
    .name = "logical_xor",
    .summary = "input xor other, where not zero is true, as bool",
    .kernel = kernels::binary<functors::LogicalXor>,
};

// Slopes that a unary op's rule multiplies a gradient with, in one pass. Users do not see them.
inline constexpr Binary gelu_gradient{
    .name = "gelu_gradient",
    .summary = "input times the slope of gelu at other",
    .kernel = kernels::binary<functors::GeluGradient>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::gelu,
};
inline constexpr Binary gelu_tanh_gradient{
    .name = "gelu_tanh_gradient",
    .summary = "input times the slope of gelu's approximation at other",
    .kernel = kernels::binary<functors::GeluTanhGradient>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::gelu_tanh,
};
inline constexpr Binary relu_gradient{
    .name = "relu_gradient",
    .summary = "input where other > 0, else 0",
    .kernel = kernels::binary<functors::ReluGradient>,
    .keep = Keep::second,
    .gradient = gradients::relu,
};
inline constexpr Binary sigmoid_gradient{
    .name = "sigmoid_gradient",
    .summary = "input * other * (1 - other)",
    .kernel = kernels::binary<functors::SigmoidGradient>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::sigmoid,
};
inline constexpr Binary tanh_gradient{
    .name = "tanh_gradient",
    .summary = "input * (1 - other * other)",
    .kernel = kernels::binary<functors::TanhGradient>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::tanh,
};

/// What users can call, in the order of the documentation.
inline constexpr std::array binary_ops{
    &add,     &sub,         &mul,        &div,         &floor_divide, &remainder,  &pow,
    &maximum, &minimum,     &eq,         &ne,          &lt,           &le,         &gt,
    &ge,      &bitwise_and, &bitwise_or, &bitwise_xor, &logical_and,  &logical_or, &logical_xor,
};

}  // namespace garboard
