// The loss of labels whose places in a sequence nobody knows.
#pragma once

#include <cstdint>

#include "csrc/tensor/tensor.h"

namespace garboard {

/// What is to be read, and how long everything is; all int64.
struct CtcLabels {
  Tensor labels;         // [all], those of a sample one behind the other
  Tensor starts;         // [samples]: where those of each begin
  Tensor counts;         // [samples]: how many
  Tensor steps;          // [samples]: how many of log_probs' steps are its own
  std::int64_t longest;  // of the counts
};

/// A loss a sample of log_probs [steps, samples, classes]: infinite where the labels do not fit
/// into the steps, and then without a gradient, where `skips_infinite`, or with one of NaN. The
/// gradient is that of what went through a log_softmax. Raises IndexOutOfRangeError, ShapeError,
/// DTypeError, DeviceError.
Tensor ctc_loss(const Tensor& log_probs, const CtcLabels& labels, std::int64_t blank,
                bool skips_infinite);

}  // namespace garboard
