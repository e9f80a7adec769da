// The matrices that a convolution multiplies where it is a product: views of dense tensors.
#pragma once

#include "csrc/ops/windows/convolution_form.h"
#include "kernels/run.h"

namespace garboard {

inline View dense_view(const Tensor& tensor, const Dims& sizes) {
  return make_view(tensor.data(), tensor.dtype(), sizes, contiguous_strides(sizes));
}

/// [out channels, channels x taps].
inline View factors_of(const Tensor& weight, const ConvolutionForm& form) {
  return dense_view(weight, {form.out_channels, form.channels * product(form.taps)});
}

/// [n, out channels, places].
inline View planes_of(const Tensor& out, const ConvolutionForm& form) {
  return dense_view(out, {form.samples, form.out_channels, product(form.places)});
}

/// The same matrix for each sample.
inline View for_samples(const View& matrix, const ConvolutionForm& form) {
  return make_view(matrix.data, matrix.dtype, {form.samples, matrix.sizes[0], matrix.sizes[1]},
                   {0, matrix.strides[0], matrix.strides[1]});
}

/// A view whose dims `a` and `b` have changed places.
inline View swapped(const View& view, int a, int b) {
  Dims sizes = view.sizes, strides = view.strides;
  std::swap(sizes[a], sizes[b]);
  std::swap(strides[a], strides[b]);
  return make_view(view.data, view.dtype, sizes, strides);
}

/// Begins sums of `to`, a view of [a, channels, b], with the bias. False where there is none.
inline bool begin_with(const Tensor& bias, const View& to, Device device) {
  if (!bias) return false;
  kernels::run(kernels::Copy{to, make_view(bias.data(), bias.dtype(), to.sizes, {0, 1, 0})},
               device);
  return true;
}

}  // namespace garboard
