// Rules of one input write over the gradient they are given, where nobody can tell: the walk of a
// plain backward pass then holds one gradient of a layer's size, and not two.
#include "csrc/ops/op/op.h"
#include "csrc/ops/op/record.h"

namespace garboard {
namespace {

bool may_write(const Tensor& grad, const Tensor& other) {
  return !is_grad_enabled() && is_sole_owner(grad) && grad.is_contiguous() &&
         other.is_contiguous() && grad.dtype() == other.dtype() &&
         grad.device() == other.device() && grad.sizes() == other.sizes();
}

}  // namespace

Tensor Binary::of_gradient(const Backward& at, const Tensor& other) const {
  const Tensor& grad = at.grad;
  if (!may_write(grad, other) || !kernel.takes(grad.dtype())) return of_tensors(grad, other);
  const View over = grad.view();
  const Device device = grad.device();
  kernels::table_of(device).binary[kernel.index](over, over, other.view(), current_stream(device));
  return grad;
}

Tensor place_of_gradient(const char* op, const Backward& at, const Tensor& like) {
  if (may_write(at.grad, like)) return at.grad;
  return Tensor::fresh(like.sizes(), like.dtype(), like.device(), op);
}

}  // namespace garboard
