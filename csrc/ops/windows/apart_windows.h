// Convolutions whose windows lie side by side and cover the input, as those that cut an image into
// patches: products with what the windows meet, on the CPU.
#pragma once

#include "csrc/ops/windows/convolution_form.h"

namespace garboard {

/// Whether windows lie so on `device`, and lines of at least `least` elements are worth a copy.
bool lie_apart(const ConvolutionForm& form, Device device, std::int64_t least);

// What kernels of a convolution compute, into tensors that are dense and have no history; `bias`
// may be null.
void convolve_apart(const ConvolutionForm& form, const Tensor& x, const Tensor& weight,
                    const Tensor& bias, const Tensor& out);
void gather_apart(const ConvolutionForm& form, const Tensor& grad, const Tensor& weight,
                  const Tensor& bias, const Tensor& x);
void weigh_apart(const ConvolutionForm& form, const Tensor& grad, const Tensor& x,
                 const Tensor& weight);

}  // namespace garboard
