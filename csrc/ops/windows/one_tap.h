// Convolutions of one tap, 1 x 1 say: products with what the channels of a place are, on the CPU.
#pragma once

#include "csrc/ops/windows/convolution_form.h"

namespace garboard {

bool has_one_tap(const ConvolutionForm& form, Device device);

// What kernels of a convolution compute, into tensors that are dense and have no history; `bias`
// may be null.
void convolve_one_tap(const ConvolutionForm& form, const Tensor& x, const Tensor& weight,
                      const Tensor& bias, const Tensor& out);
void gather_one_tap(const ConvolutionForm& form, const Tensor& grad, const Tensor& weight,
                    const Tensor& bias, const Tensor& x);
void weigh_one_tap(const ConvolutionForm& form, const Tensor& grad, const Tensor& x,
                   const Tensor& weight);

}  // namespace garboard
