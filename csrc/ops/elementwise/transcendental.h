// Elementwise ops of one or two inputs: exponentials, logarithms, angles.
#pragma once

#include <array>

#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/op/remade.h"

namespace garboard {

namespace gradients {
Grads atan2(const Backward&);
Grads copysign(const Backward&);
Grads cosh(const Backward&);
Grads fmod(const Backward&);
Grads hypot(const Backward&);
Grads logaddexp(const Backward&);
Grads logsigmoid(const Backward&);
Grads silu(const Backward&);
}  // namespace gradients

// A slope that a rule multiplies a gradient with, in one pass. Users do not see it.
inline constexpr Binary silu_gradient{
    .name = "silu_gradient",
    .summary = "Multiply `input` by the slope of silu at `other`.",
    .kernel = kernels::binary<functors::SiluGradient>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::silu,
};

inline constexpr Unary acos{
    .name = "acos",
    .summary = "Compute the angle in [0, pi] whose cosine is `input`.",
    .details = "In radians; within 3 ULP. NaN beyond [-1, 1].",
    .example = {"[0.0, 1.0]", "[1.5708, 0.0000]"},
    .kernel = kernels::unary<functors::Acos>,
    .keep = Keep::first,
    .gradient = [](const Backward& at) -> Grads {
      return -(at.grad * rsqrt(square(at.input(0)) * -1.0 + 1.0));
    },
};
inline constexpr Unary acosh{
    .name = "acosh",
    .summary = "Compute the inverse hyperbolic cosine of `input`.",
    .details = "Within 3 ULP; NaN below 1.",
    .example = {"[1.0, 2.0]", "[0.0000, 1.3170]"},
    .kernel = kernels::unary<functors::Acosh>,
    .keep = Keep::first,
    .gradient = [](const Backward& at) -> Grads {
      const Tensor x = at.input(0);
      if (is_complex(x.dtype())) return at.grad * rsqrt(x - 1.0) * rsqrt(x + 1.0);
      return at.grad * rsqrt(square(x) - 1.0);
    },
};
inline constexpr Unary asin{
    .name = "asin",
    .summary = "Compute the angle in [-pi / 2, pi / 2] whose sine is `input`.",
    .details = "In radians; within 3 ULP. NaN beyond [-1, 1].",
    .example = {"[0.0, 1.0]", "[0.0000, 1.5708]"},
    .kernel = kernels::unary<functors::Asin>,
    .keep = Keep::first,
    .gradient = [](const Backward& at) -> Grads {
      return at.grad * rsqrt(square(at.input(0)) * -1.0 + 1.0);
    },
};
inline constexpr Unary asinh{
    .name = "asinh",
    .summary = "Compute the inverse hyperbolic sine of `input`.",
    .details = "Within 3 ULP.",
    .example = {"[0.0, 1.0]", "[0.0000, 0.8814]"},
    .kernel = kernels::unary<functors::Asinh>,
    .keep = Keep::first,
    .gradient = [](const Backward& at) -> Grads {
      return at.grad * rsqrt(square(at.input(0)) + 1.0);
    },
};
inline constexpr Unary atan{
    .name = "atan",
    .summary = "Compute the angle in [-pi / 2, pi / 2] whose tangent is `input`.",
    .details = "In radians; within 3 ULP.",
    .example = {"[0.0, 1.0]", "[0.0000, 0.7854]"},
    .kernel = kernels::unary<functors::Atan>,
    .keep = Keep::first,
    .gradient = [](const Backward& at) -> Grads { return at.grad / (square(at.input(0)) + 1.0); },
};
inline constexpr Unary atanh{
    .name = "atanh",
    .summary = "Compute the inverse hyperbolic tangent of `input`.",
    .details = "Within 3 ULP; infinite at 1 and -1, NaN beyond.",
    .example = {"[0.0, 0.5]", "[0.0000, 0.5493]"},
    .kernel = kernels::unary<functors::Atanh>,
    .keep = Keep::first,
    .gradient = [](const Backward& at) -> Grads {
      return at.grad / (square(at.input(0)) * -1.0 + 1.0);
    },
};
inline constexpr Unary cosh{
    .name = "cosh",
    .summary = "Compute the hyperbolic cosine of `input`.",
    .details = "cosh(x) = (exp(x) + exp(-x)) / 2, within 2 ULP.",
    .example = {"[0.0, 1.0]", "[1.0000, 1.5431]"},
    .kernel = kernels::unary<functors::Cosh>,
    .keep = Keep::first,
    .gradient = gradients::cosh,
};
inline constexpr Unary erfc{
    .name = "erfc",
    .summary = "Compute the complementary error function of `input`.",
    .details = "erfc(x) = 1 - erf(x), with all digits in the far tail, within 4 ULP.",
    .example = {"[0.0, 1.0]", "[1.0000, 0.1573]"},
    .kernel = kernels::unary<functors::Erfc>,
    .keep = Keep::first,
    .gradient = [](const Backward& at) -> Grads {
      return at.grad * (garboard::exp(-square(at.input(0))) * -1.1283791670955126);
    },
};
inline constexpr Unary exp2{
    .name = "exp2",
    .summary = "Compute 2 to the power of `input`.",
    .details = "Within 1.5 ULP.",
    .example = {"[0.0, 3.0]", "[1., 8.]"},
    .kernel = kernels::unary<functors::Exp2>,
    .keep = Keep::output,
    .gradient = [](const Backward& at) -> Grads {
      return at.grad * (at.output() * 0.69314718055994531);
    },
};
inline constexpr Unary expm1{
    .name = "expm1",
    .summary = "Compute e to the power of `input`, less 1.",
    .details = "With all digits near 0, within 2 ULP.",
    .example = {"[0.0, 1.0]", "[0.0000, 1.7183]"},
    .kernel = kernels::unary<functors::Expm1>,
    .keep = Keep::output,
    .gradient = [](const Backward& at) -> Grads { return at.grad * (at.output() + 1.0); },
};
inline constexpr Unary log10{
    .name = "log10",
    .summary = "Compute the logarithm of `input` to the base 10.",
    .details = "Within 2 ULP; -inf at 0, NaN below it.",
    .example = {"[1.0, 1000.0]", "[0., 3.]"},
    .kernel = kernels::unary<functors::Log10>,
    .keep = Keep::first,
    .gradient = [](const Backward& at) -> Grads {
      return at.grad / (at.input(0) * 2.3025850929940457);
    },
};
inline constexpr Unary log1p{
    .name = "log1p",
    .summary = "Compute the natural logarithm of 1 + `input`.",
    .details = "With all digits near 0, within 2 ULP; -inf at -1, NaN below it.",
    .example = {"[0.0, 1.0]", "[0.0000, 0.6931]"},
    .kernel = kernels::unary<functors::Log1p>,
    .keep = Keep::first,
    .gradient = [](const Backward& at) -> Grads { return at.grad / (at.input(0) + 1.0); },
};
inline constexpr Unary log2{
    .name = "log2",
    .summary = "Compute the logarithm of `input` to the base 2.",
    .details = "Within 2 ULP, exact for powers of 2; -inf at 0, NaN below it.",
    .example = {"[1.0, 8.0]", "[0., 3.]"},
    .kernel = kernels::unary<functors::Log2>,
    .keep = Keep::first,
    .gradient = [](const Backward& at) -> Grads {
      return at.grad / (at.input(0) * 0.69314718055994531);
    },
};
inline constexpr Unary logsigmoid{
    .name = "logsigmoid",
    .summary = "Compute the logarithm of the logistic function of `input`.",
    .details = "logsigmoid(x) = ln(1 / (1 + exp(-x))), without overflow, within 3 ULP.",
    .example = {"[0.0, 2.0]", "[-0.6931, -0.1269]"},
    .kernel = kernels::unary<functors::LogSigmoid>,
    .keep = Keep::first,
    .gradient = gradients::logsigmoid,
    .place = Place::functional,
    .in_place = InPlace::no,
    .is_in_rows = true,
};
inline constexpr Unary silu{
    .name = "silu",
    .summary = "Multiply `input` by its logistic function.",
    .details =
        "silu(x) = x / (1 + exp(-x)), within 4 ULP (Elfwing et al., arXiv:1702.03118); also called "
        "swish.",
    .example = {"[0.0, 2.0]", "[0.0000, 1.7616]"},
    .kernel = kernels::unary<functors::Silu>,
    .keep = Keep::first,
    .gradient = [](const Backward& at) -> Grads {
      return silu_gradient.of_gradient(at, at.input(0));
    },
    .place = Place::functional,
    .in_place = InPlace::no,
    .remake = [](GradNode& node) { return remade_from_input(silu, node); },
};
inline constexpr Unary sinh{
    .name = "sinh",
    .summary = "Compute the hyperbolic sine of `input`.",
    .details = "sinh(x) = (exp(x) - exp(-x)) / 2, within 2 ULP.",
    .example = {"[0.0, 1.0]", "[0.0000, 1.1752]"},
    .kernel = kernels::unary<functors::Sinh>,
    .keep = Keep::first,
    .gradient = [](const Backward& at) -> Grads { return at.grad * cosh(at.input(0)); },
};
inline constexpr Unary tan{
    .name = "tan",
    .summary = "Compute the tangent of `input`, in radians.",
    .details = "Within 4 ULP.",
    .example = {"[0.0, 1.0]", "[0.0000, 1.5574]"},
    .kernel = kernels::unary<functors::Tan>,
    .keep = Keep::output,
    .gradient = [](const Backward& at) -> Grads { return at.grad * (square(at.output()) + 1.0); },
};
inline constexpr Binary atan2{
    .name = "atan2",
    .summary = "Compute the angle of the point (`other`, `input`), in radians.",
    .details = "In [-pi, pi], by the signs of both; within 4 ULP.",
    .example = {"[1.0, 1.0]", "[1.0, -1.0]", "[0.7854, 2.3562]"},
    .kernel = kernels::binary<functors::Atan2>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::atan2,
};
inline constexpr Binary copysign{
    .name = "copysign",
    .summary = "Give `input` the sign of `other`.",
    .details = "That of a zero and of NaN counts, too.",
    .example = {"[1.5, -2.0]", "[-1.0, 3.0]", "[-1.5000,  2.0000]"},
    .kernel = kernels::binary<functors::CopySign>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::copysign,
};
inline constexpr Binary fmod{
    .name = "fmod",
    .summary = "Compute the remainder of `input` divided by `other`, with the sign of `input`.",
    .details = "By 0 an integer gives 0, and a float NaN.",
    .example = {"[7, -7]", "[3, 3]", "[ 1, -1]"},
    .kernel = kernels::binary<functors::Fmod>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::fmod,
};
inline constexpr Binary hypot{
    .name = "hypot",
    .summary = "Compute the length of the point (`input`, `other`).",
    .details = "sqrt(input^2 + other^2), without overflow, within 2 ULP.",
    .example = {"[3.0, 1.0]", "[4.0, 0.0]", "[5., 1.]"},
    .kernel = kernels::binary<functors::Hypotenuse>,
    .keep = Keep::first | Keep::second | Keep::output,
    .gradient = gradients::hypot,
};
inline constexpr Binary logaddexp{
    .name = "logaddexp",
    .summary = "Compute the logarithm of the sum of two exponentials.",
    .details = "ln(exp(input) + exp(other)), without overflow.",
    .example = {"[0.0, 100.0]", "[0.0, 100.0]", "[  0.6931, 100.6931]"},
    .kernel = kernels::binary<functors::LogAddExp>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::logaddexp,
    .place = Place::everywhere,
    .in_place = InPlace::no,
};

/// What users can call, in the order of the documentation.
inline constexpr std::array transcendental_ops{&acos, &acosh,      &asin, &asinh, &atan,  &atanh,
                                               &cosh, &erfc,       &exp2, &expm1, &log10, &log1p,
                                               &log2, &logsigmoid, &silu, &sinh,  &tan};
inline constexpr std::array transcendental_pairs{&atan2, &copysign, &fmod, &hypot, &logaddexp};

}  // namespace garboard
