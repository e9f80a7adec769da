// Bessel functions of orders 0 and 1, plain and modified.
#pragma once

#include <array>

#include "csrc/ops/elementwise/unary.h"

namespace garboard {

namespace gradients {
Grads i0(const Backward&);
Grads i0e(const Backward&);
Grads i1(const Backward&);
Grads i1e(const Backward&);
Grads bessel_j0(const Backward&);
Grads bessel_j1(const Backward&);
Grads bessel_y0(const Backward&);
Grads bessel_y1(const Backward&);
}  // namespace gradients

inline constexpr Unary i0{
    .name = "i0",
    .summary = "Compute the modified Bessel function of the first kind, of order 0.",
    .details = "Within 3 ULP.",
    .example = {"[0.0, 1.0]", "[1.0000, 1.2661]"},
    .kernel = kernels::unary<functors::BesselI0>,
    .keep = Keep::first,
    .gradient = gradients::i0,
};
inline constexpr Unary i0e{
    .name = "i0e",
    .summary = "Compute the modified Bessel function of order 0, times exp(-|input|).",
    .details = "Within 3 ULP.",
    .example = {"[0.0, 100.0]", "[1.0000, 0.0399]"},
    .kernel = kernels::unary<functors::BesselI0e>,
    .keep = Keep::first | Keep::output,
    .gradient = gradients::i0e,
    .place = Place::functional,
    .in_place = InPlace::no,
};
inline constexpr Unary i1{
    .name = "i1",
    .summary = "Compute the modified Bessel function of the first kind, of order 1.",
    .details = "Within 3 ULP.",
    .example = {"[0.0, 1.0]", "[0.0000, 0.5652]"},
    .kernel = kernels::unary<functors::BesselI1>,
    .keep = Keep::first | Keep::output,
    .gradient = gradients::i1,
    .place = Place::functional,
    .in_place = InPlace::no,
};
inline constexpr Unary i1e{
    .name = "i1e",
    .summary = "Compute the modified Bessel function of order 1, times exp(-|input|).",
    .details = "Within 3 ULP.",
    .example = {"[0.0, 100.0]", "[0.0000, 0.0397]"},
    .kernel = kernels::unary<functors::BesselI1e>,
    .keep = Keep::first | Keep::output,
    .gradient = gradients::i1e,
    .place = Place::functional,
    .in_place = InPlace::no,
};
inline constexpr Unary bessel_j0{
    .name = "bessel_j0",
    .summary = "Compute the Bessel function of the first kind, of order 0.",
    .details = "Within 4 ULP of 1.",
    .example = {"[0.0, 1.0]", "[1.0000, 0.7652]"},
    .kernel = kernels::unary<functors::BesselJ0>,
    .keep = Keep::first,
    .gradient = gradients::bessel_j0,
    .place = Place::functional,
    .in_place = InPlace::no,
};
inline constexpr Unary bessel_j1{
    .name = "bessel_j1",
    .summary = "Compute the Bessel function of the first kind, of order 1.",
    .details = "Within 4 ULP of 1.",
    .example = {"[0.0, 1.0]", "[0.0000, 0.4401]"},
    .kernel = kernels::unary<functors::BesselJ1>,
    .keep = Keep::first | Keep::output,
    .gradient = gradients::bessel_j1,
    .place = Place::functional,
    .in_place = InPlace::no,
};
inline constexpr Unary bessel_y0{
    .name = "bessel_y0",
    .summary = "Compute the Bessel function of the second kind, of order 0.",
    .details = "Within 4 ULP of the larger of it and 1; -inf at 0, NaN below.",
    .example = {"[1.0, 2.0]", "[0.0883, 0.5104]"},
    .kernel = kernels::unary<functors::BesselY0>,
    .keep = Keep::first,
    .gradient = gradients::bessel_y0,
    .place = Place::functional,
    .in_place = InPlace::no,
};
inline constexpr Unary bessel_y1{
    .name = "bessel_y1",
    .summary = "Compute the Bessel function of the second kind, of order 1.",
    .details = "Within 4 ULP of the larger of it and 1; -inf at 0, NaN below.",
    .example = {"[1.0, 2.0]", "[-0.7812, -0.1070]"},
    .kernel = kernels::unary<functors::BesselY1>,
    .keep = Keep::first | Keep::output,
    .gradient = gradients::bessel_y1,
    .place = Place::functional,
    .in_place = InPlace::no,
};

/// What users can call, in the order of the documentation.
inline constexpr std::array bessel_ops{&i0,        &i0e,       &i1,        &i1e,
                                       &bessel_j0, &bessel_j1, &bessel_y0, &bessel_y1};

}  // namespace garboard
