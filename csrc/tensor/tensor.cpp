#include "csrc/tensor/tensor.h"

#include "csrc/core/error.h"
#include "csrc/tensor/grad_node.h"

namespace garboard {

TensorBody* TensorBody::make() {
  auto* const body = new TensorBody;
  body->start_with_one_share();
  return body;
}

void destroy(TensorBody* body) noexcept { delete body; }

Tensor Tensor::over(Counted<Storage> storage, DType dtype, const Dims& sizes) {
  TensorBody* const body = TensorBody::make();
  body->view = {storage->data(), dtype, true, sizes.product(), sizes, contiguous_strides(sizes)};
  body->device = storage->device;
  body->storage = std::move(storage);
  return Tensor(Counted<TensorBody>::adopt(body));
}

Tensor Tensor::over(Counted<Storage> storage, DType dtype, const View& like) {
  TensorBody* const body = TensorBody::make();
  body->view = like;
  body->view.data = storage->data();
  body->view.dtype = dtype;
  body->device = storage->device;
  body->storage = std::move(storage);
  return Tensor(Counted<TensorBody>::adopt(body));
}

Tensor Tensor::over(Counted<Storage> storage, DType dtype, const Dims& sizes, const Dims& strides,
                    std::int64_t offset) {
  TensorBody* const body = TensorBody::make();
  auto* const start = static_cast<std::byte*>(storage->data());
  const auto skipped = offset * static_cast<std::int64_t>(item_size(dtype));
  body->view = make_view(start ? start + skipped : nullptr, dtype, sizes, strides);
  body->offset = offset;
  body->device = storage->device;
  body->storage = std::move(storage);
  return Tensor(Counted<TensorBody>::adopt(body));
}

Tensor Tensor::alias_of_storage(const Dims& sizes, const Dims& strides, std::int64_t offset) const {
  return over(storage(), dtype(), sizes, strides, offset);
}

void Tensor::set_requires_grad(bool required) const {
  if (required && !is_floating(dtype()))
    throw GradientError(text("requires_grad_: dtype ", name_of(dtype()),
                             "; only float32 and float64 tensors have gradients"));
  if (!required && has_history(*body_))
    throw GradientError(
        "requires_grad_: a tensor computed from others; only a leaf's flag can be cleared, use "
        "detach() for a tensor without history");
  body_->requires_grad = required && !has_history(*body_);
}

GradState& grad_state_of(const Tensor& tensor) {
  auto& state = tensor.body()->grad_state;
  if (!state) state = std::make_unique<GradState>();
  return *state;
}

Tensor Tensor::grad() const { return body_->grad_state ? body_->grad_state->grad : Tensor(); }

void Tensor::set_grad(Tensor grad) const {
  if (grad) {
    if (grad.sizes() != sizes())
      throw ShapeError(text("grad: sizes ", grad.sizes(), " for a tensor of sizes ", sizes(),
                            "; they must be equal"));
    if (grad.dtype() != dtype())
      throw DTypeError(text("grad: dtype ", name_of(grad.dtype()), " for a tensor of dtype ",
                            name_of(dtype()), "; they must be equal"));
    if (grad.device() != device())
      throw DeviceError(text("grad: on ", grad.device(), " for a tensor on ", device(),
                             "; they must be on one device"));
  }
  if (!grad && !body_->grad_state) return;
  grad_state_of(*this).grad = std::move(grad);
}

}  // namespace garboard
