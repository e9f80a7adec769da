// Special functions, shifts, and what else fewer programs call.
#pragma once

#include <array>

#include "csrc/ops/elementwise/unary.h"

namespace garboard {

namespace gradients {
Grads digamma(const Backward&);
Grads fmax(const Backward&);
Grads fmin(const Backward&);
Grads logaddexp2(const Backward&);
Grads trigamma(const Backward&);
Grads xlogy(const Backward&);
}  // namespace gradients

/// The slope of digamma; users do not see it.
inline constexpr Unary trigamma{
    .name = "trigamma",
    .summary = "Compute the second derivative of the logarithm of the gamma function.",
    .kernel = kernels::unary<functors::Trigamma>,
    .keep = Keep::first,
    .gradient = gradients::trigamma,
};
inline constexpr Unary digamma{
    .name = "digamma",
    .summary = "Compute the slope of the logarithm of the gamma function at `input`.",
    .details = "Within 5 ULP of the larger of it and 1; -inf at 0, NaN at negative integers.",
    .example = {"[1.0, 2.0]", "[-0.5772,  0.4228]"},
    .kernel = kernels::unary<functors::Digamma>,
    .keep = Keep::first,
    .gradient = gradients::digamma,
};
inline constexpr Unary erfinv{
    .name = "erfinv",
    .summary = "Compute the number whose error function is `input`.",
    .details = "Within 4 ULP; infinite at 1 and -1, NaN beyond.",
    .example = {"[0.0, 0.5]", "[0.0000, 0.4769]"},
    .kernel = kernels::unary<functors::ErfInv>,
    .keep = Keep::output,
    .gradient = [](const Backward& at) -> Grads {
      return at.grad * (garboard::exp(square(at.output())) * 0.88622692545275801);
    },
};
inline constexpr Unary lgamma{
    .name = "lgamma",
    .summary = "Compute the logarithm of the size of the gamma function at `input`.",
    .details =
        "Within 4 ULP above 0, and of the larger of it and 1 below; inf at 0 and at negative "
        "integers.",
    .example = {"[1.0, 5.0]", "[0.0000, 3.1781]"},
    .kernel = kernels::unary<functors::LogGamma>,
    .keep = Keep::first,
    .gradient = [](const Backward& at) -> Grads { return at.grad * digamma(at.input(0)); },
};
inline constexpr Unary signbit{
    .name = "signbit",
    .summary = "Test where `input` has a sign.",
    .details = "So do -0 and some NaN.",
    .example = {"[1.0, -0.0]", "[False, True]"},
    .kernel = kernels::unary<functors::SignBit>,
    .in_place = InPlace::no,
};
inline constexpr Binary bitwise_left_shift{
    .name = "bitwise_left_shift",
    .summary = "Move the bits of `input` to the left by `other`.",
    .details = "input * 2^other, wrapping; 0 by a negative number, or by as many as there are.",
    .example = {"[1, 5]", "[3, 1]", "[ 8, 10]"},
    .kernel = kernels::binary<functors::ShiftLeft>,
};
inline constexpr Binary bitwise_right_shift{
    .name = "bitwise_right_shift",
    .summary = "Move the bits of `input` to the right by `other`.",
    .details =
        "input / 2^other, rounded down; -1 or 0, by the sign, by a negative number or by as many "
        "as there are.",
    .example = {"[8, -5]", "[3, 1]", "[ 1, -3]"},
    .kernel = kernels::binary<functors::ShiftRight>,
};
inline constexpr Binary fmax{
    .name = "fmax",
    .summary = "Take the larger of `input` and `other`, the number where one is NaN.",
    .details = "The gradient goes to what was taken, to `input` where both are equal.",
    .example = {"[1.0, float('nan')]", "[3.0, 2.0]", "[3., 2.]"},
    .kernel = kernels::binary<functors::LargerNumber>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::fmax,
    .place = Place::everywhere,
    .in_place = InPlace::no,
};
inline constexpr Binary fmin{
    .name = "fmin",
    .summary = "Take the smaller of `input` and `other`, the number where one is NaN.",
    .details = "The gradient goes to what was taken, to `input` where both are equal.",
    .example = {"[1.0, float('nan')]", "[3.0, 2.0]", "[1., 2.]"},
    .kernel = kernels::binary<functors::SmallerNumber>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::fmin,
    .place = Place::everywhere,
    .in_place = InPlace::no,
};
inline constexpr Binary gcd{
    .name = "gcd",
    .summary = "Compute the greatest common divisor of `input` and `other`.",
    .details = "At least 0; of two zeros 0.",
    .example = {"[12, -8]", "[18, 0]", "[6, 8]"},
    .kernel = kernels::binary<functors::CommonDivisor>,
};
inline constexpr Binary heaviside{
    .name = "heaviside",
    .summary = "Compute the step function: 0 below 0, `other` at 0, 1 above.",
    .details = "0 where `input` is NaN.",
    .example = {"[-1.5, 0.0, 2.0]", "[0.5, 0.5, 0.5]", "[0.0000, 0.5000, 1.0000]"},
    .kernel = kernels::binary<functors::Heaviside>,
};
inline constexpr Binary logaddexp2{
    .name = "logaddexp2",
    .summary = "Compute the logarithm to the base 2 of the sum of two powers of 2.",
    .details = "log2(2^input + 2^other), without overflow.",
    .example = {"[0.0, 200.0]", "[0.0, 200.0]", "[  1., 201.]"},
    .kernel = kernels::binary<functors::LogAddExp2>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::logaddexp2,
    .place = Place::everywhere,
    .in_place = InPlace::no,
};
inline constexpr Binary xlogy{
    .name = "xlogy",
    .summary = "Multiply `input` by the logarithm of `other`; 0 where `input` is 0.",
    .details = "xlogy(x, y) = x ln(y), and 0 at x = 0 unless y is NaN.",
    .example = {"[0.0, 2.0]", "[0.0, 2.0]", "[0.0000, 1.3863]"},
    .kernel = kernels::binary<functors::TimesLog>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::xlogy,
};

/// What users can call, in the order of the documentation.
inline constexpr std::array special_ops{&digamma, &erfinv, &lgamma, &signbit};
inline constexpr std::array special_pairs{
    &bitwise_left_shift, &bitwise_right_shift, &fmax, &fmin, &gcd, &heaviside, &logaddexp2, &xlogy};

}  // namespace garboard
