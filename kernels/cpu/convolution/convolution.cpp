// Convolutions and their gradients for the input, which are convolutions of what came back, one for
// each class of taps. How sums are cut depends on sizes alone, and so do the bits.
#include "kernels/cpu/convolution/amx/amx_gathering.h"
#include "kernels/cpu/convolution/by_product.h"
#include "kernels/cpu/convolution/depthwise.h"
#include "kernels/cpu/convolution/gathering.h"
#include "kernels/cpu/convolution/half_operands.h"
#include "kernels/cpu/convolution/winograd.h"
#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/taps/moved.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// Directly, or with fewer products.
template <class T>
void gather(const TapProduct<T>& what, bool of_pairs) {
  const Gathering<T> of(what, of_pairs);
  if constexpr (sizeof(T) == 4)
    if (Winograd::suits(of) && Winograd(of).run()) return;
  of.run();
}
void gather(const TapProduct<BFloat16>& of, bool) { AmxGathering(of).run(); }

template <class T>
void convolve(const Convolve& of, bool of_pairs = false) {
  const Sizes sizes(of);
  Target<T> target{of.out.as<T>(), sizes.out_stride(), {}, {1, 1, 1}, {}};
  for (int d = 0; d < space_dims; ++d) target.sizes[d] = sizes.places[d];
  TapFactors<T> factors{
      of.weight.as<T>(), sizes.rows * sizes.depth(), sizes.depth(), product(sizes.taps), {}};
  for (std::int64_t k = 0; k < product(sizes.taps); ++k) factors.taps.push_back(k);
  gather(TapProduct<T>{.samples = sizes.samples,
                       .groups = sizes.groups,
                       .rows = sizes.rows,
                       .channels = sizes.channels,
                       .factors = factors,
                       .moved = moved_input<T>(of, sizes),
                       .target = target,
                       .places = sizes.places,
                       .bias = of.bias.as<T>()},
         of_pairs);
}

/// Along one dim, element l of x meets tap k at place (l + padding - k dilation) / stride where
/// that is whole. So taps fall into classes that meet the same elements, every stride-th, and for
/// each class the gradient is a convolution of stride 1.
struct Classes {
  std::int64_t count, tap_step;

  Classes(std::int64_t stride, std::int64_t dilation) {
    const std::int64_t divisor = common_divisor(dilation, stride);
    count = stride / divisor;
    tap_step = -(dilation / divisor);
  }
};

/// The taps of a class, with rows and channels swapped in each group.
template <class T>
TapFactors<T> swapped(const T* weight, const Sizes& sizes, const std::int64_t (&first)[space_dims],
                      const std::int64_t (&step)[space_dims],
                      const std::int64_t (&taps)[space_dims]) {
  TapFactors<T> factors{weight, sizes.rows * sizes.depth(), product(sizes.taps), sizes.depth(), {}};
  for (std::int64_t z = 0; z < taps[0]; ++z)
    for (std::int64_t y = 0; y < taps[1]; ++y)
      for (std::int64_t x = 0; x < taps[2]; ++x)
        factors.taps.push_back(((first[0] + z * step[0]) * sizes.taps[1] + first[1] + y * step[1]) *
                                   sizes.taps[2] +
                               first[2] + x * step[2]);
  return factors;
}

/// The part of the gradient that comes through the class of taps `k`.
template <class T>
void gather_class(const ConvolutionInputGradient& of, const Sizes& sizes,
                  const std::int64_t (&k)[space_dims], bool of_pairs) {
  std::int64_t places[space_dims], steps[space_dims];
  Moved<T> moved{of.out.as<T>(), sizes.out_stride(), {}, {}, {}, {1, 1, 1}, {}, {}};
  Target<T> target{of.x.as<T>(), sizes.input_stride(), {}, {}, {}};
  for (int d = 0; d < space_dims; ++d) {
    const Classes classes(of.stride[d], of.dilation[d]);
    const std::int64_t stride = of.stride[d], shift = k[d] * of.dilation[d], rest = shift % stride;
    const std::int64_t first = larger(divided_up(of.padding[d] - rest, stride), 0);
    const std::int64_t last = divided_up(sizes.sizes[d] + of.padding[d] - rest, stride);
    if (last <= first) return;
    places[d] = last - first;
    steps[d] = classes.count;
    moved.sizes[d] = sizes.places[d];
    moved.places[d] = places[d];
    moved.taps[d] = divided_up(sizes.taps[d] - k[d], classes.count);
    moved.start[d] = first - shift / stride;
    moved.tap_step[d] = classes.tap_step;
    target.sizes[d] = sizes.sizes[d];
    target.step[d] = stride;
    target.start[d] = rest - of.padding[d] + first * stride;
  }
  const TapFactors<T> factors = swapped(of.weight.as<T>(), sizes, k, steps, moved.taps);
  moved.merge_lines();
  gather(TapProduct<T>{.samples = sizes.samples,
                       .groups = sizes.groups,
                       .rows = sizes.channels,
                       .channels = sizes.rows,
                       .factors = factors,
                       .moved = moved,
                       .target = target,
                       .places = places,
                       .bias = of.bias.as<T>()},
         of_pairs);
}

template <class T>
void gradient_of_input(const ConvolutionInputGradient& of, bool of_pairs = false) {
  const Sizes sizes(of);
  T* const x = of.x.as<T>();
  const T* const bias = of.bias.as<T>();
  std::int64_t classes[space_dims];
  for (int d = 0; d < space_dims; ++d) {
    const std::int64_t count = Classes(of.stride[d], of.dilation[d]).count;
    classes[d] = smaller(count, sizes.taps[d]);
  }
  const std::int64_t channel = product(sizes.sizes), channels = sizes.groups * sizes.channels;
  if (of.stride[0] > 1 || of.stride[1] > 1 || of.stride[2] > 1)  // some may meet no tap
    for_each_part(sizes.samples * channels, (1 << 16) / channel + 1,
                  static_cast<double>(of.x.count) * 0.2,
                  [&](std::int64_t first, std::int64_t last) {
                    for (std::int64_t i = first; i < last; ++i)
                      fill(x + i * channel, channel, bias ? bias[i % channels] : T(0));
                  });
  for (std::int64_t z = 0; z < classes[0]; ++z)
    for (std::int64_t y = 0; y < classes[1]; ++y)
      for (std::int64_t w = 0; w < classes[2]; ++w) {
        interruption_point();
        gather_class<T>(of, sizes, {z, y, w}, of_pairs);
      }
}

void run(const Convolve& of) {
  if (is_depthwise(of)) return convolve_depthwise(of);
  if (suits_product(of)) return convolve_by_product(of);
  of.x.dtype == DType::float32 ? convolve<float>(of) : convolve<double>(of);
}
void run(const ConvolutionInputGradient& of) {
  if (is_depthwise(of)) return depthwise_input_gradient(of);
  if (suits_product(of)) return input_gradient_by_product(of);
  of.x.dtype == DType::float32 ? gradient_of_input<float>(of) : gradient_of_input<double>(of);
}

void run_in_halves(const Convolve& of) {
  const Sizes sizes(of);
  const std::int64_t taps = product(sizes.taps), columns = sizes.samples * product(sizes.places);
  const std::int64_t width = moved_input<float>(of, sizes).places[2];
  if (of.x.dtype == DType::bfloat16 && !is_depthwise(of) &&
      AmxGathering::suits(sizes.rows, sizes.channels, taps, columns, of.x))
    return convolve<BFloat16>(of);
  HalfOperands<Convolve> operands(of, &Convolution::out);
  if (goes_by_pairs(of, sizes.rows, columns, sizes.depth()) &&
      Gathering<float>::suits_rows(sizes.rows, sizes.channels / 2, taps, width)) {
    operands.pair(&Convolution::x, 1, of.groups);
    operands.pair(&Convolution::weight, 1, 1);
    convolve<float>(operands.floats, true);
  } else {
    operands.widen(&Convolution::x);
    operands.widen(&Convolution::weight);
    run(operands.floats);
  }
  operands.round();
}
void run_in_halves(const ConvolutionInputGradient& of) {
  const Sizes sizes(of);
  const std::int64_t taps = product(sizes.taps), columns = sizes.samples * product(sizes.sizes);
  const std::int64_t width = taps == 1 ? product(sizes.sizes) : sizes.sizes[2] / of.stride[2];
  if (of.x.dtype == DType::bfloat16 && !is_depthwise(of) &&
      AmxGathering::suits(sizes.channels, sizes.rows, taps, columns, of.out))
    return gradient_of_input<BFloat16>(of);
  HalfOperands<ConvolutionInputGradient> operands(of, &Convolution::x);
  if (goes_by_pairs(of, sizes.channels, columns, sizes.rows * taps) &&
      Gathering<float>::suits_rows(sizes.channels, sizes.rows / 2, taps, width)) {
    operands.pair(&Convolution::out, 1, of.groups);
    operands.pair(&Convolution::weight, 0, of.groups);
    gradient_of_input<float>(operands.floats, true);
  } else {
    operands.widen(&Convolution::out);
    operands.widen(&Convolution::weight);
    run(operands.floats);
  }
  operands.round();
}

}  // namespace

template <>
void kernel(const Convolve& of, Stream) {
  is_of_halves(of) ? run_in_halves(of) : run(of);
}
template <>
void kernel(const ConvolutionInputGradient& of, Stream) {
  is_of_halves(of) ? run_in_halves(of) : run(of);
}

}  // namespace garboard::kernels::GARBOARD_ISA
