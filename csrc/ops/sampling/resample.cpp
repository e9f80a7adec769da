#include "csrc/ops/sampling/resample.h"

#include <cmath>

#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/shape/views.h"
#include "csrc/ops/windows/space.h"
#include "kernels/run.h"

namespace garboard {
namespace {

struct SamplingForm {
  int dim;
  Dims input, out;
  kernels::Sampling sampling;
  bool aligns_corners;
  double scale;

  kernels::Resample of(const Tensor& made, const Tensor& x) const {
    return {lines(made), lines(x), sampling, aligns_corners, scale};
  }

 private:
  View lines(const Tensor& tensor) const {
    Dims sizes{1, tensor.size(dim), 1};
    for (int d = 0; d < tensor.ndim(); ++d)
      if (d != dim) sizes[d < dim ? 0 : 2] *= tensor.size(d);
    return make_view(tensor.data(), tensor.dtype(), sizes, contiguous_strides(sizes));
  }
};

constexpr const char* interpolate_op = "interpolate";

Tensor spread(const SamplingForm& form, const Tensor& grad);

// Each is linear, and the other one's rule.
Tensor sample(const SamplingForm& form, const Tensor& input) {
  const Tensor out = empty_of(interpolate_op, form.out, input.dtype(), input.device());
  if (out.count() > 0) kernels::run(form.of(out, dense(input)), input.device());
  record(interpolate_op, out, {input}, Keep::nothing,
         [form](const Backward& at) -> Grads { return spread(form, at.grad); });
  return out;
}

Tensor spread(const SamplingForm& form, const Tensor& grad) {
  const Tensor x = empty_of(interpolate_op, form.input, grad.dtype(), grad.device());
  if (x.count() > 0)
    kernels::run(kernels::ResampleGradient{form.of(dense(grad), x)}, grad.device());
  record(interpolate_op, x, {grad}, Keep::nothing,
         [form](const Backward& at) -> Grads { return sample(form, at.grad); });
  return x;
}

}  // namespace

Tensor resample(const Tensor& input, std::int64_t dim, std::int64_t places,
                kernels::Sampling sampling, bool aligns_corners, double scale) {
  check_floating(interpolate_op, input);
  if (is_half(input.dtype()))
    return to(resample(in_float(input), dim, places, sampling, aligns_corners, scale),
              input.dtype());
  SamplingForm form{checked_dim(interpolate_op, dim, input.ndim()),
                    input.sizes(),
                    input.sizes(),
                    sampling,
                    aligns_corners,
                    scale};
  if (places < 1 || input.size(form.dim) < 1)
    throw ShapeError(text(interpolate_op, ": size ", input.size(form.dim), " to be sampled at ",
                          places, " places; at least 1 of both is needed"));
  if (!std::isfinite(scale) || scale < 0)
    throw ShapeError(text(interpolate_op, ": a step of ", scale, "; a finite one is needed"));
  form.out[form.dim] = places;
  return sample(form, input);
}

}  // namespace garboard
