// Rules of one input write over the gradient they are given, where nobody can tell: the walk of a
// plain backward pass then holds one gradient of a layer's size, and not two.
#include "csrc/ops/op.h"

namespace garboard {
namespace {

/// Nobody else can see these bytes: they are of a tensor with one share, or of a view with one
/// share of such a tensor.
bool is_alone(const Tensor& tensor) {
  const TensorBody& body = *tensor.body();
  if (body.share_count() != 1) return false;
  if (!body.base) return tensor.storage()->share_count() == 1;
  return body.base->share_count() == 1 && tensor.storage()->share_count() == 2;
}

bool may_write(const Tensor& grad, const Tensor& other, const kernels::Slot& kernel) {
  return !is_grad_enabled() && is_alone(grad) && grad.is_contiguous() && other.is_contiguous() &&
         kernel.takes(grad.dtype()) && grad.dtype() == other.dtype() &&
         grad.device() == other.device() && grad.sizes() == other.sizes();
}

}  // namespace

Tensor Binary::of_gradient(const Backward& at, const Tensor& other) const {
  const Tensor& grad = at.grad;
  if (!may_write(grad, other, kernel)) return of_tensors(grad, other);
  const View over = grad.view();
  const Device device = grad.device();
  kernels::table_of(device).binary[kernel.index](over, over, other.view(), {device});
  return grad;
}

}  // namespace garboard
