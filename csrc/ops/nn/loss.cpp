#include "csrc/ops/nn/loss.h"

#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/create/result_layout.h"
#include "csrc/ops/elementwise/activations.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/fuse/expression.h"
#include "csrc/ops/nn/softmax.h"
#include "csrc/ops/op/op.h"
#include "csrc/ops/op/operators.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/reduce/reduce.h"
#include "csrc/ops/shape/views.h"

namespace garboard {
namespace {

Tensor reduce(const Expression& losses, Reduction reduction) {
  if (reduction == Reduction::none) return losses.made();
  return reduction == Reduction::sum ? losses.sum() : losses.mean();
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
  Dims rows = input.sizes();
  if (!rows.empty()) rows.erase(rows.size() > 1 ? 1 : 0);
  if (input.ndim() < 1 || input.ndim() > 3 || target.sizes() != rows)
    throw ShapeError(text("cross_entropy: logits of sizes ", input.sizes(),
                          " and targets of sizes ", target.sizes(),
                          "; [rows, classes] and [rows], [groups, classes, places] and "
                          "[groups, places], or [classes] and [], are needed"));
}

void check_options(const Tensor& input, const CrossEntropyOptions& options) {
  const double smoothing = options.label_smoothing;
  if (!(smoothing >= 0 && smoothing <= 1))
    throw ShapeError(text("cross_entropy: label_smoothing ", smoothing, "; 0 to 1 is needed"));
  const Tensor& weight = options.weight;
  if (!weight) return;
  const Dims classes{input.size(input.ndim() > 1 ? 1 : 0)};
  if (weight.sizes() != classes)
    throw ShapeError(text("cross_entropy: weight of sizes ", weight.sizes(), "; ", classes,
                          ", one for each class, is needed"));
  if (weight.dtype() != input.dtype())
    throw DTypeError(text("cross_entropy: weight of dtype ", name_of(weight.dtype()),
                          ", logits of ", name_of(input.dtype()), "; they must be equal"));
  if (weight.device() != input.device())
    throw DeviceError(text("cross_entropy: weight on ", weight.device(), ", logits on ",
                           input.device(), "; they must be on one device, use to()"));
}

/// How targets count, beside their weights.
struct Goals {
  std::int64_t ignore_index;
  double label_smoothing;
};

/// One row after the other.
View in_rows(const Tensor& dense) {
  return make_view(dense.data(), dense.dtype(), {dense.count()}, {1});
}

/// What the kernels read and the rule keeps; `weight` may be empty.
kernels::CrossEntropy call_of(const Tensor& logits, const Tensor& targets, const Tensor& log_sums,
                              const Tensor& weight, const Goals& goals) {
  const View weights =
      make_view(weight ? weight.data() : nullptr, logits.dtype(), {logits.size(1)}, {1});
  return {logits.view(),      in_rows(targets),     {}, in_rows(log_sums), {}, weights,
          goals.ignore_index, goals.label_smoothing};
}

/// The gradient by ops that can be differentiated again.
Tensor formula(const Tensor& gradient, const Tensor& x, const Tensor& targets, const Tensor& weight,
               const Goals& goals) {
  const std::int64_t classes = x.size(1);
  const Tensor numbers = arange(Scalar::of(std::int64_t{0}), Scalar::of(classes),
                                Scalar::of(std::int64_t{1}), DType::int64, x.device());
  const Dims one_a_class = x.ndim() == 3 ? Dims{classes, 1} : Dims{classes};
  const Tensor weights = weight ? reshape(weight, one_a_class) : weight;
  Tensor of_target = to(eq(reshape(numbers, one_a_class), unsqueeze(targets, 1)), x.dtype());
  if (weight) of_target = of_target * weights;
  Tensor goal = of_target * (1 - goals.label_smoothing);
  if (goals.label_smoothing) {
    const double each = goals.label_smoothing / static_cast<double>(classes);
    goal = weight ? goal + weights * each : goal + each;
  }
  const Tensor counts = to(ne(targets, Scalar::of(goals.ignore_index)), x.dtype());
  const Reduced over_classes{Dims{1}, true};
  return (softmax(x, 1) * sum(goal, over_classes) - goal) * unsqueeze(gradient * counts, 1);
}

Tensor gradient_of_logits(const Backward& at, const Goals& goals) {
  Tensor gradient = at.spent_input(0);  // of a vocabulary, logits are the most that a step holds
  const bool is_over_logits = bool(gradient);
  const Tensor x = at.input(0), targets = at.other(0), log_sums = at.other(1), weight = at.other(2);
  if (is_grad_enabled()) return formula(at.grad, x, targets, weight, goals);
  if (!is_over_logits) {
    gradient = empty_of("cross_entropy", x.sizes(), x.dtype(), x.device());
    const View logits = x.view();
    lie_as(gradient, {&logits});
  }
  const Tensor slopes = reshape(at.grad, {-1});
  const auto write = [&] {
    const std::int64_t bad =
        kernels::run(kernels::CrossEntropyGradient{gradient.view(), slopes.view(),
                                                   call_of(x, targets, log_sums, weight, goals)},
                     x.device());
    if (bad < 0) return;
    throw VersionError(text("cross_entropy: the target of row ", bad, " is no longer in [0, ",
                            x.size(1),
                            "); it was overwritten from outside, as through an "
                            "array that shares its memory: give cross_entropy a clone()"));
  };
  is_over_logits ? write_over_spent(at, write) : write();
  return gradient;
}

struct RowLosses {
  Tensor losses;  // 0 where ignored
  Tensor counts;  // the weight of each target, 0 where ignored
};

RowLosses row_losses(const Tensor& logits, const Tensor& targets,
                     const CrossEntropyOptions& options) {
  const Device device = logits.device();
  const DType dtype = widened(logits.dtype());  // sums of them are rounded once, at their end
  const RowLosses rows{empty_of("cross_entropy", targets.sizes(), dtype, device),
                       empty_of("cross_entropy", targets.sizes(), dtype, device)};
  const Tensor log_sums = empty_of("cross_entropy", targets.sizes(), DType::float64, device);
  const Tensor weight = options.weight ? contiguous(detach(options.weight)) : Tensor();
  const Goals goals{options.ignore_index, options.label_smoothing};
  kernels::CrossEntropy call = call_of(logits, targets, log_sums, weight, goals);
  call.losses = in_rows(rows.losses);
  call.counts = in_rows(rows.counts);
  const std::int64_t bad = kernels::run(call, device);
  if (bad >= 0)
    throw IndexOutOfRangeError(text("cross_entropy: the target of row ", bad, " is not in [0, ",
                                    logits.size(1), "); each must be a class or ignore_index ",
                                    options.ignore_index));
  record("cross_entropy", rows.losses, {logits}, Keep::first,
         [goals](const Backward& at) -> Grads { return gradient_of_logits(at, goals); },
         {{"target", targets}, {"log sums", log_sums}, {"weight", weight}});
  return rows;
}

}  // namespace

Tensor cross_entropy(const Tensor& input, const Tensor& target,
                     const CrossEntropyOptions& options) {
  check_targets(input, target);
  check_options(input, options);
  const bool is_single = input.ndim() == 1;
  const Tensor logits = is_single ? unsqueeze(input, 0) : input;
  const Tensor targets = contiguous(is_single ? reshape(target, {1}) : target);
  const RowLosses rows = row_losses(logits, targets, options);
  const auto loss = [&] {
    if (options.reduction == Reduction::mean) return sum(rows.losses) / sum(rows.counts);
    if (options.reduction == Reduction::sum) return sum(rows.losses);
    return is_single ? reshape(rows.losses, {}) : rows.losses;
  };
  return to(loss(), input.dtype());
}

Tensor mse_loss(const Tensor& input, const Tensor& target, Reduction reduction) {
  if (input.sizes() != target.sizes())
    throw ShapeError(text("mse_loss: input of sizes ", input.sizes(), " and target of sizes ",
                          target.sizes(), "; they must be equal"));
  if (!is_floating(promote(input.dtype(), target.dtype())))
    throw DTypeError(text("mse_loss: dtypes ", name_of(input.dtype()), " and ",
                          name_of(target.dtype()), "; at least one must be floating"));
  return reduce(of<square>(of<sub>(input, target)), reduction);
}

Tensor huber_loss(const Tensor& input, const Tensor& target, const Scalar& turn,
                  Reduction reduction) {
  return reduce(of<huber>(of<sub>(input, target), turn), reduction);
}

}  // namespace garboard
