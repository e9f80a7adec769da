#include "csrc/ops/windows/one_tap.h"

#include "csrc/ops/create/create.h"
#include "csrc/ops/windows/convolution_matrices.h"

namespace garboard {
namespace {

// Below so many places samples are multiplied all at once, as rows of one matrix, which takes
// copies: a product of fewer columns, or of a lesser depth, is far from what the processor can do.
constexpr std::int64_t least_columns = 16, least_depth = 128;

std::int64_t places_of(const ConvolutionForm& form) { return product(form.places); }

/// Whether each element of the input is met: there is no stride.
bool meets_all(const ConvolutionForm& form) { return form.sizes == form.places; }

/// [n, channels, *space]: the elements of the input that are met.
View met_in(const Tensor& x, const ConvolutionForm& form) {
  const std::int64_t row = form.sizes[2], plane = row * form.sizes[1],
                     channel = plane * form.sizes[0];
  return make_view(x.data(), x.dtype(),
                   {form.samples, form.channels, form.places[0], form.places[1], form.places[2]},
                   {form.channels * channel, channel, plane * form.stride[0], row * form.stride[1],
                    form.stride[2]});
}

/// What is met, one after the other: the input itself, or a tensor of that many elements.
Tensor room_for_met(const Tensor& x, const ConvolutionForm& form) {
  if (meets_all(form)) return x;
  return empty_of(form.op, {form.samples, form.channels, places_of(form)}, x.dtype(), x.device());
}

View met_space(const Tensor& met, const ConvolutionForm& form) {
  return dense_view(met,
                    {form.samples, form.channels, form.places[0], form.places[1], form.places[2]});
}

/// [n, channels, places].
View met_planes(const Tensor& met, const ConvolutionForm& form) {
  return dense_view(met, {form.samples, form.channels, places_of(form)});
}

Tensor met_of(const Tensor& x, const ConvolutionForm& form) {
  const Tensor met = room_for_met(x, form);
  if (!meets_all(form))
    kernels::run(kernels::Copy{met_space(met, form), met_in(x, form)}, x.device());
  return met;
}

/// [a, n x places], a dense copy of planes [n, a, places].
Tensor side_by_side(const char* op, const View& planes, Device device) {
  const Dims sizes{planes.sizes[1], planes.sizes[0], planes.sizes[2]};
  const Tensor copy = empty_of(op, {sizes[0], sizes[1] * sizes[2]}, planes.dtype, device);
  kernels::run(kernels::Copy{dense_view(copy, sizes), swapped(planes, 0, 1)}, device);
  return copy;
}

/// to = factors from, + bias: planes [n, a, places] of planes [n, b, places].
void multiply_planes(const ConvolutionForm& form, const View& to, const View& factors,
                     const View& from, const Tensor& bias, Device device) {
  const bool is_begun = begin_with(bias, to, device);
  if (form.samples == 1 || places_of(form) >= least_columns) {
    kernels::run(kernels::Matmul{to, for_samples(factors, form), from, is_begun}, device);
    return;
  }
  if (places_of(form) == 1) {
    const auto rows = [](const View& planes) {
      return make_view(planes.data, planes.dtype, {planes.sizes[0], planes.sizes[1]},
                       {planes.strides[0], planes.strides[1]});
    };
    kernels::run(kernels::Matmul{rows(to), rows(from), swapped(factors, 0, 1), is_begun}, device);
    return;
  }
  const Tensor columns = side_by_side(form.op, from, device);
  const Tensor sums =
      is_begun ? side_by_side(form.op, to, device)
               : empty_of(form.op, {to.sizes[1], to.sizes[0] * to.sizes[2]}, to.dtype, device);
  kernels::run(kernels::Matmul{sums.view(), factors, columns.view(), is_begun}, device);
  kernels::run(
      kernels::Copy{swapped(to, 0, 1), dense_view(sums, {to.sizes[1], to.sizes[0], to.sizes[2]})},
      device);
}

}  // namespace

std::optional<ConvolutionForm> as_one_tap(const ConvolutionForm& form, Device device) {
  if (!device.is_cpu() || form.groups != 1 || form.padding != Space{}) return {};
  constexpr Space one{1, 1, 1};
  if (form.taps == one) return form;
  if (form.places != one || form.taps != form.sizes || form.dilation != one) return {};
  ConvolutionForm flat = form;
  flat.channels *= product(form.taps);
  flat.taps = flat.sizes = flat.stride = one;
  return flat;
}

void convolve_one_tap(const ConvolutionForm& form, const Tensor& x, const Tensor& weight,
                      const Tensor& bias, const Tensor& out) {
  const Tensor met = met_of(x, form);
  multiply_planes(form, planes_of(out, form), factors_of(weight, form), met_planes(met, form), bias,
                  x.device());
}

void gather_one_tap(const ConvolutionForm& form, const Tensor& grad, const Tensor& weight,
                    const Tensor& bias, const Tensor& x) {
  const Tensor met = room_for_met(x, form);
  multiply_planes(form, met_planes(met, form), swapped(factors_of(weight, form), 0, 1),
                  planes_of(grad, form), bias, x.device());
  if (meets_all(form)) return;
  const View planes = dense_view(x, {form.samples, form.channels, product(form.sizes)});
  if (!begin_with(bias, planes, x.device()))
    kernels::run(kernels::Fill{x.view(), Scalar::of(0.0)}, x.device());
  kernels::run(kernels::Copy{met_in(x, form), met_space(met, form)}, x.device());
}

void weigh_one_tap(const ConvolutionForm& form, const Tensor& grad, const Tensor& x,
                   const Tensor& weight) {
  const Tensor met = met_of(x, form);
  const View to = factors_of(weight, form), of_out = planes_of(grad, form),
             of_met = met_planes(met, form);
  const bool is_one = form.samples == 1, is_half_type = is_half(x.dtype());  // rounded once
  if (!is_one && (is_half_type || form.samples == 0 || places_of(form) < least_depth)) {
    const Tensor left = side_by_side(form.op, of_out, x.device()),
                 right = side_by_side(form.op, of_met, x.device());
    kernels::run(kernels::Matmul{to, left.view(), swapped(right.view(), 0, 1)}, x.device());
    return;
  }
  const auto sample = [](const View& planes, std::int64_t i) {
    return make_view(planes.as<char>() +
                         i * planes.strides[0] * static_cast<std::int64_t>(item_size(planes.dtype)),
                     planes.dtype, {planes.sizes[1], planes.sizes[2]},
                     {planes.strides[1], planes.strides[2]});
  };
  for (std::int64_t i = 0; i < form.samples; ++i)
    kernels::run(kernels::Matmul{to, sample(of_out, i), swapped(sample(of_met, i), 0, 1), i > 0},
                 x.device());
}

}  // namespace garboard
