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

/// The losses of classes, of logits and of logarithms of probabilities, and what errors call them.
struct ClassLoss {
  const char *op, *input;
  bool are_logs;
};
constexpr ClassLoss of_logits{"cross_entropy", "logits", false}, of_logs{"nll_loss", "input", true};

void check_targets(const ClassLoss& loss, const Tensor& input, const Tensor& target) {
  if (!is_floating(input.dtype()))
    throw DTypeError(text(loss.op, ": ", loss.input, " of dtype ", name_of(input.dtype()),
                          "; a floating one is needed"));
  if (target.dtype() != DType::int64)
    throw DTypeError(text(loss.op, ": targets of dtype ", name_of(target.dtype()),
                          "; class numbers in int64 are needed"));
  if (input.device() != target.device())
    throw DeviceError(text(loss.op, ": ", loss.input, " on ", input.device(), " and targets on ",
                           target.device(), "; they must be on one device, use to()"));
  Dims rows = input.sizes();
  if (!rows.empty()) rows.erase(rows.size() > 1 ? 1 : 0);
  if (input.ndim() < 1 || input.ndim() > 3 || target.sizes() != rows)
    throw ShapeError(text(loss.op, ": ", loss.input, " of sizes ", input.sizes(),
                          " and targets of sizes ", target.sizes(),
                          "; [rows, classes] and [rows], [groups, classes, places] and "
                          "[groups, places], or [classes] and [], are needed"));
}

void check_weight(const ClassLoss& loss, const Tensor& input, const Tensor& weight) {
  const Dims classes{input.size(input.ndim() > 1 ? 1 : 0)};
  if (weight.sizes() != classes)
    throw ShapeError(text(loss.op, ": weight of sizes ", weight.sizes(), "; ", classes,
                          ", one for each class, is needed"));
  if (weight.dtype() != input.dtype())
    throw DTypeError(text(loss.op, ": weight of dtype ", name_of(weight.dtype()), ", ", loss.input,
                          " of ", name_of(input.dtype()), "; they must be equal"));
  if (weight.device() != input.device())
    throw DeviceError(text(loss.op, ": weight on ", weight.device(), ", ", loss.input, " on ",
                           input.device(), "; they must be on one device, use to()"));
}

/// How targets count, beside their weights.
struct Goals {
  std::int64_t ignore_index;
  double label_smoothing;
  bool are_logs;
};

/// One row after the other.
View in_rows(const Tensor& dense) {
  return make_view(dense.data(), dense.dtype(), {dense.count()}, {1});
}

/// What the kernels read and the rule keeps; `log_sums` and `weight` may be empty.
kernels::CrossEntropy call_of(const View& logits, const Tensor& targets, const Tensor& log_sums,
                              const Tensor& weight, const Goals& goals) {
  const View weights =
      make_view(weight ? weight.data() : nullptr, logits.dtype, {logits.sizes.data()[1]}, {1});
  return {logits,
          in_rows(targets),
          {},
          log_sums ? in_rows(log_sums) : View{},
          {},
          weights,
          goals.ignore_index,
          goals.label_smoothing,
          goals.are_logs};
}

/// What the loss of each class counts for: sizes of the logits, by ops that can be differentiated.
Tensor shares_of(const Dims& sizes, DType dtype, const Tensor& targets, const Tensor& weight,
                 const Goals& goals) {
  const std::int64_t classes = sizes[1];
  const Tensor numbers = arange(Scalar::of(std::int64_t{0}), Scalar::of(classes),
                                Scalar::of(std::int64_t{1}), DType::int64, targets.device());
  const Dims one_a_class = sizes.size() == 3 ? Dims{classes, 1} : Dims{classes};
  const Tensor weights = weight ? reshape(weight, one_a_class) : weight;
  Tensor of_target = to(eq(reshape(numbers, one_a_class), unsqueeze(targets, 1)), dtype);
  if (weight) of_target = of_target * weights;
  Tensor shares = of_target * (1 - goals.label_smoothing);
  if (goals.label_smoothing) {
    const double each = goals.label_smoothing / static_cast<double>(classes);
    shares = weight ? shares + weights * each : shares + each;
  }
  return shares;
}

/// Of each row's loss, [rows, 1 class].
Tensor slopes_of(const Tensor& gradient, const Tensor& targets, DType dtype, const Goals& goals) {
  const Tensor counts = to(ne(targets, Scalar::of(goals.ignore_index)), dtype);
  return unsqueeze(gradient * counts, 1);
}

/// The gradient by ops that can be differentiated again.
Tensor formula(const Tensor& gradient, const Tensor& x, const Tensor& targets, const Tensor& weight,
               const Goals& goals) {
  const Tensor shares = shares_of(x.sizes(), x.dtype(), targets, weight, goals);
  const Reduced over_classes{Dims{1}, true};
  return (softmax(x, 1) * sum(shares, over_classes) - shares) *
         slopes_of(gradient, targets, x.dtype(), goals);
}

void check_unchanged(const ClassLoss& loss, std::int64_t bad, std::int64_t classes) {
  if (bad < 0) return;
  throw VersionError(text(loss.op, ": the target of row ", bad, " is no longer in [0, ", classes,
                          "); it was overwritten from outside, as through an array that shares "
                          "its memory: give ",
                          loss.op, " a clone()"));
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
    const auto call = call_of(x.view(), targets, log_sums, weight, goals);
    const std::int64_t bad = kernels::run(
        kernels::CrossEntropyGradient{gradient.view(), slopes.view(), call}, x.device());
    check_unchanged(of_logits, bad, x.size(1));
  };
  is_over_logits ? write_over_spent(at, write) : write();
  return gradient;
}

/// Of the logarithms nothing is read.
Tensor gradient_of_logs(const Backward& at, const Dims& sizes, DType dtype, const Goals& goals) {
  const Tensor targets = at.other(0), weight = at.other(1);
  if (is_grad_enabled())
    return -shares_of(sizes, dtype, targets, weight, goals) *
           slopes_of(at.grad, targets, dtype, goals);
  const Tensor gradient = zeros(sizes, dtype, targets.device()), slopes = reshape(at.grad, {-1});
  const auto call = call_of(gradient.view(), targets, {}, weight, goals);
  const std::int64_t bad = kernels::run(
      kernels::CrossEntropyGradient{gradient.view(), slopes.view(), call}, gradient.device());
  check_unchanged(of_logs, bad, sizes[1]);
  return gradient;
}

struct RowLosses {
  Tensor losses;  // 0 where ignored
  Tensor counts;  // the weight of each target, 0 where ignored
};

RowLosses row_losses(const ClassLoss& loss, const Tensor& logits, const Tensor& targets,
                     const CrossEntropyOptions& options) {
  const Device device = logits.device();
  const DType dtype = widened(logits.dtype());  // sums of them are rounded once, at their end
  const RowLosses rows{empty_of(loss.op, targets.sizes(), dtype, device),
                       empty_of(loss.op, targets.sizes(), dtype, device)};
  const Tensor log_sums =
      loss.are_logs ? Tensor() : empty_of(loss.op, targets.sizes(), DType::float64, device);
  const Tensor weight = options.weight ? contiguous(detach(options.weight)) : Tensor();
  const Goals goals{options.ignore_index, options.label_smoothing, loss.are_logs};
  kernels::CrossEntropy call = call_of(logits.view(), targets, log_sums, weight, goals);
  call.losses = in_rows(rows.losses);
  call.counts = in_rows(rows.counts);
  const std::int64_t bad = kernels::run(call, device);
  if (bad >= 0)
    throw IndexOutOfRangeError(text(loss.op, ": the target of row ", bad, " is not in [0, ",
                                    logits.size(1), "); each must be a class or ignore_index ",
                                    options.ignore_index));
  if (loss.are_logs)
    record(loss.op, rows.losses, {logits}, Keep::nothing,
           [sizes = logits.sizes(), dtype = logits.dtype(), goals](const Backward& at) -> Grads {
             return gradient_of_logs(at, sizes, dtype, goals);
           },
           {{"target", targets}, {"weight", weight}});
  else
    record(loss.op, rows.losses, {logits}, Keep::first,
           [goals](const Backward& at) -> Grads { return gradient_of_logits(at, goals); },
           {{"target", targets}, {"log sums", log_sums}, {"weight", weight}});
  return rows;
}

Tensor loss_of_classes(const ClassLoss& of, const Tensor& input, const Tensor& target,
                       const CrossEntropyOptions& options) {
  check_targets(of, input, target);
  if (options.weight) check_weight(of, input, options.weight);
  const bool is_single = input.ndim() == 1;
  const Tensor logits = is_single ? unsqueeze(input, 0) : input;
  const Tensor targets = contiguous(is_single ? reshape(target, {1}) : target);
  const RowLosses rows = row_losses(of, logits, targets, options);
  const auto loss = [&] {
    if (options.reduction == Reduction::mean) return sum(rows.losses) / sum(rows.counts);
    if (options.reduction == Reduction::sum) return sum(rows.losses);
    return is_single ? reshape(rows.losses, {}) : rows.losses;
  };
  return to(loss(), input.dtype());
}

}  // namespace

Tensor cross_entropy(const Tensor& input, const Tensor& target,
                     const CrossEntropyOptions& options) {
  const double smoothing = options.label_smoothing;
  if (!(smoothing >= 0 && smoothing <= 1))
    throw ShapeError(text("cross_entropy: label_smoothing ", smoothing, "; 0 to 1 is needed"));
  return loss_of_classes(of_logits, input, target, options);
}

Tensor nll_loss(const Tensor& input, const Tensor& target, const Tensor& weight,
                std::int64_t ignore_index, Reduction reduction) {
  return loss_of_classes(of_logs, input, target, {weight, ignore_index, reduction});
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
