// Elementwise ops of one input.
#pragma once

#include <array>

#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/positive_bits.h"
#include "csrc/ops/op/op.h"
#include "csrc/ops/op/operators.h"
#include "csrc/ops/op/remade.h"

namespace garboard {

namespace gradients {
Grads absolute(const Backward&);
Grads angle(const Backward&);
Grads cosine(const Backward&);
Grads error_function(const Backward&);
Grads sine(const Backward&);
}  // namespace gradients

inline constexpr Unary abs{
    .name = "abs",
    .summary = "Compute the absolute value of `input`.",
    .details = "Of a complex number it is real. The smallest integer wraps to itself.",
    .example = {"[-1.5, 2.0]", "[1.5000, 2.0000]"},
    .kernel = kernels::unary<functors::Absolute>,
    .keep = Keep::first,
    .gradient = gradients::absolute,
};
inline constexpr Unary angle{
    .name = "angle",
    .summary = "Compute the angle of `input` to the positive numbers, in radians.",
    .details =
        "Of a complex x + iy that is atan2(y, x), of a real number 0, pi below 0, and NaN of "
        "NaN. The gradient is 0 for real numbers, and at 0.",
    .example = {"[2.0, -2.0]", "[0.0000, 3.1416]"},
    .kernel = kernels::unary<functors::Angle>,
    .keep = Keep::first,
    .gradient = gradients::angle,
    .in_place = InPlace::no,
};
inline constexpr Unary ceil{
    .name = "ceil",
    .summary = "Round `input` up to an integer.",
    .details = "Integers and bools stay as they are.",
    .example = {"[-0.5, 1.2]", "[-0., 2.]"},
    .kernel = kernels::unary<functors::Ceil>,
    .gradient = gradients::zero,
};
inline constexpr Unary cos{
    .name = "cos",
    .summary = "Compute the cosine of `input`, in radians.",
    .details = "Within 2 ULP.",
    .example = {"[0.0, 1.0]", "[1.0000, 0.5403]"},
    .kernel = kernels::unary<functors::Cos>,
    .keep = Keep::first,
    .gradient = gradients::cosine,
};
inline constexpr Unary erf{
    .name = "erf",
    .summary = "Compute the error function of `input`.",
    .details = "erf(x) = 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x, within 2 ULP.",
    .example = {"[0.0, 1.0]", "[0.0000, 0.8427]"},
    .kernel = kernels::unary<functors::Erf>,
    .keep = Keep::first,
    .gradient = gradients::error_function,
};
inline constexpr Unary exp{
    .name = "exp",
    .summary = "Compute e to the power of `input`.",
    .details = "inf where that is beyond the dtype.",
    .example = {"[0.0, 1.0]", "[1.0000, 2.7183]"},
    .kernel = kernels::unary<functors::Exp>,
    .keep = Keep::output,
    .gradient = [](const Backward& at) -> Grads { return mul.of_gradient(at, at.output()); },
};
inline constexpr Unary floor{
    .name = "floor",
    .summary = "Round `input` down to an integer.",
    .details = "Integers and bools stay as they are.",
    .example = {"[-0.5, 1.2]", "[-1., 1.]"},
    .kernel = kernels::unary<functors::Floor>,
    .gradient = gradients::zero,
};
/// Users reach both through one function, which names the approximation.
inline constexpr Unary gelu{
    .name = "gelu",
    .summary = "Multiply `input` by the share of the normal distribution below it.",
    .kernel = kernels::unary<functors::Gelu>,
    .keep = Keep::first,
    .gradient = [](const Backward& at) -> Grads {
      return gelu_gradient.of_gradient(at, at.input(0));
    },
    .remake = [](GradNode& node) { return remade_from_input(gelu, node); },
};
inline constexpr Unary gelu_tanh{
    .name = "gelu",
    .summary = "Approximate gelu of `input` with tanh.",
    .kernel = kernels::unary<functors::GeluTanh>,
    .keep = Keep::first,
    .gradient = [](const Backward& at) -> Grads {
      return gelu_tanh_gradient.of_gradient(at, at.input(0));
    },
    .remake = [](GradNode& node) { return remade_from_input(gelu_tanh, node); },
};
inline constexpr Unary isfinite{
    .name = "isfinite",
    .summary = "Test where `input` is neither infinite nor NaN.",
    .details = "Integers and bools always are.",
    .example = {"[float('nan'), 1.0]", "[False, True]"},
    .kernel = kernels::unary<functors::IsFinite>,
    .in_place = InPlace::no,
};
inline constexpr Unary isinf{
    .name = "isinf",
    .summary = "Test where `input` is plus or minus infinity.",
    .details = "Integers and bools never are.",
    .example = {"[1.0, -float('inf')]", "[False, True]"},
    .kernel = kernels::unary<functors::IsInf>,
    .in_place = InPlace::no,
};
inline constexpr Unary isnan{
    .name = "isnan",
    .summary = "Test where `input` is NaN.",
    .details = "Integers and bools never are.",
    .example = {"[1.0, float('nan')]", "[False, True]"},
    .kernel = kernels::unary<functors::IsNan>,
    .in_place = InPlace::no,
};
inline constexpr Unary log{
    .name = "log",
    .summary = "Compute the natural logarithm of `input`.",
    .details = "-inf at 0, NaN below it.",
    .example = {"[1.0, 10.0]", "[0.0000, 2.3026]"},
    .kernel = kernels::unary<functors::Log>,
    .keep = Keep::first,
    .gradient = [](const Backward& at) -> Grads { return at.grad / at.input(0); },
};
inline constexpr Unary logical_not{
    .name = "logical_not",
    .summary = "Test where `input` is zero.",
    .details = "NaN is not zero.",
    .example = {"[2, 0]", "[False, True]"},
    .kernel = kernels::unary<functors::LogicalNot>,
};
inline constexpr Unary bitwise_not{
    .name = "bitwise_not",
    .summary = "Turn over every bit of `input`.",
    .details = "Of a signed x that is -x - 1; of bools it is not.",
    .example = {"[0, 5]", "[-1, -6]"},
    .kernel = kernels::unary<functors::BitwiseNot>,
};
inline constexpr Unary neg{
    .name = "neg",
    .summary = "Negate `input`.",
    .details = "Unsigned integers and the smallest signed one wrap.",
    .example = {"[1.5, -2.0]", "[-1.5000, 2.0000]"},
    .kernel = kernels::unary<functors::Negate>,
    .gradient = [](const Backward& at) -> Grads { return -at.grad; },
};
inline constexpr Unary reciprocal{
    .name = "reciprocal",
    .summary = "Divide 1 by `input`.",
    .details = "inf at 0, with its sign.",
    .example = {"[2.0, -4.0]", "[ 0.5000, -0.2500]"},
    .kernel = kernels::unary<functors::Reciprocal>,
    .keep = Keep::output,
    .gradient = [](const Backward& at) -> Grads { return -(at.grad * at.output()) * at.output(); },
};
inline constexpr Unary relu{
    .name = "relu",
    .summary = "Replace what is negative in `input` by 0.",
    .details = "relu(x) = max(x, 0); NaN stays.",
    .example = {"[-1.5, 2.0]", "[0., 2.]"},
    .kernel = kernels::unary<functors::Relu>,
    .keep = Keep::output,
    .gradient = [](const Backward& at) -> Grads {
      if (at.has_others()) return where_positive(at.grad, at.other(0));
      return relu_gradient.of_gradient(at, at.output());
    },
    .keeps_signs = true,
    .remake = [](GradNode& node) { return remade_after_input(relu, node); },
    .is_remade_after_input = true,
};
inline constexpr Unary round{
    .name = "round",
    .summary = "Round `input` to the nearest integer, halves to the even one.",
    .details = "Integers and bools stay as they are.",
    .example = {"[0.5, 1.5]", "[0., 2.]"},
    .kernel = kernels::unary<functors::Round>,
    .gradient = gradients::zero,
};
inline constexpr Unary rsqrt{
    .name = "rsqrt",
    .summary = "Divide 1 by the square root of `input`.",
    .details = "Within 1.5 ULP; inf at 0, NaN below it.",
    .example = {"[4.0, 2.0]", "[0.5000, 0.7071]"},
    .kernel = kernels::unary<functors::Rsqrt>,
    .keep = Keep::output,
    .gradient = [](const Backward& at) -> Grads {
      const Tensor output = at.output();
      return at.grad * output * output * output * -0.5;
    },
};
inline constexpr Unary sigmoid{
    .name = "sigmoid",
    .summary = "Map `input` to (0, 1) by the logistic function.",
    .details = "sigmoid(x) = 1 / (1 + exp(-x)).",
    .example = {"[0.0, 2.0]", "[0.5000, 0.8808]"},
    .kernel = kernels::unary<functors::Sigmoid>,
    .keep = Keep::output,
    .gradient = [](const Backward& at) -> Grads {
      return sigmoid_gradient.of_gradient(at, at.output());
    },
};
inline constexpr Unary sign{
    .name = "sign",
    .summary = "Compute the sign of `input`: -1, 0 or 1.",
    .details = "0 for NaN.",
    .example = {"[-1.5, 2.0]", "[-1., 1.]"},
    .kernel = kernels::unary<functors::Sign>,
    .gradient = gradients::zero,
};
inline constexpr Unary sin{
    .name = "sin",
    .summary = "Compute the sine of `input`, in radians.",
    .details = "Within 2 ULP.",
    .example = {"[0.0, 1.0]", "[0.0000, 0.8415]"},
    .kernel = kernels::unary<functors::Sin>,
    .keep = Keep::first,
    .gradient = gradients::sine,
};
inline constexpr Unary sqrt{
    .name = "sqrt",
    .summary = "Compute the square root of `input`.",
    .details = "NaN below 0.",
    .example = {"[4.0, 2.0]", "[2.0000, 1.4142]"},
    .kernel = kernels::unary<functors::Sqrt>,
    .keep = Keep::output,
    .gradient = [](const Backward& at) -> Grads { return at.grad / (at.output() * 2.0); },
};
inline constexpr Unary square{
    .name = "square",
    .summary = "Multiply `input` by itself.",
    .details = "Integers wrap; bools are counted as int64.",
    .example = {"[1.5, -2.0]", "[2.2500, 4.0000]"},
    .kernel = kernels::unary<functors::Square>,
    .keep = Keep::first,
    .gradient = [](const Backward& at) -> Grads { return at.grad * (at.input(0) * 2.0); },
    .counts_bools = true,
};
inline constexpr Unary tanh{
    .name = "tanh",
    .summary = "Compute the hyperbolic tangent of `input`.",
    .example = {"[0.0, 1.0]", "[0.0000, 0.7616]"},
    .kernel = kernels::unary<functors::Tanh>,
    .keep = Keep::output,
    .gradient = [](const Backward& at) -> Grads {
      return tanh_gradient.of_gradient(at, at.output());
    },
};

inline constexpr Unary trunc{
    .name = "trunc",
    .summary = "Cut off what stands behind the point of `input`.",
    .details = "Integers and bools stay as they are.",
    .example = {"[-1.5, 1.5]", "[-1., 1.]"},
    .kernel = kernels::unary<functors::Truncate>,
    .gradient = gradients::zero,
};

/// Users reach it through `frac`, which refuses bools by its name.
inline constexpr Unary fraction{
    .name = "frac",
    .summary = "Leave what stands behind the point of `input`.",
    .kernel = kernels::unary<functors::Fraction>,
    .gradient = [](const Backward& at) -> Grads { return at.grad; },
};

/// What users can call, in the order of the documentation.
inline constexpr std::array unary_ops{
    &abs,     &angle, &bitwise_not, &ceil,        &cos,    &erf,        &exp,   &floor, &isfinite,
    &isinf,   &isnan, &log,         &logical_not, &neg,    &reciprocal, &relu,  &round, &rsqrt,
    &sigmoid, &sign,  &sin,         &sqrt,        &square, &tanh,       &trunc,
};

}  // namespace garboard
