#include "csrc/ops/nn/convolution.h"

#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/reduce/reduce.h"
#include "csrc/ops/shape/views.h"
#include "kernels/table.h"

namespace garboard {
namespace {

/// The numbers of a convolution: all that its rules hold.
struct Form {
  std::int64_t samples, channels, length, out_channels, places, taps;
  std::int64_t groups, stride, padding, dilation;

  Dims input() const { return {samples, channels, length}; }
  Dims weight() const { return {out_channels, channels / groups, taps}; }
  Dims out() const { return {samples, out_channels, places}; }
};

void check_tensors(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  if (input.dtype() != DType::float32 && input.dtype() != DType::float64)
    throw DTypeError(
        text("conv1d: input of dtype ", name_of(input.dtype()), "; float32 or float64 is needed"));
  if ((input.ndim() != 2 && input.ndim() != 3) || weight.ndim() != 3)
    throw ShapeError(text("conv1d: input ", input.sizes(), ", weight ", weight.sizes(),
                          "; [n, channels, length] or [channels, length], and [out channels, "
                          "channels / groups, taps] are needed"));
  if (bias && bias.sizes() != Dims{weight.sizes()[0]})
    throw ShapeError(text("conv1d: bias ", bias.sizes(), ", weight ", weight.sizes(), "; a bias [",
                          weight.sizes()[0], "] is needed, one for each out channel"));
  for (const Tensor* tensor : {&weight, &bias}) {
    if (!*tensor) continue;
    const char* const name = tensor == &weight ? "weight" : "bias";
    if (tensor->dtype() != input.dtype())
      throw DTypeError(text("conv1d: ", name, " of dtype ", name_of(tensor->dtype()), ", input of ",
                            name_of(input.dtype()), "; they must be equal, convert with to()"));
    if (tensor->device() != input.device())
      throw DeviceError(text("conv1d: ", name, " on ", tensor->device(), ", input on ",
                             input.device(), "; they must be on one device, use to()"));
  }
}

void check_at_least(const char* name, std::int64_t given, std::int64_t least) {
  if (given < least)
    throw ShapeError(text("conv1d: ", name, " ", given, "; at least ", least, " is needed"));
}

/// With `input` of three dims.
Form form_of(const Tensor& input, const Tensor& weight, std::int64_t stride, const Padding& padding,
             std::int64_t dilation, std::int64_t groups) {
  const Dims &x = input.sizes(), &w = weight.sizes();
  Form form{x[0], x[1], x[2], w[0], 0, w[2], groups, stride, padding.count, dilation};
  check_at_least("stride", stride, 1);
  check_at_least("padding", padding.count, 0);
  check_at_least("dilation", dilation, 1);
  check_at_least("groups", groups, 1);
  check_at_least("a weight of taps", form.taps, 1);
  if (form.channels % groups != 0 || form.channels / groups != w[1])
    throw ShapeError(text("conv1d: input ", x, ", weight ", w, ", groups ", groups,
                          "; the input's ", form.channels, " channels must be the weight's ", w[1],
                          " times the groups"));
  if (form.out_channels % groups != 0)
    throw ShapeError(text("conv1d: weight ", w, ", groups ", groups,
                          "; the groups must divide its ", form.out_channels, " out channels"));
  if (padding.is_same && stride != 1)
    throw ShapeError(text("conv1d: padding 'same' with stride ", stride,
                          "; it needs stride 1, or give the number of zeros"));
  constexpr std::int64_t most = std::int64_t{1} << 60;
  const std::int64_t steps = form.taps - 1;
  const bool overflows =
      padding.is_same ? steps > 0 && dilation > most / steps : padding.count > most / 2;
  const std::int64_t zeros =
      overflows ? 0 : (padding.is_same ? steps * dilation : 2 * padding.count);
  if (overflows || form.length > most - zeros)
    throw ShapeError(text("conv1d: length ", form.length, ", padding ",
                          padding.is_same ? text("'same'") : text(padding.count), ", dilation ",
                          dilation,
                          "; at most 2^60 places, with the zeros around, can be counted"));
  if (padding.is_same) form.padding = zeros / 2;
  const std::int64_t padded = form.length + zeros;
  if (padded == 0 || (steps > 0 && dilation > (padded - 1) / steps))
    throw ShapeError(text("conv1d: length ", form.length, ", padded to ", padded, ", for ",
                          form.taps, " taps at dilation ", dilation,
                          "; they must not span more than the padded length"));
  form.places = (padded - 1 - steps * dilation) / stride + 1;
  // Steps that are never taken would overflow.
  if (form.taps == 1) form.dilation = 1;
  if (form.places == 1) form.stride = form.taps * form.dilation;
  return form;
}

kernels::Convolution views(const Form& form, const Tensor& x, const Tensor& weight,
                           const Tensor& out) {
  return {x.view(),    weight.view(), out.view(),   form.groups,
          form.stride, form.padding,  form.dilation};
}

Tensor dense(const Tensor& tensor) {
  const GradModeGuard no_grad(false);
  return contiguous(tensor);
}

// The sum over all of out x weight grad is linear in each of the three; the gradient for one is
// made of the two others. So each of these ops has the two others as its rule, to any order.

Tensor input_gradient(const Tensor& grad, const Tensor& weight, const Form& form);
Tensor weight_gradient(const Tensor& grad, const Tensor& x, const Form& form);

Tensor convolve(const Tensor& x, const Tensor& weight, const Tensor& bias, const Form& form) {
  const Tensor out = empty_of("conv1d", form.out(), x.dtype(), x.device());
  if (out.view().count > 0) {
    const Tensor dense_bias = bias ? dense(bias) : Tensor();
    kernels::run(kernels::Conv1d{views(form, dense(x), dense(weight), out),
                                 bias ? dense_bias.view() : View()},
                 {x.device()});
  }
  // An edge in each place, even where there is no tensor: the rule counts them.
  const Operand none = Scalar::of(0.0);
  record("conv1d", out, {x, weight, bias ? Operand(bias) : none}, Keep::crosswise,
         [form](const Backward& at) {
           Grads grads;
           if (at.needs(0)) grads[0] = input_gradient(at.grad, at.input(1), form);
           if (at.needs(1)) grads[1] = weight_gradient(at.grad, at.input(0), form);
           if (at.needs(2)) grads[2] = sum(at.grad, {Dims{0, 2}});
           return grads;
         });
  return out;
}

Tensor input_gradient(const Tensor& grad, const Tensor& weight, const Form& form) {
  const Tensor x = empty_of("conv1d", form.input(), grad.dtype(), grad.device());
  if (x.view().count > 0)
    kernels::run(kernels::Conv1dInputGradient{views(form, x, dense(weight), dense(grad))},
                 {grad.device()});
  record("conv1d backward", x, {grad, weight}, Keep::crosswise, [form](const Backward& at) {
    Grads grads;
    if (at.needs(0)) grads[0] = convolve(at.grad, at.input(1), {}, form);
    if (at.needs(1)) grads[1] = weight_gradient(at.input(0), at.grad, form);
    return grads;
  });
  return x;
}

Tensor weight_gradient(const Tensor& grad, const Tensor& x, const Form& form) {
  const Tensor weight = empty_of("conv1d", form.weight(), grad.dtype(), grad.device());
  if (weight.view().count > 0)
    kernels::run(kernels::Conv1dWeightGradient{views(form, dense(x), weight, dense(grad))},
                 {grad.device()});
  record("conv1d backward", weight, {grad, x}, Keep::crosswise, [form](const Backward& at) {
    Grads grads;
    if (at.needs(0)) grads[0] = convolve(at.input(1), at.grad, {}, form);
    if (at.needs(1)) grads[1] = input_gradient(at.input(0), at.grad, form);
    return grads;
  });
  return weight;
}

}  // namespace

Tensor conv1d(const Tensor& input, const Tensor& weight, const Tensor& bias, std::int64_t stride,
              const Padding& padding, std::int64_t dilation, std::int64_t groups) {
  check_tensors(input, weight, bias);
  const bool is_single = input.ndim() == 2;
  const Tensor x = is_single ? unsqueeze(input, 0) : input;
  const Form form = form_of(x, weight, stride, padding, dilation, groups);
  const Tensor out = convolve(x, weight, bias, form);
  return is_single ? squeeze(out, Dims{0}) : out;
}

}  // namespace garboard
