// Convolutions of one tap, 1 x 1 say, or of one place: products with what is met there, on the CPU.
#pragma once

#include <optional>

#include "csrc/ops/windows/convolution_form.h"

namespace garboard {

/// The form itself if it has one tap; where the taps of its only place cover the input, one with a
/// channel for each of them, whose tensors lie as those do. Nothing for others, and elsewhere.
std::optional<ConvolutionForm> as_one_tap(const ConvolutionForm& form, Device device);

// What kernels of a convolution compute, into tensors that are dense and have no history; `bias`
// may be null.
void convolve_one_tap(const ConvolutionForm& form, const Tensor& x, const Tensor& weight,
                      const Tensor& bias, const Tensor& out);
void gather_one_tap(const ConvolutionForm& form, const Tensor& grad, const Tensor& weight,
                    const Tensor& bias, const Tensor& x);
void weigh_one_tap(const ConvolutionForm& form, const Tensor& grad, const Tensor& x,
                   const Tensor& weight);

}  // namespace garboard
