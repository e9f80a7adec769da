// Convolutions.
#pragma once

#include "csrc/tensor/tensor.h"

namespace garboard {

/// Zeros on each side of an input: so many along each dim, or as many in all as keep the sizes.
struct Padding {
  Dims counts{0};
  bool is_same = false;
};

/// Numbers a dim of space, or one for all of them.
struct ConvolutionOptions {
  Dims stride{1};
  Padding padding;
  Dims dilation{1};
  std::int64_t groups = 1;
  Dims output_padding{0};  // of a transposed convolution alone: places added at the end
};

/// Over `dims` of space, 1 to 3: out[n, o, t] = bias[o] + sum over c, k of weight[o, c, k]
/// input[n, c, t stride + k dilation - padding]: [n, channels, *sizes] or [channels, *sizes] by
/// [out channels, channels / groups, *taps]. `bias` may be empty. Of floating dtypes and
/// int64. Raises ShapeError, DTypeError, DeviceError.
Tensor convolution(int dims, const Tensor& input, const Tensor& weight, const Tensor& bias,
                   const ConvolutionOptions& options);

/// The gradient of a convolution for its input, as an op: [n, channels, *places] by [channels, out
/// channels / groups, *taps].
Tensor transposed_convolution(int dims, const Tensor& input, const Tensor& weight,
                              const Tensor& bias, const ConvolutionOptions& options);

/// What a gradient for the output of a convolution, of weight by input, is for the one of `sizes`
/// beside the other; over as many dims of space as the weight has behind two. Of floating dtypes.
/// Raise as `convolution` does.
Tensor convolution_input_gradient(const Tensor& grad, const Tensor& weight, const Dims& sizes,
                                  const ConvolutionOptions& options);
Tensor convolution_weight_gradient(const Tensor& grad, const Tensor& input, const Dims& sizes,
                                   const ConvolutionOptions& options);

}  // namespace garboard
