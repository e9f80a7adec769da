// Convolutions of int64, whose sums wrap: made of views and products of matrices.
#pragma once

#include "csrc/ops/windows/convolution_form.h"

namespace garboard {

/// What `convolution` computes; x is [n, channels, *sizes], and `bias` may be empty.
Tensor convolve_integers(const Tensor& x, const Tensor& weight, const Tensor& bias,
                         const ConvolutionForm& form);

/// What `transposed_convolution` computes, of [n, out channels, *places].
Tensor gather_integers(const Tensor& x, const Tensor& weight, const Tensor& bias,
                       const ConvolutionForm& form);

}  // namespace garboard
