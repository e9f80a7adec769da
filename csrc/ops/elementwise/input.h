// What an elementwise kernel reads of an operand.
#pragma once

#include <initializer_list>
#include <optional>

#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/result_layout.h"
#include "csrc/ops/op/operand.h"
#include "csrc/ops/op/promotion.h"

namespace garboard {

/// An operand as the kernel wants it: converted, broadcast unless it is one element, and apart from
/// what is written.
class Input {
 public:
  Input(const Operand& operand, DType dtype, const Dims& sizes, const Tensor* written) {
    if (!operand.tensor) {
      number_.emplace(operand.scalar, dtype);
      view_ = number_->view();
      return;
    }
    const GradModeGuard no_grad(false);
    tensor_ = to(*operand.tensor, dtype);
    if (written && overlaps_partly(*written, tensor_)) tensor_ = row_major_copy(tensor_);
    const bool fits = tensor_.has_sizes(sizes) || tensor_.count() == 1;
    view_ = fits ? tensor_.view() : broadcast_view(tensor_.view(), sizes);
  }

  const View& view() const { return view_; }

  /// Is read as `out` lies, where it lies across that: against its grain an element costs more than
  /// the copy. That goes into `free`, whose elements nobody needs yet, or into memory of its own,
  /// if there is any.
  void straighten(const View& out, const Tensor* free) {
    if (!tensor_ || view_.count == 1 || !lies_across(view_, out.strides)) return;
    if (free && free->dtype() == tensor_.dtype() && tensor_.has_sizes(free->sizes())) {
      copy_into(*free, tensor_);
      tensor_ = *free;
    } else {
      tensor_ = laid_along(tensor_, out.strides);
    }
    view_ =
        tensor_.has_sizes(out.sizes) ? tensor_.view() : broadcast_view(tensor_.view(), out.sizes);
  }
  bool is_in(const Tensor& tensor) const { return tensor_ == tensor; }

 private:
  Tensor tensor_;
  std::optional<ScalarView> number_;
  View view_;
};

[[gnu::noinline]] inline void straighten_all(const Tensor& out, bool is_fresh,
                                             std::initializer_list<Input*> inputs) {
  const View view = out.view();
  const Tensor* free = is_fresh ? &out : nullptr;
  for (Input* input : inputs) {
    input->straighten(view, free);
    if (input->is_in(out)) free = nullptr;
  }
}
/// Straightens inputs of `out`, unless that is small. One of a fresh result, which is dense, may
/// lie where that will.
inline void straighten(const Tensor& out, bool is_fresh, std::initializer_list<Input*> inputs) {
  constexpr std::int64_t least = 4096;
  if (out.count() >= least && (is_fresh || out.is_contiguous()) && out.device().is_cpu())
      [[unlikely]]
    straighten_all(out, is_fresh, inputs);
}

}  // namespace garboard
