#include "csrc/ops/elementwise/positive_bits.h"

#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/op/record.h"
#include "kernels/run.h"

namespace garboard {
namespace {

constexpr std::int64_t least_bytes = std::int64_t{1} << 16;

}  // namespace

bool is_worth_bits(const Tensor& output) {
  return output.nbytes() >= least_bytes && output.device().is_cpu() && output.is_contiguous() &&
         is_floating(output.dtype());
}

Tensor positive_bits(const Tensor& x) {
  const Tensor bits = empty_of("relu", {(x.count() + 7) / 8}, DType::uint8, x.device());
  kernels::run(kernels::PositiveBits{bits.view(), x.flat_view()}, x.device());
  return bits;
}

Tensor where_positive(const Tensor& gradient, const Tensor& bits) {
  constexpr const char* op = "relu_gradient";
  const bool is_sole = is_sole_owner(gradient);
  const Tensor x = contiguous(gradient);
  const bool may_write = !is_grad_enabled() && (is_sole || x != gradient);  // or it is a copy
  const Tensor out = may_write ? x : empty_of(op, x.sizes(), x.dtype(), x.device());
  kernels::run(kernels::WherePositive{out.flat_view(), x.flat_view(), bits.view()}, x.device());
  record(op, out, {gradient}, Keep::nothing,
         [](const Backward& at) -> Grads { return where_positive(at.grad, at.other(0)); },
         {{"signs", bits}});
  return out;
}

}  // namespace garboard
