// Batch, group and instance normalisation.
#pragma once

#include "csrc/tensor/tensor.h"

namespace garboard {

/// What was normalised, and the mean and the variance of each slab, which no gradient reaches.
struct NormalizedChannels {
  Tensor out, means, variances;
};

/// (input - mean) / sqrt(variance + epsilon) * weight + bias of [samples, channels, ...], of
/// floating dtypes, half types computed in float32: the mean and the variance, divided by the
/// count, of a channel in all samples, or, of `groups` above 0, of a group of channels in each.
/// Weight and bias are [channels], of the input's dtype or, beside a half type, float32, or empty.
/// Means and variances of half types are float32. Raises ShapeError, DTypeError, DeviceError.
NormalizedChannels normalize_channels(const Tensor& input, const Tensor& weight, const Tensor& bias,
                                      std::int64_t groups, double epsilon);

/// input * scale + shift, of [samples, channels, ...] and [channels] of its floating dtype: a
/// normalisation by numbers that are known. Raises ShapeError, DTypeError, DeviceError.
Tensor scale_channels(const Tensor& input, const Tensor& scale, const Tensor& shift);

}  // namespace garboard
