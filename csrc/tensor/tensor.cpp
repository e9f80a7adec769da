#include "csrc/tensor/tensor.h"

#include <atomic>

#include "csrc/core/error.h"
#include "csrc/tensor/grad_node.h"
#include "csrc/tensor/sizes.h"
#include "csrc/tensor/small_tensor.h"

namespace garboard {

TensorBody* TensorBody::make() {
  auto* const body = new TensorBody;
  body->start_with_one_share();
  return body;
}

TensorBody::~TensorBody() = default;

void destroy(TensorBody* body) noexcept {
  if (!body->is_in_small_tensor_) return delete body;
  Storage* const storage = SmallTensor::home_of(*body);
  if (body->storage.get() == storage) [[likely]]  // or else set_data gave it another
    (void)body->storage.release();
  body->~TensorBody();
  if (storage->drop()) SmallTensor::end(storage);  // and with it the memory of both
}

namespace {

/// A body over a storage of its own, its view yet to be filled in.
[[gnu::always_inline]] inline TensorBody* make_with_storage(std::int64_t bytes, Device device) {
  if (Storage::holds(bytes, device)) return SmallTensor::make(bytes);
  Counted<Storage> storage = Storage::allocate(bytes, device);
  TensorBody* const body = TensorBody::make();
  body->device = device;
  body->storage = std::move(storage);
  return body;
}

}  // namespace

Tensor Tensor::fresh(const Dims& sizes, DType dtype, Device device, const char* op) {
  const std::int64_t count = checked_count(op, sizes, dtype);
  const std::int64_t bytes = count * static_cast<std::int64_t>(item_size(dtype));
  TensorBody* const body = make_with_storage(bytes, device);
  body->view = {body->storage->data(), dtype, true, count, sizes, contiguous_strides(sizes)};
  return Tensor(Counted<TensorBody>::adopt(body));
}

Tensor Tensor::fresh(const View& like, DType dtype, Device device, const char* op) {
  std::int64_t bytes;  // `like` fits; in a larger dtype it may not
  if (__builtin_mul_overflow(like.count, static_cast<std::int64_t>(item_size(dtype)), &bytes))
    refuse_bytes(op, like.sizes, dtype);
  TensorBody* const body = make_with_storage(bytes, device);
  body->view = {body->storage->data(), dtype, true, like.count, like.sizes, like.strides};
  return Tensor(Counted<TensorBody>::adopt(body));
}

Tensor Tensor::over(Counted<Storage> storage, DType dtype) {
  TensorBody* const body = TensorBody::make();
  body->view.dtype = dtype;
  body->device = storage->device;
  body->storage = std::move(storage);
  return Tensor(Counted<TensorBody>::adopt(body));
}

void Tensor::lay_out(std::int64_t offset) const noexcept {
  View& view = body_->view;
  auto* const start = static_cast<std::byte*>(body_->storage->data());
  view.data = start ? start + offset * static_cast<std::int64_t>(item_size(view.dtype)) : nullptr;
  view.contiguous = garboard::is_contiguous(view.sizes, view.strides);
  view.count = view.sizes.product();
  body_->offset = offset;
}

Tensor Tensor::over(Counted<Storage> storage, DType dtype, const Dims& sizes, const Dims& strides,
                    std::int64_t offset) {
  Tensor tensor = over(std::move(storage), dtype);
  tensor.body()->view.sizes = sizes;
  tensor.body()->view.strides = strides;
  tensor.lay_out(offset);
  return tensor;
}

Tensor Tensor::alias_of_storage(const Dims& sizes, const Dims& strides, std::int64_t offset) const {
  Tensor alias = over(storage(), dtype(), sizes, strides, offset);
  alias.body()->is_unwatched = body_->is_unwatched;
  return alias;
}

void Tensor::set_requires_grad(bool required) const {
  if (required && !has_gradient(dtype()))
    throw GradientError(text("requires_grad_: dtype ", name_of(dtype()),
                             "; only tensors of floating and complex dtypes have gradients"));
  if (!required && has_history(*body_))
    throw GradientError(
        "requires_grad_: a tensor computed from others; only a leaf's flag can be cleared, use "
        "detach() for a tensor without history");
  if (required && storage()->is_inference() && !(grad_mode & mode::inference))
    throw GradientError(
        "requires_grad_: a tensor that was made in inference mode; it has no gradients, clone() it "
        "outside of inference_mode()");
  body_->was_required |= body_->requires_grad && !required;
  body_->requires_grad = required && !has_history(*body_);
}

GradState& grad_state_of(const Tensor& tensor) {
  auto& state = tensor.body()->grad_state;
  if (!state) state = std::make_unique<GradState>();
  return *state;
}

GradState::~GradState() {
  if (retaining) retaining->make_seldom().retained_by = nullptr;
}

bool retains_grad(const Tensor& tensor) noexcept {
  const GradState* const state = tensor.body()->grad_state.get();
  return state && state->retaining;
}

void retain_grad(const Tensor& tensor) {
  if (!tensor.requires_grad())
    throw GradientError(
        "retain_grad: a tensor that does not require grad; only those get gradients, set "
        "requires_grad_() on a leaf before it is used");
  TensorBody& body = *tensor.body();
  if (!body.grad_node) return;  // a leaf's is kept in any case
  grad_state_of(tensor).retaining = body.grad_node;
  body.grad_node->make_seldom().retained_by = &body;
}

void move_retention(TensorBody& body) {
  GradState& state = *body.grad_state;
  if (!state.retaining || state.retaining == body.grad_node) return;
  state.retaining->make_seldom().retained_by = nullptr;
  state.retaining = body.grad_node;
  if (body.grad_node) body.grad_node->make_seldom().retained_by = &body;
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
  if (grad && grad.requires_grad()) note_recorded_gradient();
  grad_state_of(*this).grad = std::move(grad);
}

namespace {
std::atomic<bool> gradients_recorded = false;
}  // namespace

void note_recorded_gradient() noexcept {
  gradients_recorded.store(true, std::memory_order_relaxed);
}
bool were_gradients_recorded() noexcept {
  return gradients_recorded.load(std::memory_order_relaxed);
}
void forget_recorded_gradients() noexcept {
  gradients_recorded.store(false, std::memory_order_relaxed);
}

}  // namespace garboard
