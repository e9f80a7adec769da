#include "csrc/ops/reduce/scan.h"

#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/shape/views.h"
#include "kernels/table.h"

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
  const Tensor out = empty_of("cumsum", input.sizes(), input.dtype(), input.device());
  View to = out.view(), x = input.view();
  if (from == From::end) {
    to = backwards(to, dim);
    x = backwards(x, dim);
  }
  kernels::run(kernels::CumulativeSum{to, x, dim}, {input.device()});
  // An element is in every sum from its own place on.
  record("cumsum", out, {input}, Keep::nothing, [dim, from](const Backward& at) -> Grads {
    return running_sum(at.grad, dim, from == From::start ? From::end : From::start);
  });
  return out;
}

}  // namespace

Tensor cumsum(const Tensor& input, std::int64_t dim, std::optional<DType> dtype) {
  const int at = checked_dim("cumsum", dim, input.ndim());
  const DType result = dtype.value_or(is_floating(input.dtype()) ? input.dtype() : DType::int64);
  const Tensor given = to(input, is_floating(result) ? result : DType::int64);
  if (input.ndim() == 0) return to(clone(given), result);
  return to(running_sum(given, at, From::start), result);
}

}  // namespace garboard
