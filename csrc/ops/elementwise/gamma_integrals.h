// The incomplete gamma functions, Hurwitz's zeta function, and the scaled tail of the error
// function.
#pragma once

#include <array>

#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/unary.h"

namespace garboard {

namespace gradients {
Grads erfcx(const Backward&);
Grads igamma(const Backward&);
Grads igammac(const Backward&);
Grads zeta(const Backward&);
}  // namespace gradients

inline constexpr Unary erfcx{
    .name = "erfcx",
    .summary = "Compute exp(input^2) times the complementary error function of `input`.",
    .details = "Within 4 ULP, where neither factor could be written down, too.",
    .example = {"[0.0, 100.0]", "[1.0000, 0.0056]"},
    .kernel = kernels::unary<functors::Erfcx>,
    .keep = Keep::first | Keep::output,
    .gradient = gradients::erfcx,
    .place = Place::functional,
    .in_place = InPlace::no,
};
inline constexpr Binary igamma{
    .name = "igamma",
    .summary = "Compute the lower incomplete gamma function of `input` up to `other`, regularized.",
    .details =
        "The integral of t^(input - 1) exp(-t) from 0 to `other`, over gamma(input); NaN where "
        "one is negative. `other` alone has a gradient.",
    .example = {"[1.0, 2.0]", "[1.0, 2.0]", "[0.6321, 0.5940]"},
    .kernel = kernels::binary<functors::GammaLower>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::igamma,
};
inline constexpr Binary igammac{
    .name = "igammac",
    .summary =
        "Compute the upper incomplete gamma function of `input` from `other` on, "
        "regularized.",
    .details =
        "The integral of t^(input - 1) exp(-t) from `other` to infinity, over gamma(input); NaN "
        "where one is negative. `other` alone has a gradient.",
    .example = {"[1.0, 2.0]", "[1.0, 2.0]", "[0.3679, 0.4060]"},
    .kernel = kernels::binary<functors::GammaUpper>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::igammac,
};
inline constexpr Binary zeta{
    .name = "zeta",
    .summary = "Compute Hurwitz's zeta function: the sum of (other + k)^-input over k from 0 on.",
    .details =
        "NaN where `input` is below 1, or `other` below 0 and `input` no integer; inf at their "
        "poles. `other` alone has a gradient.",
    .example = {"[2.0, 3.0]", "[1.0, 2.0]", "[1.6449, 0.2021]"},
    .kernel = kernels::binary<functors::Zeta>,
    .keep = Keep::first | Keep::second,
    .gradient = gradients::zeta,
    .place = Place::functional,
    .in_place = InPlace::no,
};

/// What users can call, in the order of the documentation.
inline constexpr std::array tail_ops{&erfcx};
inline constexpr std::array integral_pairs{&igamma, &igammac, &zeta};

}  // namespace garboard
