#include "csrc/ops/loss.h"

#include "csrc/core/error.h"
#include "csrc/ops/binary.h"
#include "csrc/ops/convert.h"
#include "csrc/ops/create.h"
#include "csrc/ops/operators.h"
#include "csrc/ops/record.h"
#include "csrc/ops/reduce.h"
#include "csrc/ops/softmax.h"
#include "csrc/ops/ternary.h"
#include "csrc/ops/unary.h"
#include "csrc/ops/views.h"

namespace garboard {
namespace {

Tensor reduce(const Tensor& losses, Reduction reduction) {
  if (reduction == Reduction::none) return losses;
  return reduction == Reduction::sum ? sum(losses) : mean(losses);
}

void check_targets(const Tensor& input, const Tensor& target) {
  if (!is_floating(input.dtype()))
    throw DTypeError(text("cross_entropy: logits of dtype ", name_of(input.dtype()),
                          "; a floating one is needed"));
  if (target.dtype() != DType::int64)
    throw DTypeError(text("cross_entropy: targets of dtype ", name_of(target.dtype()),
                          "; class numbers in int64 are needed"));
  if (input.device() != target.device())
    throw DeviceError(text("cross_entropy: logits on ", input.device(), " and targets on ",
                           target.device(), "; they must be on one device, use to()"));
  const Dims rows = input.ndim() == 2 ? Dims{input.sizes()[0]} : Dims{};
  if (input.ndim() < 1 || input.ndim() > 2 || target.sizes() != rows)
    throw ShapeError(text("cross_entropy: logits of sizes ", input.sizes(),
                          " and targets of sizes ", target.sizes(),
                          "; [rows, classes] and [rows], or [classes] and [], are "
                          "needed"));
}

/// One loss a row, 0 where ignored.
Tensor row_losses(const Tensor& logits, const Tensor& targets, std::int64_t ignore_index) {
  const Device device = logits.device();
  const Tensor losses = empty_of(targets.sizes(), logits.dtype(), device);
  const Tensor log_sums = empty_of(targets.sizes(), logits.dtype(), device);
  const kernels::CrossEntropy call{logits.view(), targets.view(), losses.view(), log_sums.view(),
                                   ignore_index};
  const std::int64_t bad = kernels::table_of(device).cross_entropy(call, {device});
  if (bad >= 0)
    throw IndexOutOfRangeError(text("cross_entropy: the target of row ", bad, " is not in [0, ",
                                    logits.sizes()[1], "); each must be a class or ignore_index ",
                                    ignore_index));
  record("cross_entropy", losses, {logits}, Keep::first,
         [targets, log_sums, ignore_index](const Backward& at) -> Grads {
           const Tensor x = at.input(0);
           const Device device = x.device();
           if (is_grad_enabled()) {  // the same by ops that can be differentiated again
             const Tensor classes = arange(Scalar::of(std::int64_t{0}), Scalar::of(x.sizes()[1]),
                                           Scalar::of(std::int64_t{1}), DType::int64, device);
             const Tensor one_hot = to(eq(classes, unsqueeze(targets, 1)), x.dtype());
             const Tensor counts = to(ne(targets, Scalar::of(ignore_index)), x.dtype());
             return (softmax(x, 1) - one_hot) * unsqueeze(at.grad * counts, 1);
           }
           const Tensor gradient = empty_of(x.sizes(), x.dtype(), device);
           kernels::table_of(device).cross_entropy_gradient(
               gradient.view(), at.grad.view(),
               {x.view(), targets.view(), {}, log_sums.view(), ignore_index}, {device});
           return gradient;
         });
  return losses;
}

}  // namespace

Tensor cross_entropy(const Tensor& input, const Tensor& target, Reduction reduction,
                     std::int64_t ignore_index) {
  check_targets(input, target);
  const bool is_single = input.ndim() == 1;
  const Tensor logits = is_single ? unsqueeze(input, 0) : input;
  const Tensor targets = is_single ? reshape(target, {1}) : target;
  const Tensor losses = row_losses(logits, targets, ignore_index);
  if (reduction == Reduction::mean) {
    const Tensor count = sum(ne(targets, Scalar::of(ignore_index)));
    return sum(losses) / to(count, losses.dtype());
  }
  if (reduction == Reduction::sum) return sum(losses);
  return is_single ? reshape(losses, {}) : losses;
}

Tensor mse_loss(const Tensor& input, const Tensor& target, Reduction reduction) {
  if (input.sizes() != target.sizes())
    throw ShapeError(text("mse_loss: input of sizes ", input.sizes(), " and target of sizes ",
                          target.sizes(), "; they must be equal"));
  if (!is_floating(promote(input.dtype(), target.dtype())))
    throw DTypeError(text("mse_loss: dtypes ", name_of(input.dtype()), " and ",
                          name_of(target.dtype()), "; at least one must be floating"));
  return reduce(square(input - target), reduction);
}

}  // namespace garboard
