// Elementwise ops of one input.
#pragma once

#include <array>

#include "csrc/ops/binary.h"
#include "csrc/ops/op.h"
#include "csrc/ops/operators.h"

namespace garboard {

namespace gradients {
Grads absolute(const Backward&);
Grads cosine(const Backward&);
Grads error_function(const Backward&);
Grads sine(const Backward&);
/// Of a step function.
Grads zero(const Backward&);
}  // namespace gradients

inline constexpr Unary abs{
    .name = "abs",
    .summary = "the absolute value",
    .kernel = kernels::unary<functors::Absolute>,
    .keep = Keep::first,
    .gradient = gradients::absolute,
};
inline constexpr Unary ceil{
    .name = "ceil",
    .summary = "the smallest integer not below input",
    .kernel = kernels::unary<functors::Ceil>,
    .gradient = gradients::zero,
};
inline constexpr Unary cos{
    .name = "cos",
    .summary = "the cosine of input, in radians",
    .kernel = kernels::unary<functors::Cos>,
    .keep = Keep::first,
    .gradient = gradients::cosine,
};
inline constexpr Unary erf{
    .name = "erf",
    .summary = "the error function, 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to input",
    .kernel = kernels::unary<functors::Erf>,
    .keep = Keep::first,
    .gradient = gradients::error_function,
};
inline constexpr Unary exp{
    .name = "exp",
    .summary = "e to the power of input",
    .kernel = kernels::unary<functors::Exp>,
    .keep = Keep::output,
    .gradient = [](const Backward& at) -> Grads { return mul.of_gradient(at, at.output()); },
};
inline constexpr Unary floor{
    .name = "floor",
    .summary = "the largest integer not above input",
    .kernel = kernels::unary<functors::Floor>,
    .gradient = gradients::zero,
};
/// Users reach both through one function, which names the approximation.
inline constexpr Unary gelu{
    .name = "gelu",
    .summary = "input times the share of the normal distribution below it",
    .kernel = kernels::unary<functors::Gelu>,
    .keep = Keep::first,
    .gradient = [](const Backward& at) -> Grads {
      return gelu_gradient.of_gradient(at, at.input(0));
    },
};
inline constexpr Unary gelu_tanh{
    .name = "gelu",
    .summary = "gelu by its approximation with tanh",
    .kernel = kernels::unary<functors::GeluTanh>,
    .keep = Keep::first,
    .gradient = [](const Backward& at) -> Grads {
      return gelu_tanh_gradient.of_gradient(at, at.input(0));
    },
};
inline constexpr Unary isfinite{
    .name = "isfinite",
    .summary = "true where input is neither infinite nor NaN, as bool",
    .kernel = kernels::unary<functors::IsFinite>,
    .in_place = InPlace::no,
};
inline constexpr Unary isinf{
    .name = "isinf",
    .summary = "true where input is plus or minus infinity, as bool",
    .kernel = kernels::unary<functors::IsInf>,
    .in_place = InPlace::no,
};
inline constexpr Unary isnan{
    .name = "isnan",
    .summary = "true where input is NaN, as bool",
    .kernel = kernels::unary<functors::IsNan>,
    .in_place = InPlace::no,
};
inline constexpr Unary log{
    .name = "log",
    .summary = "the natural logarithm",
    .kernel = kernels::unary<functors::Log>,
    .keep = Keep::first,
    .gradient = [](const Backward& at) -> Grads { return at.grad / at.input(0); },
};
inline constexpr Unary logical_not{
    .name = "logical_not",
    .summary = "true where input is zero, as bool",
    .kernel = kernels::unary<functors::LogicalNot>,
};
inline constexpr Unary bitwise_not{
    .name = "bitwise_not",
    .summary = "~input, for integers and bools",
    .kernel = kernels::unary<functors::BitwiseNot>,
};
inline constexpr Unary neg{
    .name = "neg",
    .summary = "-input",
    .kernel = kernels::unary<functors::Negate>,
    .gradient = [](const Backward& at) -> Grads { return -at.grad; },
};
inline constexpr Unary reciprocal{
    .name = "reciprocal",
    .summary = "1 / input",
    .kernel = kernels::unary<functors::Reciprocal>,
    .keep = Keep::output,
    .gradient = [](const Backward& at) -> Grads { return -(at.grad * at.output()) * at.output(); },
};
inline constexpr Unary relu{
    .name = "relu",
    .summary = "max(input, 0)",
    .kernel = kernels::unary<functors::Relu>,
    .keep = Keep::output,
    .gradient = [](const Backward& at) -> Grads {
      return relu_gradient.of_gradient(at, at.output());
    },
};
inline constexpr Unary round{
    .name = "round",
    .summary = "the nearest integer, halves to the even one",
    .kernel = kernels::unary<functors::Round>,
    .gradient = gradients::zero,
};
inline constexpr Unary rsqrt{
    .name = "rsqrt",
    .summary = "1 / sqrt(input)",
    .kernel = kernels::unary<functors::Rsqrt>,
    .keep = Keep::output,
    .gradient = [](const Backward& at) -> Grads {
      const Tensor output = at.output();
      return at.grad * output * output * output * -0.5;
    },
};
inline constexpr Unary sigmoid{
    .name = "sigmoid",
    .summary = "1 / (1 + exp(-input))",
    .kernel = kernels::unary<functors::Sigmoid>,
    .keep = Keep::output,
    .gradient = [](const Backward& at) -> Grads {
      return sigmoid_gradient.of_gradient(at, at.output());
    },
};
inline constexpr Unary sign{
    .name = "sign",
    .summary = "-1, 0 or 1",
    .kernel = kernels::unary<functors::Sign>,
    .gradient = gradients::zero,
};
inline constexpr Unary sin{
    .name = "sin",
    .summary = "the sine of input, in radians",
    .kernel = kernels::unary<functors::Sin>,
    .keep = Keep::first,
    .gradient = gradients::sine,
};
inline constexpr Unary sqrt{
    .name = "sqrt",
    .summary = "the square root; NaN below zero",
    .kernel = kernels::unary<functors::Sqrt>,
    .keep = Keep::output,
    .gradient = [](const Backward& at) -> Grads { return at.grad / (at.output() * 2.0); },
};
inline constexpr Unary square{
    .name = "square",
    .summary = "input * input",
    .kernel = kernels::unary<functors::Square>,
    .keep = Keep::first,
    .gradient = [](const Backward& at) -> Grads { return at.grad * (at.input(0) * 2.0); },
};
inline constexpr Unary tanh{
    .name = "tanh",
    .summary = "the hyperbolic tangent",
    .kernel = kernels::unary<functors::Tanh>,
    .keep = Keep::output,
    .gradient = [](const Backward& at) -> Grads {
      return tanh_gradient.of_gradient(at, at.output());
    },
};

/// What users can call, in the order of the documentation.
inline constexpr std::array unary_ops{
    &abs,   &bitwise_not, &ceil, &cos,         &erf,  &exp,        &floor, &isfinite,
    &isinf, &isnan,       &log,  &logical_not, &neg,  &reciprocal, &relu,  &round,
    &rsqrt, &sigmoid,     &sign, &sin,         &sqrt, &square,     &tanh,
};

}  // namespace garboard
