// Elementwise ops of two operands.
#pragma once

#include <array>

#include "csrc/ops/op/op.h"
#include "csrc/ops/op/remade.h"

namespace garboard {

namespace gradients {
Grads add(const Backward&);
Grads subtract(const Backward&);
Grads multiply(const Backward&);
Grads divide(const Backward&);
Grads power(const Backward&);
Grads maximum(const Backward&);
Grads minimum(const Backward&);
Grads remainder(const Backward&);
Grads gelu(const Backward&);
Grads gelu_tanh(const Backward&);
Grads relu(const Backward&);
Grads sigmoid(const Backward&);
Grads tanh(const Backward&);
/// Of a step function.
Grads zero(const Backward&);
}  // namespace gradients

inline constexpr Binary add{
    .name = "add",
    .summary = "Add `other` to `input`.",
    .kernel = kernels::binary<functors::Add>,
    .gradient = gradients::add,
    .wraps = true,
};
inline constexpr Binary sub{
    .name = "sub",
    .summary = "Subtract `other` from `input`.",
    .kernel = kernels::binary<functors::Subtract>,
    .gradient = gradients::subtract,
    .wraps = true,
};
inline constexpr Binary mul{
    .name = "mul",
    .summary = "Multiply `input` by `other`.",
    .details = "Integers wrap; of bools it is and.",
    .example = {"[1.5, 2.0]", "[2.0, 4.0]", "[3., 8.]"},
    .kernel = kernels::binary<functors::Multiply>,
    .keep = Keep::crosswise,
    .gradient = gradients::multiply,
    .wraps = true,
    .remake = [](GradNode& node) { return remade_from_inputs(mul, node); },
};
inline constexpr Binary div{
    .name = "div",
    .summary = "Divide `input` by `other`.",
    .details = "Integers and bools are divided as float32. By 0 it is inf, or NaN for 0 / 0.",
    .example = {"[1.0, 2.0]", "[2.0, 8.0]", "[0.5000, 0.2500]"},
    .kernel = kernels::binary<functors::Divide>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::divide,
};
/// Users reach it through `div`, for numbers that are no integers.
inline constexpr Binary div_truncated{
    .name = "div",
    .summary = "Divide `input` by `other` and round towards 0.",
    .kernel = kernels::binary<functors::TruncatedQuotient>,
    .gradient = gradients::zero,
};
inline constexpr Binary floor_divide{
    .name = "floor_divide",
    .summary = "Divide `input` by `other` and round down.",
    .details =
        "As Python's `//`, except that an integer divided by 0 gives 0, and a float what `/` "
        "gives.",
    .example = {"[7, -7]", "[2, 2]", "[ 3, -4]"},
    .kernel = kernels::binary<functors::FloorDivide>,
    .gradient = gradients::zero,
};
inline constexpr Binary remainder{
    .name = "remainder",
    .summary = "Compute the remainder of `input` divided by `other`, with the sign of `other`.",
    .details =
        "remainder(x, y) = x - y * floor(x / y), as Python's `%`, except that by 0 an integer "
        "gives 0 and a float NaN.",
    .example = {"[7, -7]", "[3, 3]", "[1, 2]"},
    .kernel = kernels::binary<functors::Remainder>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::remainder,
};
inline constexpr Binary pow{
    .name = "pow",
    .summary = "Raise `input` to the power of `exponent`.",
    .details =
        "Integers wrap, and to a negative power give 0, or 1 and -1 for themselves. Floats follow "
        "C's pow, within 1.1 ULP, to the numbers 3, 4 and -2 within 2; to 0.5 and -0.5 they are "
        "`sqrt` and `rsqrt`.",
    .example = {"[2.0, 3.0]", "[3.0, 2.0]", "[8., 9.]"},
    .kernel = kernels::binary<functors::Power>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::power,
    .is_number_in_rows = true,
};
inline constexpr Binary maximum{
    .name = "maximum",
    .summary = "Take the larger of `input` and `other`.",
    .details = "NaN where one is NaN. Equal elements get half of the gradient each.",
    .example = {"[1, 5]", "[3, 2]", "[3, 5]"},
    .kernel = kernels::binary<functors::Maximum>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::maximum,
    .place = Place::everywhere,
    .in_place = InPlace::no,
};
inline constexpr Binary minimum{
    .name = "minimum",
    .summary = "Take the smaller of `input` and `other`.",
    .details = "NaN where one is NaN. Equal elements get half of the gradient each.",
    .example = {"[1, 5]", "[3, 2]", "[1, 2]"},
    .kernel = kernels::binary<functors::Minimum>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::minimum,
    .place = Place::everywhere,
    .in_place = InPlace::no,
};
inline constexpr Binary eq{
    .name = "eq",
    .summary = "Test where `input` equals `other`.",
    .details = "NaN equals nothing.",
    .example = {"[1, 2]", "[3, 2]", "[False, True]"},
    .kernel = kernels::binary<functors::Equal>,
};
inline constexpr Binary ne{
    .name = "ne",
    .summary = "Test where `input` differs from `other`.",
    .details = "NaN differs from everything.",
    .example = {"[2, 2]", "[2, 3]", "[False, True]"},
    .kernel = kernels::binary<functors::NotEqual>,
};
inline constexpr Binary lt{
    .name = "lt",
    .summary = "Test where `input` is less than `other`.",
    .details = "False where one is NaN.",
    .example = {"[2, 1]", "[2, 2]", "[False, True]"},
    .kernel = kernels::binary<functors::Less>,
};
inline constexpr Binary le{
    .name = "le",
    .summary = "Test where `input` is at most `other`.",
    .details = "False where one is NaN.",
    .example = {"[3, 2]", "[2, 2]", "[False, True]"},
    .kernel = kernels::binary<functors::LessEqual>,
};
inline constexpr Binary gt{
    .name = "gt",
    .summary = "Test where `input` is greater than `other`.",
    .details = "False where one is NaN.",
    .example = {"[2, 3]", "[2, 2]", "[False, True]"},
    .kernel = kernels::binary<functors::Greater>,
};
inline constexpr Binary ge{
    .name = "ge",
    .summary = "Test where `input` is at least `other`.",
    .details = "False where one is NaN.",
    .example = {"[1, 2]", "[2, 2]", "[False, True]"},
    .kernel = kernels::binary<functors::GreaterEqual>,
};
inline constexpr Binary bitwise_and{
    .name = "bitwise_and",
    .summary = "Combine the bits of `input` and `other` with and.",
    .example = {"[6, 5]", "[3, 4]", "[2, 4]"},
    .kernel = kernels::binary<functors::BitwiseAnd>,
    .wraps = true,
};
inline constexpr Binary bitwise_or{
    .name = "bitwise_or",
    .summary = "Combine the bits of `input` and `other` with or.",
    .example = {"[6, 5]", "[3, 4]", "[7, 5]"},
    .kernel = kernels::binary<functors::BitwiseOr>,
    .wraps = true,
};
inline constexpr Binary bitwise_xor{
    .name = "bitwise_xor",
    .summary = "Combine the bits of `input` and `other` with exclusive or.",
    .example = {"[6, 5]", "[3, 4]", "[5, 1]"},
    .kernel = kernels::binary<functors::BitwiseXor>,
    .wraps = true,
};
inline constexpr Binary logical_and{
    .name = "logical_and",
    .summary = "Test where neither `input` nor `other` is zero.",
    .example = {"[2, 2]", "[0, 1]", "[False, True]"},
    .kernel = kernels::binary<functors::LogicalAnd>,
};
inline constexpr Binary logical_or{
    .name = "logical_or",
    .summary = "Test where `input` or `other` is not zero.",
    .example = {"[0, 2]", "[0, 1]", "[False, True]"},
    .kernel = kernels::binary<functors::LogicalOr>,
};
inline constexpr Binary logical_xor{
    .name = "logical_xor",
    .summary = "Test where exactly one of `input` and `other` is not zero.",
    .example = {"[2, 0]", "[1, 3]", "[False, True]"},
    .kernel = kernels::binary<functors::LogicalXor>,
};

// Slopes that a unary op's rule multiplies a gradient with, in one pass. Users do not see them.
inline constexpr Binary gelu_gradient{
    .name = "gelu_gradient",
    .summary = "Multiply `input` by the slope of gelu at `other`.",
    .kernel = kernels::binary<functors::GeluGradient>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::gelu,
};
inline constexpr Binary gelu_tanh_gradient{
    .name = "gelu_tanh_gradient",
    .summary = "Multiply `input` by the slope of gelu's approximation at `other`.",
    .kernel = kernels::binary<functors::GeluTanhGradient>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::gelu_tanh,
};
inline constexpr Binary relu_gradient{
    .name = "relu_gradient",
    .summary = "Take `input` where `other` is positive, else 0.",
    .kernel = kernels::binary<functors::ReluGradient>,
    .keep = Keep::second,
    .gradient = gradients::relu,
};
inline constexpr Binary sigmoid_gradient{
    .name = "sigmoid_gradient",
    .summary = "Compute `input` * `other` * (1 - `other`).",
    .kernel = kernels::binary<functors::SigmoidGradient>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::sigmoid,
};
inline constexpr Binary tanh_gradient{
    .name = "tanh_gradient",
    .summary = "Compute `input` * (1 - `other`^2).",
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
