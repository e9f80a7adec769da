#include "csrc/ops/reduce/scan.h"

#include <limits>
#include <vector>

#include "csrc/core/default_dtype.h"
#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/op/destination.h"
#include "csrc/ops/op/operators.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/reduce/reduce.h"
#include "csrc/ops/shape/join.h"
#include "csrc/ops/shape/views.h"
#include "kernels/run.h"

namespace garboard {
namespace {

enum class From : std::uint8_t { start, end };

/// `x` as it is met from the end of `dim` on.
View backwards(View x, int dim) {
  if (x.count == 0) return x;
  x.data = static_cast<char*>(x.data) +
           (x.sizes[dim] - 1) * x.strides[dim] * static_cast<std::int64_t>(item_size(x.dtype));
  Dims strides = x.strides;
  strides[dim] = -strides[dim];
  return make_view(x.data, x.dtype, x.sizes, strides);
}

Tensor running_sum(const Tensor& input, int dim, From from) {
  const Tensor out = result_of("cumsum", input.sizes(), input.dtype(), input.device());
  View to = out.view(), x = input.view();
  if (from == From::end) {
    to = backwards(to, dim);
    x = backwards(x, dim);
  }
  kernels::run(kernels::CumulativeSum{to, x, dim}, input.device());
  // An element is in every sum from its own place on.
  record("cumsum", out, {input}, Keep::nothing, [dim, from](const Backward& at) -> Grads {
    return running_sum(at.grad, dim, from == From::start ? From::end : From::start);
  });
  return out;
}

Tensor running_product(const Tensor& input, int dim);

/// The product of what comes before each element along `dim`.
Tensor product_before(const Tensor& x, int dim) {
  const std::int64_t size = x.size(dim);
  Dims one = x.sizes();
  one[dim] = 1;
  const Tensor ones = full(one, Scalar::of(1.0), x.dtype(), x.device());
  return running_product(cat({ones, narrow(x, dim, 0, size - 1)}, dim), dim);
}

/// What running_product's rule gives, by ops whose own gradients are right where x is 0: element by
/// element from the end on, without a division.
Tensor gradient_at_zeros(const Tensor& gradient, const Tensor& x, int dim) {
  const std::int64_t size = x.size(dim);
  std::vector<Tensor> behind(static_cast<std::size_t>(size));
  for (std::int64_t i = size - 1; i >= 0; --i) {
    Tensor sum = narrow(gradient, dim, i, 1);
    if (i + 1 < size) sum = sum + narrow(x, dim, i + 1, 1) * behind[i + 1];
    behind[i] = sum;
  }
  return product_before(x, dim) * cat(behind, dim);
}

Tensor running_product(const Tensor& input, int dim) {
  const Tensor out = result_of("cumprod", input.sizes(), input.dtype(), input.device());
  kernels::run(kernels::CumulativeProduct{out.view(), input.view(), dim}, input.device());
  // An element is a factor from its own place on. Behind a first 0 all products are 0, and only
  // what that one is multiplied with gives it a gradient.
  record("cumprod", out, {input}, Keep::first | Keep::output, [dim](const Backward& at) -> Grads {
    const Operand zero = Scalar::of(std::int64_t{0}), one = Scalar::of(std::int64_t{1});
    const Tensor x = at.input(0);
    if (is_grad_enabled() && has_zero(x)) return gradient_at_zeros(at.grad, x, dim);
    const Tensor is_zero = eq(x, zero);
    const Tensor zeros_so_far = running_sum(to(detach(is_zero), DType::int64), dim, From::start);
    const Tensor is_before = eq(zeros_so_far, zero);
    const Tensor is_first = logical_and(is_zero, eq(zeros_so_far, one));
    const auto summed = [&](const Tensor& products) {
      return running_sum(at.grad * products, dim, From::end);
    };
    const Tensor of_others = summed(running_product(where(is_first, one, x), dim));
    return where(is_before, summed(at.output()) / where(is_before, x, one),
                 where(is_first, of_others, zero));
  });
  return out;
}

Tensor running_exponentials(const Tensor& input, int dim) {
  const Tensor out = result_of("logcumsumexp", input.sizes(), input.dtype(), input.device());
  kernels::run(kernels::LogCumulativeSumExp{out.view(), input.view(), dim}, input.device());
  // The sum of gradient e^(x - out) from its place on, of positive and negative gradients apart, so
  // that each has a logarithm.
  record(
      "logcumsumexp", out, {input}, Keep::first | Keep::output, [dim](const Backward& at) -> Grads {
        const Operand zero = Scalar::of(std::int64_t{0}), one = Scalar::of(std::int64_t{1});
        const Tensor x = at.input(0), output = at.output();
        const auto part = [&](const Tensor& gradient) {
          const Tensor counts = logical_not(le(gradient, zero));
          const Tensor logarithm = log(where(counts, gradient, one)) - output;
          const Tensor counted = where(counts, logarithm, -std::numeric_limits<double>::infinity());
          const Tensor sums = running_exponentials(turned(counted, {dim}), dim);
          return exp(turned(sums, {dim}) + x);
        };
        return part(at.grad) - part(-at.grad);
      });
  return out;
}

}  // namespace

bool has_zero(const Tensor& input) {
  const GradModeGuard no_grad(false);
  return !*static_cast<const bool*>(to(all(input), Device{}).data());
}

Tensor product_of_others(const Tensor& input, int dim) {
  const auto backwards = [&](const Tensor& x) { return turned(x, {dim}); };
  return product_before(input, dim) * backwards(product_before(backwards(input), dim));
}

Tensor cumprod(const Tensor& input, std::int64_t dim, std::optional<DType> dtype) {
  const int at = checked_dim("cumprod", dim, input.ndim());
  const DType result = dtype.value_or(has_gradient(input.dtype()) ? input.dtype() : DType::int64);
  const Tensor given = to(input, has_gradient(result) ? result : DType::int64);
  if (input.ndim() == 0) return to(row_major_copy(given), result);
  return to(running_product(given, at), result);
}

Tensor logcumsumexp(const Tensor& input, std::int64_t dim) {
  if (is_complex(input.dtype())) refuse_complex("logcumsumexp", input.dtype());
  const int at = checked_dim("logcumsumexp", dim, input.ndim());
  const Tensor given = is_floating(input.dtype()) ? input : to(input, default_floating());
  return input.ndim() ? running_exponentials(given, at) : row_major_copy(given);
}

Tensor cumsum(const Tensor& input, std::int64_t dim, std::optional<DType> dtype) {
  const int at = checked_dim("cumsum", dim, input.ndim());
  const DType result = dtype.value_or(has_gradient(input.dtype()) ? input.dtype() : DType::int64);
  const Tensor given = to(input, has_gradient(result) ? result : DType::int64);
  if (input.ndim() == 0) return to(row_major_copy(given), result);
  return to(running_sum(given, at, From::start), result);
}

}  // namespace garboard
