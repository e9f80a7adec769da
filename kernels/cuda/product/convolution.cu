// Convolutions: cuDNN's, or by products of matrices, or, of few channels, by their formula: each
// thread computes one element of the result and reads what it is the sum of, in one order on every
// GPU, and in float where it is of a half type.
#include "kernels/cuda/launch/launch.h"
#include "kernels/cuda/launch/parts.h"
#include "kernels/cuda/loop/elementwise.h"
#include "kernels/cuda/product/convolution_by_products.h"
#include "kernels/cuda/product/convolution_shape.h"
#include "kernels/cuda/product/cudnn.h"
#include "kernels/cuda/product/switches.h"
#include "kernels/functors/binary.h"
#include "kernels/functors/in_float.h"

namespace garboard::kernels::cuda {
namespace {

using functors::widened;
using functors::Widened;

template <class T>
__global__ void convolve(T* out, const T* x, const T* weight, const T* bias, GroupShape shape,
                         std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= count) return;
  const std::int64_t place = i % shape.places, row = i / shape.places % (shape.groups * shape.rows);
  const std::int64_t sample = i / shape.places / (shape.groups * shape.rows);
  x += (sample * shape.groups + row / shape.rows) * shape.channels * shape.size;
  weight += row * shape.channels * shape.taps;
  Widened<T> sum = bias ? widened(bias[row]) : 0;
  for (std::int64_t k = 0; k < shape.taps; ++k) {
    const std::int64_t at = shape.met(place, k);
    if (at < 0) continue;
    for (std::int64_t c = 0; c < shape.channels; ++c)
      sum += widened(weight[c * shape.taps + k]) * widened(x[c * shape.size + at]);
  }
  out[i] = static_cast<T>(sum);
}

template <class T>
__global__ void input_gradient(T* x, const T* out, const T* weight, const T* bias, GroupShape shape,
                               std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= count) return;
  const std::int64_t at = i % shape.size, channel = i / shape.size % shape.channels;
  const std::int64_t share = i / shape.size / shape.channels;  // of a sample, a group's
  out += share * shape.rows * shape.places;
  const std::int64_t group = share % shape.groups;
  weight += (group * shape.rows * shape.channels + channel) * shape.taps;
  Widened<T> sum = bias ? widened(bias[group * shape.channels + channel]) : 0;
  for (std::int64_t k = 0; k < shape.taps; ++k) {
    const std::int64_t place = shape.place(at, k);
    if (place < 0) continue;
    for (std::int64_t row = 0; row < shape.rows; ++row)
      sum += widened(weight[row * shape.channels * shape.taps + k]) *
             widened(out[row * shape.places + place]);
  }
  x[i] = static_cast<T>(sum);
}

template <class T>
__global__ void weight_gradient(T* weight, const T* out, const T* x, GroupShape shape,
                                std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= count) return;
  const std::int64_t tap = i % shape.taps, channel = i / shape.taps % shape.channels;
  const std::int64_t row = i / shape.taps / shape.channels, group = row / shape.rows;
  Widened<T> sum = 0;
  for (std::int64_t sample = 0; sample < shape.samples; ++sample) {
    const T* const from_out = out + (sample * shape.groups * shape.rows + row) * shape.places;
    const T* const from_x =
        x + ((sample * shape.groups + group) * shape.channels + channel) * shape.size;
    for (std::int64_t place = 0; place < shape.places; ++place) {
      const std::int64_t at = shape.met(place, tap);
      if (at >= 0) sum += widened(from_out[place]) * widened(from_x[at]);
    }
  }
  weight[i] = static_cast<T>(sum);
}

/// Whether it is queued, without its bias.
bool is_done(const Convolution& of, ConvolutionPart part, Stream stream) {
  if (convolve_by_cudnn && switches.uses_cudnn && convolve_by_cudnn(of, part, stream)) return true;
  return convolve_by_products(of, part, stream);
}

/// x += bias, which has an element for each channel.
void add_bias(const View& x, const View& bias, Stream stream) {
  if (!bias.data) return;
  Dims strides = Dims::filled(x.sizes.size(), 0);
  strides[1] = 1;
  const View wide = make_view(bias.data, bias.dtype, x.sizes, strides);
  visit_floating(x.dtype, [&]<class T>(Type<T>) {
    cuda::run<functors::On<functors::Add, T>, T, T>(stream, x, x, wide);
  });
}

}  // namespace

template <>
void kernel(const Convolve& of, Stream stream) {
  if (is_done(of, ConvolutionPart::out, stream)) return add_bias(of.out, of.bias, stream);
  visit_floating(of.x.dtype, [&]<class T>(Type<T>) {
    launch(convolve<T>, {divided_up(of.out.count, threads), stream}, of.out.as<T>(), of.x.as<T>(),
           of.weight.as<T>(), of.bias.as<T>(), GroupShape(of), of.out.count);
  });
}
template <>
void kernel(const ConvolutionInputGradient& of, Stream stream) {
  if (is_done(of, ConvolutionPart::x, stream)) return add_bias(of.x, of.bias, stream);
  visit_floating(of.x.dtype, [&]<class T>(Type<T>) {
    launch(input_gradient<T>, {divided_up(of.x.count, threads), stream}, of.x.as<T>(),
           of.out.as<T>(), of.weight.as<T>(), of.bias.as<T>(), GroupShape(of), of.x.count);
  });
}
template <>
void kernel(const ConvolutionWeightGradient& of, Stream stream) {
  if (is_done(of, ConvolutionPart::weight, stream)) return;
  visit_floating(of.x.dtype, [&]<class T>(Type<T>) {
    launch(weight_gradient<T>, {divided_up(of.weight.count, threads), stream}, of.weight.as<T>(),
           of.out.as<T>(), of.x.as<T>(), GroupShape(of), of.weight.count);
  });
}

}  // namespace garboard::kernels::cuda
