// Convolutions, by their formula: each thread computes one element of the result and reads what it
// is the sum of, in one order on every GPU. Nothing is asked of them but the right result.
#include "kernels/cuda/launch/launch.h"
#include "kernels/cuda/launch/parts.h"

namespace garboard::kernels::cuda {
namespace {

/// Rows are a group's out channels, channels those of its share of the input.
struct Form {
  std::int64_t samples, length, places, taps, groups, rows, channels, stride, padding, dilation;

  explicit Form(const Convolution& of)
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
__global__ void convolve(T* out, const T* x, const T* weight, const T* bias, Form form,
                         std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= count) return;
  const std::int64_t place = i % form.places, row = i / form.places % (form.groups * form.rows);
  const std::int64_t sample = i / form.places / (form.groups * form.rows);
  x += (sample * form.groups + row / form.rows) * form.channels * form.length;
  weight += row * form.channels * form.taps;
  T sum = bias ? bias[row] : T(0);
  for (std::int64_t c = 0; c < form.channels; ++c)
    for (std::int64_t k = 0; k < form.taps; ++k) {
      const std::int64_t at = form.met(place, k);
      if (form.is_inside(at)) sum += weight[c * form.taps + k] * x[c * form.length + at];
    }
  out[i] = sum;
}

template <class T>
__global__ void input_gradient(T* x, const T* out, const T* weight, Form form, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= count) return;
  const std::int64_t at = i % form.length, channel = i / form.length % form.channels;
  const std::int64_t share = i / form.length / form.channels;  // of a sample, a group's
  out += share * form.rows * form.places;
  weight += (share % form.groups * form.rows * form.channels + channel) * form.taps;
  T sum(0);
  for (std::int64_t k = 0; k < form.taps; ++k) {
    const std::int64_t step = at + form.padding - k * form.dilation;
    const std::int64_t place = step / form.stride;
    if (step < 0 || step % form.stride != 0 || place >= form.places) continue;
    for (std::int64_t row = 0; row < form.rows; ++row)
      sum += weight[row * form.channels * form.taps + k] * out[row * form.places + place];
  }
  x[i] = sum;
}

template <class T>
__global__ void weight_gradient(T* weight, const T* out, const T* x, Form form,
                                std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= count) return;
  const std::int64_t tap = i % form.taps, channel = i / form.taps % form.channels;
  const std::int64_t row = i / form.taps / form.channels, group = row / form.rows;
  T sum(0);
  for (std::int64_t sample = 0; sample < form.samples; ++sample) {
    const T* const from_out = out + (sample * form.groups * form.rows + row) * form.places;
    const T* const from_x =
        x + ((sample * form.groups + group) * form.channels + channel) * form.length;
    for (std::int64_t place = 0; place < form.places; ++place) {
      const std::int64_t at = form.met(place, tap);
      if (form.is_inside(at)) sum += from_out[place] * from_x[at];
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
             of.weight.as<T>(), of.bias.as<T>(), Form(of), of.out.count);
  });
}
template <>
void kernel(const Conv1dInputGradient& of, Stream stream) {
  visit_dtype(of.x.dtype, [&]<class T>(Type<T>) {
    if constexpr (functors::Real<T>)
      launch(input_gradient<T>, {divided_up(of.x.count, threads), stream}, of.x.as<T>(),
             of.out.as<T>(), of.weight.as<T>(), Form(of), of.x.count);
  });
}
template <>
void kernel(const Conv1dWeightGradient& of, Stream stream) {
  visit_dtype(of.x.dtype, [&]<class T>(Type<T>) {
    if constexpr (functors::Real<T>)
      launch(weight_gradient<T>, {divided_up(of.weight.count, threads), stream}, of.weight.as<T>(),
             of.out.as<T>(), of.x.as<T>(), Form(of), of.weight.count);
  });
}

}  // namespace garboard::kernels::cuda
