#include "csrc/ops/nn/softmax.h"

#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/op/destination.h"
#include "csrc/ops/op/op.h"
#include "csrc/ops/op/operators.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/reduce/reduce.h"
#include "csrc/ops/shape/views.h"

namespace garboard {
namespace {

Tensor checked_input(const char* op, const Tensor& input, std::optional<DType> dtype) {
  const DType wanted = dtype.value_or(input.dtype());
  if (!is_floating(wanted))
    throw DTypeError(
        text(op, ": dtype ", name_of(wanted), "; a floating one is needed, as in dtype=float32"));
  return to(input, wanted);
}

/// The gradient by ops that can be differentiated again.
using Formula = Tensor (*)(const Tensor& gradient, const Tensor& output, int dim);

View as_row(const View& view) {  // a 0-d tensor is a row of one
  return view.ndim() ? view : make_view(view.data, view.dtype, {1}, {1});
}

/// What softmax and its logarithm share: a kernel for the values, one for the gradient in a plain
/// backward pass, and a formula for a recorded one.
template <class Forward, class Gradient, Formula formula>
Tensor run(const Tensor& given, std::int64_t given_dim, std::optional<DType> dtype) {
  const Tensor input = checked_input(Forward::name, given, dtype);
  const int dim = checked_dim(Forward::name, given_dim, input.ndim());
  const Device device = input.device();
  const Tensor out = result_of(Forward::name, input.sizes(), input.dtype(), device);
  kernels::run(Forward{as_row(out.view()), as_row(input.view()), dim}, device);
  record(Forward::name, out, {input}, Keep::output, [dim](const Backward& at) -> Grads {
    const Tensor output = at.output();
    if (is_grad_enabled()) return formula(at.grad, output, dim);
    const Tensor gradient = place_of_gradient(Forward::name, at, output);
    kernels::run(
        Gradient{as_row(gradient.view()), as_row(at.grad.view()), as_row(output.view()), dim},
        output.device());
    return gradient;
  });
  return out;
}

Reduced along(int dim) { return {Dims{dim}, true}; }

Tensor softmax_formula(const Tensor& gradient, const Tensor& output, int dim) {
  return (gradient - sum(gradient * output, along(dim))) * output;
}
Tensor log_softmax_formula(const Tensor& gradient, const Tensor& output, int dim) {
  return gradient - exp(output) * sum(gradient, along(dim));
}

}  // namespace

Tensor softmax(const Tensor& input, std::int64_t dim, std::optional<DType> dtype) {
  return run<kernels::Softmax, kernels::SoftmaxGradient, softmax_formula>(input, dim, dtype);
}

Tensor log_softmax(const Tensor& input, std::int64_t dim, std::optional<DType> dtype) {
  return run<kernels::LogSoftmax, kernels::LogSoftmaxGradient, log_softmax_formula>(input, dim,
                                                                                    dtype);
}

}  // namespace garboard
