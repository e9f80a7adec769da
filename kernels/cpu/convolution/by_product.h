// Convolutions as products of matrices with a copy of what each tap meets, a part of it at a time:
// docs/design/0047.
#pragma once

#include "kernels/windows.h"

namespace garboard::kernels::GARBOARD_ISA {

/// Whether those below are the fastest, of float32 and float64; about sizes alone.
bool suits_product(const Convolve& of) noexcept;
bool suits_product(const ConvolutionInputGradient& of) noexcept;
bool suits_product(const ConvolutionWeightGradient& of) noexcept;
void convolve_by_product(const Convolve& of);
void input_gradient_by_product(const ConvolutionInputGradient& of);
void weight_gradient_by_product(const ConvolutionWeightGradient& of);

}  // namespace garboard::kernels::GARBOARD_ISA
