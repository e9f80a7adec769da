#include "csrc/ops/windows/convolution.h"

#include <algorithm>

#include "csrc/core/error.h"
#include "csrc/ops/complex/complex.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/op/op.h"
#include "csrc/ops/op/operators.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/op/remade.h"
#include "csrc/ops/reduce/reduce.h"
#include "csrc/ops/shape/join.h"
#include "csrc/ops/shape/views.h"
#include "csrc/ops/windows/apart_windows.h"
#include "csrc/ops/windows/convolution_form.h"
#include "csrc/ops/windows/integer_convolution.h"
#include "csrc/ops/windows/one_tap.h"
#include "kernels/run.h"

namespace garboard {
namespace {

using Form = ConvolutionForm;

struct ConvolutionCall {
  const char* op;
  int dims;
  bool is_transposed;
  const Tensor &input, &weight, &bias;
};

void check_tensors(const ConvolutionCall& call, std::int64_t groups) {
  const auto& [op, dims, is_transposed, input, weight, bias] = call;
  if (input.dtype() == DType::boolean)
    throw DTypeError(text(op, ": input of dtype ", name_of(input.dtype()),
                          "; numbers are needed, convert with to()"));
  if ((input.ndim() != dims + 1 && input.ndim() != dims + 2) || weight.ndim() != dims + 2)
    throw ShapeError(
        text(op, ": input ", input.sizes(), ", weight ", weight.sizes(), "; [",
             names_of_dims("n, channels", dims), "] or [", names_of_dims("channels", dims),
             is_transposed ? "], and [channels, out channels / groups, taps] are needed"
                           : "], and [out channels, channels / groups, taps] are needed"));
  const std::int64_t rows = is_transposed ? weight.size(1) * groups : weight.size(0);
  if (bias && bias.sizes() != Dims{rows})
    throw ShapeError(text(op, ": bias ", bias.sizes(), ", weight ", weight.sizes(), "; a bias [",
                          rows, "] is needed, one for each out channel"));
  for (const Tensor* tensor : {&weight, &bias}) {
    if (!*tensor) continue;
    const char* const name = tensor == &weight ? "weight" : "bias";
    if (tensor->dtype() != input.dtype())
      throw DTypeError(text(op, ": ", name, " of dtype ", name_of(tensor->dtype()), ", input of ",
                            name_of(input.dtype()), "; they must be equal, convert with to()"));
    if (tensor->device() != input.device())
      throw DeviceError(text(op, ": ", name, " on ", tensor->device(), ", input on ",
                             input.device(), "; they must be on one device, use to()"));
  }
}

void check_groups(const char* op, std::int64_t groups) {
  if (groups < 1) throw ShapeError(text(op, ": groups ", groups, "; at least 1 is needed"));
}

void check_channels(const Form& form, const Tensor& x, const Tensor& weight) {
  if (form.channels % form.groups != 0 || form.channels / form.groups != weight.size(1))
    throw ShapeError(text(form.op, ": input ", x.sizes(), ", weight ", weight.sizes(), ", groups ",
                          form.groups, "; the input's ", form.channels,
                          " channels must be the weight's ", weight.size(1), " times the groups"));
  if (form.out_channels % form.groups != 0)
    throw ShapeError(text(form.op, ": weight ", weight.sizes(), ", groups ", form.groups,
                          "; the groups must divide its ", form.out_channels, " out channels"));
}

/// Everything but the places.
Form begun(const ConvolutionCall& call, const Tensor& x, const ConvolutionOptions& options) {
  const auto& [op, dims, is_transposed, input, weight, bias] = call;
  Form form{};
  form.op = op;
  form.dims = dims;
  form.samples = x.size(0);
  form.groups = options.groups;
  form.stride = space_of(op, "stride", options.stride, dims, 1, 1);
  if (!options.padding.is_same)
    form.padding = space_of(op, "padding", options.padding.counts, dims, 0, 0);
  form.dilation = space_of(op, "dilation", options.dilation, dims, 1, 1);
  form.taps = last_sizes(weight, dims);
  for (const std::int64_t taps : form.taps)
    if (taps < 1) throw ShapeError(text(op, ": a weight of taps ", taps, "; at least 1 is needed"));
  return form;
}

/// Along one dim.
void find_places(Form& form, std::size_t d, const Padding& padding) {
  std::int64_t &stride = form.stride[d], &dilation = form.dilation[d];
  const std::int64_t steps = form.taps[d] - 1, size = form.sizes[d];
  const char* const name = name_of_dim(form.dims, static_cast<int>(d));
  if (padding.is_same && stride != 1)
    throw ShapeError(text(form.op, ": padding 'same' with stride ", stride,
                          "; it needs stride 1, or give the number of zeros"));
  const bool overflows = padding.is_same ? steps > 0 && dilation > most_places / steps
                                         : form.padding[d] > most_places / 2;
  const std::int64_t zeros =
      overflows ? 0 : (padding.is_same ? steps * dilation : 2 * form.padding[d]);
  if (overflows || size > most_places - zeros)
    throw ShapeError(text(form.op, ": ", name, " ", size, ", padding ",
                          padding.is_same ? text("'same'") : text(form.padding[d]), ", dilation ",
                          dilation,
                          "; at most 2^60 places, with the zeros around, can be counted"));
  if (padding.is_same) form.padding[d] = zeros / 2;
  const std::int64_t padded = size + zeros;
  if (padded == 0 || (steps > 0 && dilation > (padded - 1) / steps))
    throw ShapeError(text(form.op, ": ", name, " ", size, ", padded to ", padded, ", for ",
                          form.taps[d], " taps at dilation ", dilation,
                          "; they must not span more than the padded ", name));
  form.places[d] = (padded - 1 - steps * dilation) / stride + 1;
  // Steps that are never taken would overflow.
  if (form.taps[d] == 1) dilation = 1;
  if (form.places[d] == 1) stride = form.taps[d] * dilation;
}

Form form_of(const ConvolutionCall& call, const Tensor& x, const ConvolutionOptions& options) {
  Form form = begun(call, x, options);
  form.channels = x.size(1);
  form.out_channels = call.weight.size(0);
  form.sizes = last_sizes(x, form.dims);
  check_channels(form, x, call.weight);
  for (std::size_t d = 0; d < form.sizes.size(); ++d) {
    if (static_cast<int>(d) < kernels::space_dims - form.dims)
      form.places[d] = 1;
    else
      find_places(form, d, options.padding);
  }
  return form;
}

/// Along one dim: what the transposed convolution makes of the places.
void find_size(Form& form, std::size_t d, std::int64_t added) {
  const std::int64_t places = form.places[d], stride = form.stride[d], taps = form.taps[d];
  const char* const name = name_of_dim(form.dims, static_cast<int>(d));
  if (added >= std::max(stride, form.dilation[d]))
    throw ShapeError(text(form.op, ": output_padding ", added, ", stride ", stride, ", dilation ",
                          form.dilation[d], "; it must be smaller than one of the two"));
  std::int64_t reach = 0, span = 0;
  const bool overflows = __builtin_mul_overflow(places - 1, stride, &reach) ||
                         __builtin_mul_overflow(taps - 1, form.dilation[d], &span) ||
                         reach > most_places || span > most_places ||
                         form.padding[d] > most_places || added > most_places;
  if (overflows)
    throw ShapeError(text(form.op, ": ", name, " ", places, ", stride ", stride, ", taps ", taps,
                          ", dilation ", form.dilation[d], ", padding ", form.padding[d],
                          "; at most 2^60 places can be counted"));
  form.sizes[d] = reach + span + 1 + added - 2 * form.padding[d];
  if (places < 1 || form.sizes[d] < 0)
    throw ShapeError(text(form.op, ": ", name, " ", places, ", stride ", stride, ", taps ", taps,
                          ", dilation ", form.dilation[d], ", padding ", form.padding[d],
                          ", which makes ", form.sizes[d], " places; 0 or more are needed"));
  if (taps == 1) form.dilation[d] = 1;
  if (places == 1) form.stride[d] = std::min(stride, taps * form.dilation[d]);
}

Form transposed_form_of(const ConvolutionCall& call, const Tensor& x,
                        const ConvolutionOptions& options) {
  Form form = begun(call, x, options);
  const Space added = space_of(call.op, "output_padding", options.output_padding, form.dims, 0, 0);
  form.out_channels = call.weight.size(0);
  if (x.size(1) != form.out_channels || form.out_channels % form.groups != 0)
    throw ShapeError(text(call.op, ": input ", x.sizes(), ", weight ", call.weight.sizes(),
                          ", groups ", form.groups, "; the input's ", x.size(1),
                          " channels must be the weight's ", form.out_channels,
                          ", which the groups must divide"));
  if (__builtin_mul_overflow(call.weight.size(1), form.groups, &form.channels))
    throw ShapeError(text(call.op, ": groups ", form.groups, "; they are too many"));
  form.places = last_sizes(x, form.dims);
  for (std::size_t d = 0; d < form.places.size(); ++d) {
    if (static_cast<int>(d) < kernels::space_dims - form.dims)
      form.sizes[d] = 1;
    else
      find_size(form, d, added[d]);
  }
  return form;
}

kernels::Convolution views(const Form& form, const Tensor& x, const Tensor& weight,
                           const Tensor& out) {
  kernels::Convolution views{
      space_view(x, form.samples, form.channels, form.sizes),
      space_view(weight, form.out_channels, form.channels / form.groups, form.taps),
      space_view(out, form.samples, form.out_channels, form.places),
      form.groups,
      {},
      {},
      {}};
  std::ranges::copy(form.stride, views.stride);
  std::ranges::copy(form.padding, views.padding);
  std::ranges::copy(form.dilation, views.dilation);
  return views;
}

// From so many taps along a line on windows that lie apart are products: the kernel for the output
// is good at short lines, those for gradients at short ones of many channels.
constexpr std::int64_t least_line = 7;
std::int64_t least_gradient_line(const Form& form) { return form.channels > 8 ? 7 : 4; }

/// What a kernel takes for its length, so that it is in the books.
struct Lender {
  const char* op;
  Device device;
  Tensor lent = {};

  static float* take(void* context, std::int64_t floats) {
    auto& self = *static_cast<Lender*>(context);
    self.lent = empty_of(self.op, {floats}, DType::float32, self.device);
    return self.lent.view().as<float>();
  }
};

/// On dense tensors; `bias` is there where the kernel takes one.
template <class Kernel, class... Bias>
void run(const Form& form, const Tensor& x, const Tensor& weight, const Tensor& out,
         const Bias&... bias) {
  Kernel call{views(form, x, weight, out), bias...};
  Lender lender{form.op, x.device()};
  call.workspace = {&lender, &Lender::take};
  kernels::run(call, x.device());
}

/// Over all but the channels.
Tensor sum_of_channels(const Tensor& grad, int dims) {
  Dims others{0};
  for (int d = 0; d < dims; ++d) others.push_back(2 + d);
  return sum(grad, {others});
}

// The sum over all of out x weight grad is linear in each of the three; the gradient for one is
// made of the two others. So each of these ops has the two others as its rule, to any order.

void gather_into(const Tensor& x, const Tensor& grad, const Tensor& weight, const Tensor& bias,
                 const Form& form);
Tensor gather(const Tensor& grad, const Tensor& weight, const Tensor& bias, const Form& form);
Tensor weight_gradient(const Tensor& grad, const Tensor& x, const Form& form);

Tensor convolve(const Tensor& x, const Tensor& weight, const Tensor& bias, const Form& form) {
  const Tensor out = empty_of(form.op, form.out(), x.dtype(), x.device());
  if (out.view().count > 0) {
    const Tensor dense_bias = bias ? dense(bias) : Tensor();
    if (const auto one = as_one_tap(form, x.device()))
      convolve_one_tap(*one, dense(x), dense(weight), dense_bias, out);
    else if (lie_apart(form, x.device(), least_line))
      convolve_apart(form, dense(x), dense(weight), dense_bias, out);
    else
      run<kernels::Convolve>(form, dense(x), dense(weight), out, bias ? dense_bias.view() : View());
  }
  // An edge in each place, even where there is no tensor: the rule counts them.
  const Operand none = Scalar::of(0.0);
  record(form.op, out, {x, weight, bias ? Operand(bias) : none}, Keep::crosswise,
         [form](const Backward& at) {
           Grads grads;
           const Tensor over = at.needs(0) ? at.spent_input(0) : Tensor();
           // First: an input that is made anew has gone when the next gradient comes.
           if (at.needs(1)) grads[1] = weight_gradient(at.grad, at.input(0), form);
           if (at.needs(0) && !over) grads[0] = gather(at.grad, at.input(1), {}, form);
           if (at.needs(2)) grads[2] = sum_of_channels(at.grad, form.dims);
           if (over) {  // the input is not read any more
             write_over_spent(at, [&] { gather_into(over, at.grad, at.input(1), {}, form); });
             grads[0] = over;
           }
           return grads;
         });
  if (x.count() > 0 && out.count() > 0)
    keep_way_to(x, 0, out, out.count() * (weight.count() / form.out_channels) / x.count());
  return out;
}

/// The gradient for the input, and the transposed convolution, which may have a bias. Unrecorded.
void gather_into(const Tensor& x, const Tensor& grad, const Tensor& weight, const Tensor& bias,
                 const Form& form) {
  if (x.view().count == 0) return;
  const Tensor dense_bias = bias ? dense(bias) : Tensor();
  if (const auto one = as_one_tap(form, x.device()))
    gather_one_tap(*one, dense(grad), dense(weight), dense_bias, x);
  else if (lie_apart(form, x.device(), least_gradient_line(form)))
    gather_apart(form, dense(grad), dense(weight), dense_bias, x);
  else
    run<kernels::ConvolutionInputGradient>(form, x, dense(weight), dense(grad),
                                           bias ? dense_bias.view() : View());
}

Tensor gather(const Tensor& grad, const Tensor& weight, const Tensor& bias, const Form& form) {
  const Tensor x = empty_of(form.op, form.input(), grad.dtype(), grad.device());
  gather_into(x, grad, weight, bias, form);
  const Operand none = Scalar::of(0.0);
  record(form.op, x, {grad, weight, bias ? Operand(bias) : none}, Keep::crosswise,
         [form](const Backward& at) {
           Grads grads;
           if (at.needs(0)) grads[0] = convolve(at.grad, at.input(1), {}, form);
           if (at.needs(1)) grads[1] = weight_gradient(at.input(0), at.grad, form);
           if (at.needs(2)) grads[2] = sum_of_channels(at.grad, form.dims);
           return grads;
         });
  return x;
}

Tensor weight_gradient(const Tensor& grad, const Tensor& x, const Form& form) {
  const Tensor weight = empty_of(form.op, form.weight(), grad.dtype(), grad.device());
  if (weight.view().count > 0) {
    if (const auto one = as_one_tap(form, x.device()))
      weigh_one_tap(*one, dense(grad), dense(x), weight);
    else if (lie_apart(form, x.device(), least_gradient_line(form)))
      weigh_apart(form, dense(grad), dense(x), weight);
    else
      run<kernels::ConvolutionWeightGradient>(form, dense(x), weight, dense(grad));
  }
  record(form.op, weight, {grad, x}, Keep::crosswise, [form](const Backward& at) {
    Grads grads;
    if (at.needs(0)) grads[0] = convolve(at.input(1), at.grad, {}, form);
    if (at.needs(1)) grads[1] = gather(at.input(0), at.grad, {}, form);
    return grads;
  });
  return weight;
}

/// Of complex numbers, by what `convolve` makes of their parts.
template <class Convolve>
Tensor of_parts(const Tensor& x, const Tensor& weight, const Tensor& bias,
                const Convolve& convolve) {
  const Tensor re = real(x), im = imag(x), w_re = real(weight), w_im = imag(weight);
  const Tensor across = convolve(re, w_re) - convolve(im, w_im);
  const Tensor up = convolve(re, w_im) + convolve(im, w_re);
  const Tensor out = view_as_complex(stack({across, up}, -1));
  if (!bias) return out;
  Dims sizes = bias.sizes();
  for (int i = 2; i < weight.ndim(); ++i) sizes.push_back(1);
  return out + reshape(bias, sizes);
}

/// Of that many numbers none of which is ever read.
Tensor stand_in(const Dims& sizes, const Tensor& like) {
  return expand(zeros({}, like.dtype(), like.device()), sizes);
}

/// The form of a convolution whose output's gradient is given. `x` may be of one sample.
Form form_of_gradient(const char* const (&names)[3], const Tensor& grad, const Tensor& x,
                      const Tensor& weight, const ConvolutionOptions& options) {
  const int dims = weight.ndim() - 2;
  if (dims < 1 || dims > 3)
    throw ShapeError(text("conv: a weight of sizes ", weight.sizes(),
                          "; [out channels, channels / groups, taps] of 1 to 3 dims are needed"));
  const Tensor no_bias;
  const ConvolutionCall call{names[dims - 1], dims, false, x, weight, no_bias};
  check_tensors(call, options.groups);
  check_groups(call.op, options.groups);
  if (!is_floating(grad.dtype()) || grad.dtype() != x.dtype() || grad.device() != x.device())
    throw DTypeError(text(call.op, ": a gradient of dtype ", name_of(grad.dtype()), " on ",
                          grad.device(), " beside ", name_of(x.dtype()), " on ", x.device(),
                          "; one floating dtype and one device are needed, convert with to()"));
  const bool is_single = x.ndim() == dims + 1;
  const Form form = form_of(call, is_single ? unsqueeze(x, 0) : x, options);
  if ((is_single ? unsqueeze(grad, 0) : grad).sizes() != form.out())
    throw ShapeError(text(call.op, ": a gradient of sizes ", grad.sizes(),
                          " for an output of sizes ", form.out(), "; they must be equal"));
  return form;
}

}  // namespace

Tensor convolution_input_gradient(const Tensor& grad, const Tensor& weight, const Dims& sizes,
                                  const ConvolutionOptions& options) {
  static constexpr const char* names[] = {"conv1d_input", "conv2d_input", "conv3d_input"};
  const Form form = form_of_gradient(names, grad, stand_in(sizes, weight), weight, options);
  const bool is_single = sizes.size() == form.dims + 1;
  const Tensor out = gather(is_single ? unsqueeze(grad, 0) : grad, weight, {}, form);
  return is_single ? squeeze(out, Dims{0}) : out;
}

Tensor convolution_weight_gradient(const Tensor& grad, const Tensor& input, const Dims& sizes,
                                   const ConvolutionOptions& options) {
  static constexpr const char* names[] = {"conv1d_weight", "conv2d_weight", "conv3d_weight"};
  const Form form = form_of_gradient(names, grad, input, stand_in(sizes, input), options);
  const bool is_single = input.ndim() == form.dims + 1;
  const auto batched = [is_single](const Tensor& x) { return is_single ? unsqueeze(x, 0) : x; };
  return weight_gradient(batched(grad), batched(input), form);
}

Tensor convolution(int dims, const Tensor& input, const Tensor& weight, const Tensor& bias,
                   const ConvolutionOptions& options) {
  static constexpr const char* names[] = {"conv1d", "conv2d", "conv3d"};
  const ConvolutionCall call{names[dims - 1], dims, false, input, weight, bias};
  check_tensors(call, options.groups);
  check_groups(call.op, options.groups);
  const bool is_single = input.ndim() == dims + 1;
  const Tensor x = is_single ? unsqueeze(input, 0) : input;
  const Form form = form_of(call, x, options);
  const auto of_numbers = [&](const Tensor& x, const Tensor& weight) {
    return convolve(x, weight, {}, form);
  };
  const Tensor out = is_floating(x.dtype())  ? convolve(x, weight, bias, form)
                     : is_complex(x.dtype()) ? of_parts(x, weight, bias, of_numbers)
                                             : convolve_integers(x, weight, bias, form);
  return is_single ? squeeze(out, Dims{0}) : out;
}

Tensor transposed_convolution(int dims, const Tensor& input, const Tensor& weight,
                              const Tensor& bias, const ConvolutionOptions& options) {
  static constexpr const char* names[] = {"conv_transpose1d", "conv_transpose2d",
                                          "conv_transpose3d"};
  const ConvolutionCall call{names[dims - 1], dims, true, input, weight, bias};
  check_groups(call.op, options.groups);
  check_tensors(call, options.groups);
  const bool is_single = input.ndim() == dims + 1;
  const Tensor x = is_single ? unsqueeze(input, 0) : input;
  const Form form = transposed_form_of(call, x, options);
  const auto of_numbers = [&](const Tensor& x, const Tensor& weight) {
    return gather(x, weight, {}, form);
  };
  const Tensor out = is_floating(x.dtype())  ? gather(x, weight, bias, form)
                     : is_complex(x.dtype()) ? of_parts(x, weight, bias, of_numbers)
                                             : gather_integers(x, weight, bias, form);
  return is_single ? squeeze(out, Dims{0}) : out;
}

}  // namespace garboard
