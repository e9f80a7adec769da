// Convolutions of which each out channel sees one channel alone: too thin for products.
#pragma once

#include "kernels/windows.h"

namespace garboard::kernels::GARBOARD_ISA {

/// Whether those below serve; about sizes alone.
bool is_depthwise(const Convolution& of) noexcept;
void convolve_depthwise(const Convolve& of);
void depthwise_input_gradient(const ConvolutionInputGradient& of);
void depthwise_weight_gradient(const ConvolutionWeightGradient& of);

/// Whether there are planes enough for the lanes of a vector; else each is computed by itself.
bool has_planes_for_lanes(const Convolution& of) noexcept;
void convolve_in_lanes(const Convolve& of);
void input_gradient_in_lanes(const ConvolutionInputGradient& of);
void weight_gradient_in_lanes(const ConvolutionWeightGradient& of);

}  // namespace garboard::kernels::GARBOARD_ISA
