// Convolutions, by their formula: each thread computes one element of the result and reads what it
// is the sum of, in one order on every GPU. Nothing is asked of them but the right result.
#include "kernels/cuda/launch/launch.h"
#include "kernels/cuda/launch/parts.h"

namespace garboard::kernels::cuda {
namespace {

/// Rows are a group's out channels, channels those of its share of the input.
struct GroupShape {
  std::int64_t samples, length, places, taps, groups, rows, channels, stride, padding, dilation;

  explicit GroupShape(const Convolution& of)
      : samples(of.x.sizes[0]),
        length(of.x.sizes[2]),
        places(of.out.sizes[2]),
        taps(of.weight.sizes[2]),
        groups(of.groups),
        rows(of.weight.sizes[0] / of.groups),
        channels(of.weight.sizes[1]),
        stride(of.stride),
        padding(of.padding),
        dilation(of.dilation) {}

  /// Where a tap meets the input, perhaps outside of it.
  GARBOARD_HD std::int64_t met(std::int64_t place, std::int64_t tap) const {
    return place * stride + tap * dilation - padding;
  }
  GARBOARD_HD bool is_inside(std::int64_t at) const { return at >= 0 && at < length; }
};

template <class T>
__global__ void convolve(T* out, const T* x, const T* weight, const T* bias, GroupShape shape,
                         std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= count) return;
  const std::int64_t place = i % shape.places, row = i / shape.places % (shape.groups * shape.rows);
  const std::int64_t sample = i / shape.places / (shape.groups * shape.rows);
  x += (sample * shape.groups + row / shape.rows) * shape.channels * shape.length;
  weight += row * shape.channels * shape.taps;
  T sum = bias ? bias[row] : T(0);
  for (std::int64_t c = 0; c < shape.channels; ++c)
    for (std::int64_t k = 0; k < shape.taps; ++k) {
      const std::int64_t at = shape.met(place, k);
      if (shape.is_inside(at)) sum += weight[c * shape.taps + k] * x[c * shape.length + at];
    }
  out[i] = sum;
}

template <class T>
__global__ void input_gradient(T* x, const T* out, const T* weight, GroupShape shape,
                               std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= count) return;
  const std::int64_t at = i % shape.length, channel = i / shape.length % shape.channels;
  const std::int64_t share = i / shape.length / shape.channels;  // of a sample, a group's
  out += share * shape.rows * shape.places;
  weight += (share % shape.groups * shape.rows * shape.channels + channel) * shape.taps;
  T sum(0);
  for (std::int64_t k = 0; k < shape.taps; ++k) {
    const std::int64_t step = at + shape.padding - k * shape.dilation;
    const std::int64_t place = step / shape.stride;
    if (step < 0 || step % shape.stride != 0 || place >= shape.places) continue;
    for (std::int64_t row = 0; row < shape.rows; ++row)
      sum += weight[row * shape.channels * shape.taps + k] * out[row * shape.places + place];
  }
  x[i] = sum;
}

template <class T>
__global__ void weight_gradient(T* weight, const T* out, const T* x, GroupShape shape,
                                std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= count) return;
  const std::int64_t tap = i % shape.taps, channel = i / shape.taps % shape.channels;
  const std::int64_t row = i / shape.taps / shape.channels, group = row / shape.rows;
  T sum(0);
  for (std::int64_t sample = 0; sample < shape.samples; ++sample) {
    const T* const from_out = out + (sample * shape.groups * shape.rows + row) * shape.places;
    const T* const from_x =
        x + ((sample * shape.groups + group) * shape.channels + channel) * shape.length;
    for (std::int64_t place = 0; place < shape.places; ++place) {
      const std::int64_t at = shape.met(place, tap);
      if (shape.is_inside(at)) sum += from_out[place] * from_x[at];
    }
  }
  weight[i] = sum;
}

}  // namespace

template <>
void kernel(const Conv1d& of, Stream stream) {
  visit_dtype(of.x.dtype, [&]<class T>(Type<T>) {
    if constexpr (functors::Real<T>)
      launch(convolve<T>, {divided_up(of.out.count, threads), stream}, of.out.as<T>(), of.x.as<T>(),
             of.weight.as<T>(), of.bias.as<T>(), GroupShape(of), of.out.count);
  });
}
template <>
void kernel(const Conv1dInputGradient& of, Stream stream) {
  visit_dtype(of.x.dtype, [&]<class T>(Type<T>) {
    if constexpr (functors::Real<T>)
      launch(input_gradient<T>, {divided_up(of.x.count, threads), stream}, of.x.as<T>(),
             of.out.as<T>(), of.weight.as<T>(), GroupShape(of), of.x.count);
  });
}
template <>
void kernel(const Conv1dWeightGradient& of, Stream stream) {
  visit_dtype(of.x.dtype, [&]<class T>(Type<T>) {
    if constexpr (functors::Real<T>)
      launch(weight_gradient<T>, {divided_up(of.weight.count, threads), stream}, of.weight.as<T>(),
             of.out.as<T>(), of.x.as<T>(), GroupShape(of), of.weight.count);
  });
}

}  // namespace garboard::kernels::cuda
