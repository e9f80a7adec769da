// Complex numbers and their parts.
#pragma once

#include "csrc/ops/op/op.h"

namespace garboard {

/// x - iy of x + iy; `input` itself where it is not complex.
Tensor conj(const Tensor& input);
/// z / |z|, and 0 of 0; of real numbers their sign.
Tensor sgn(const Tensor& input);

// Views: writing into them writes the complex numbers.

/// `input` itself where it is not complex.
Tensor real(const Tensor& input);
/// Raises DTypeError for what is not complex.
Tensor imag(const Tensor& input);
/// Both parts of each number, along a last dim of two. Raises DTypeError for what is not complex,
/// and ShapeError where there is no room for the dim.
Tensor view_as_real(const Tensor& input);
/// Two floats along a last dim as one number. Raises DTypeError for what is neither float32 nor
/// float64, and ShapeError where the parts of a number do not lie side by side.
Tensor view_as_complex(const Tensor& input);

}  // namespace garboard
