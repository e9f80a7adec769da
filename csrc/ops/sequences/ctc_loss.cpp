#include "csrc/ops/sequences/ctc_loss.h"

#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/shape/views.h"
#include "kernels/run.h"

namespace garboard {
namespace {

constexpr const char* ctc_op = "ctc_loss";

void check(const Tensor& log_probs, const CtcLabels& labels, std::int64_t blank) {
  if (!is_floating(log_probs.dtype()))
    throw DTypeError(text(ctc_op, ": log_probs of dtype ", name_of(log_probs.dtype()),
                          "; a floating one is needed"));
  if (log_probs.ndim() != 3)
    throw ShapeError(
        text(ctc_op, ": log_probs ", log_probs.sizes(), "; [steps, samples, classes] is needed"));
  const Dims samples{log_probs.size(1)};
  const std::int64_t classes = log_probs.size(2);
  if (blank < 0 || blank >= classes)
    throw IndexOutOfRangeError(
        text(ctc_op, ": blank ", blank, " of ", classes, " classes; one of them is needed"));
  if (labels.labels.ndim() != 1 || labels.longest < 0 || labels.longest > labels.labels.count())
    throw ShapeError(text(ctc_op, ": labels ", labels.labels.sizes(), ", at most ", labels.longest,
                          " of a sample; one dim of them is needed"));
  for (const Tensor* tensor : {&labels.labels, &labels.starts, &labels.counts, &labels.steps}) {
    if (tensor->dtype() != DType::int64)
      throw DTypeError(text(ctc_op, ": labels or lengths of dtype ", name_of(tensor->dtype()),
                            "; int64 is needed"));
    if (tensor != &labels.labels && tensor->sizes() != samples)
      throw ShapeError(text(ctc_op, ": lengths of sizes ", tensor->sizes(), " for ", samples,
                            " samples; one each is needed"));
    if (tensor->device() != log_probs.device())
      throw DeviceError(text(ctc_op, ": log_probs on ", log_probs.device(),
                             ", labels or lengths on ", tensor->device(),
                             "; they must be on one device, use to()"));
  }
}

kernels::CtcLoss call_of(const Tensor& losses, const Tensor& alphas, const Tensor& log_probs,
                         const CtcLabels& labels, std::int64_t blank) {
  return {losses.view(),        alphas.view(),        log_probs.view(),    labels.labels.view(),
          labels.starts.view(), labels.counts.view(), labels.steps.view(), blank};
}

Tensor gradient(const Backward& at, std::int64_t blank, bool skips_infinite) {
  if (is_grad_enabled())
    throw GradientError(
        text(ctc_op, ": its gradient has no gradient of its own; leave create_graph out"));
  const Tensor log_probs = at.other(0), losses = at.output();
  const CtcLabels labels{at.other(2), at.other(3), at.other(4), at.other(5), 0};
  const Tensor given = contiguous(at.grad);
  const Tensor result = empty_of(ctc_op, log_probs.sizes(), log_probs.dtype(), log_probs.device());
  const kernels::CtcLoss call = call_of(losses, at.other(1), log_probs, labels, blank);
  const std::int64_t bad = kernels::run(
      kernels::CtcLossGradient{result.view(), given.view(), call, skips_infinite}, result.device());
  if (bad >= 0)
    throw VersionError(text(ctc_op, ": the labels or lengths of sample ", bad,
                            " were overwritten from outside, as through an array that shares "
                            "their memory; give ctc_loss a clone()"));
  return result;
}

}  // namespace

Tensor ctc_loss(const Tensor& log_probs, const CtcLabels& given, std::int64_t blank,
                bool skips_infinite) {
  check(log_probs, given, blank);
  if (is_half(log_probs.dtype()))
    return to(ctc_loss(to(log_probs, DType::float32), given, blank, skips_infinite),
              log_probs.dtype());
  const CtcLabels labels{contiguous(given.labels), contiguous(given.starts),
                         contiguous(given.counts), contiguous(given.steps), given.longest};
  const Dims sizes = log_probs.sizes();
  const DType dtype = log_probs.dtype();
  const Device device = log_probs.device();
  const Tensor read = contiguous(detach(log_probs));
  const Tensor losses = empty_of(ctc_op, {sizes[1]}, dtype, device);
  const Tensor alphas =
      empty(Dims{sizes[1], sizes[0], 2 * labels.longest + 1}, dtype, device, ctc_op);
  const std::int64_t bad = kernels::run(call_of(losses, alphas, read, labels, blank), device);
  if (bad >= 0)
    throw IndexOutOfRangeError(text(
        ctc_op, ": the labels or lengths of sample ", bad, "; labels from 0 to ", sizes[2] - 1,
        ", at most ", labels.longest, " of them, and at most ", sizes[0], " steps are needed"));
  record(ctc_op, losses, {log_probs}, Keep::output,
         [blank, skips_infinite](const Backward& at) -> Grads {
           return gradient(at, blank, skips_infinite);
         },
         {{"log_probs", read},
          {"alphas", alphas},
          {"targets", labels.labels},
          {"starts", labels.starts},
          {"target_lengths", labels.counts},
          {"input_lengths", labels.steps}});
  return losses;
}

}  // namespace garboard
