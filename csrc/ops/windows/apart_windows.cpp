#include "csrc/ops/windows/apart_windows.h"

#include "csrc/ops/create/create.h"
#include "csrc/ops/windows/convolution_matrices.h"

namespace garboard {
namespace {

/// How many windows a sample has, and what each meets.
struct WindowExtent {
  std::int64_t windows, met;

  explicit WindowExtent(const ConvolutionForm& form)
      : windows(product(form.places)), met(form.channels * product(form.taps)) {}
};

/// Elements in the order of windows: [n, *places, channels, *taps].
struct ByWindows {
  Dims sizes, input_strides;

  explicit ByWindows(const ConvolutionForm& form) {
    const Space &taps = form.taps, &places = form.places;
    const std::int64_t row = form.sizes[2], plane = row * form.sizes[1],
                       channel = plane * form.sizes[0];
    sizes = {form.samples,  places[0], places[1], places[2],
             form.channels, taps[0],   taps[1],   taps[2]};
    input_strides = {
        form.channels * channel, plane * taps[0], row * taps[1], taps[2], channel, plane, row, 1};
  }

  View of_windows(const Tensor& windows) const {
    return make_view(windows.data(), windows.dtype(), sizes, contiguous_strides(sizes));
  }
  View of_input(const Tensor& x) const {
    return make_view(x.data(), x.dtype(), sizes, input_strides);
  }
};

Tensor windows_for(const ConvolutionForm& form, const Tensor& like) {
  const WindowExtent of(form);
  return empty_of(form.op, {form.samples, of.windows, of.met}, like.dtype(), like.device());
}

Tensor windows_of(const ConvolutionForm& form, const Tensor& x) {
  const Tensor windows = windows_for(form, x);
  const ByWindows order(form);
  kernels::run(kernels::Copy{order.of_windows(windows), order.of_input(x)}, x.device());
  return windows;
}

}  // namespace

bool lie_apart(const ConvolutionForm& form, Device device, std::int64_t least) {
  if (!device.is_cpu() || form.groups != 1 || form.taps.back() < least) return false;
  for (std::size_t d = 0; d < form.taps.size(); ++d)
    if (form.stride[d] != form.taps[d] || form.padding[d] != 0 || form.dilation[d] != 1 ||
        form.sizes[d] != form.places[d] * form.taps[d])
      return false;
  return true;
}

void convolve_apart(const ConvolutionForm& form, const Tensor& x, const Tensor& weight,
                    const Tensor& bias, const Tensor& out) {
  const Tensor windows = windows_of(form, x);
  const View planes = planes_of(out, form);
  const bool is_begun = begin_with(bias, planes, x.device());
  kernels::run(kernels::Matmul{planes, for_samples(factors_of(weight, form), form),
                               swapped(windows.view(), 1, 2), is_begun},
               x.device());
}

void gather_apart(const ConvolutionForm& form, const Tensor& grad, const Tensor& weight,
                  const Tensor& bias, const Tensor& x) {
  const Tensor windows = windows_for(form, x);
  const Dims by_channels{form.samples * WindowExtent(form).windows, form.channels,
                         product(form.taps)};
  const bool is_begun = begin_with(
      bias,
      make_view(windows.data(), windows.dtype(), by_channels, contiguous_strides(by_channels)),
      x.device());
  kernels::run(kernels::Matmul{windows.view(), swapped(planes_of(grad, form), 1, 2),
                               for_samples(factors_of(weight, form), form), is_begun},
               x.device());
  const ByWindows order(form);
  kernels::run(kernels::Copy{order.of_input(x), order.of_windows(windows)}, x.device());
}

void weigh_apart(const ConvolutionForm& form, const Tensor& grad, const Tensor& x,
                 const Tensor& weight) {
  const WindowExtent of(form);
  const std::int64_t all = form.samples * of.windows;
  const Tensor windows = windows_of(form, x);
  const Tensor rows = empty_of(form.op, {form.out_channels, all}, grad.dtype(), grad.device());
  const Dims sizes{form.out_channels, form.samples, of.windows};
  kernels::run(kernels::Copy{make_view(rows.data(), rows.dtype(), sizes, contiguous_strides(sizes)),
                             make_view(grad.data(), grad.dtype(), sizes,
                                       {of.windows, form.out_channels * of.windows, 1})},
               grad.device());
  const Dims flat{all, of.met};
  kernels::run(
      kernels::Matmul{factors_of(weight, form), rows.view(),
                      make_view(windows.data(), windows.dtype(), flat, contiguous_strides(flat))},
      x.device());
}

}  // namespace garboard
