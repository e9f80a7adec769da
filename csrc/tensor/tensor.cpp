#include "csrc/tensor/tensor.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

#include "csrc/core/error.h"
#include "csrc/tensor/grad_node.h"
#include "csrc/tensor/sizes.h"
#include "csrc/tensor/small_tensor.h"

namespace garboard {

namespace {

/// Of sizes and strides that did not fit behind their body.
constexpr std::size_t numbers_bytes = 2 * max_dims * sizeof(std::int64_t);

/// The row-major strides of `ndim` sizes, behind them.
void fill_contiguous_strides(std::int64_t* sizes, int ndim) noexcept {
  std::int64_t stride = 1;
  for (int i = ndim - 1; i >= 0; --i) {
    sizes[ndim + i] = stride;
    stride *= std::max<std::int64_t>(sizes[i], 1);
  }
}

}  // namespace

TensorBody::~TensorBody() {
  if (numbers_ != own_numbers()) pool::give(numbers_, numbers_bytes);
}

void TensorBody::make_room(int ndim) {
  if (ndim <= room_ || numbers_ != own_numbers()) return;
  auto* const elsewhere = static_cast<std::int64_t*>(pool::take(numbers_bytes));
  std::copy_n(numbers_, 2 * ndim_, elsewhere);
  numbers_ = elsewhere;
}

void TensorBody::lay_out(const Dims& sizes, const Dims& strides, std::int64_t new_offset) noexcept {
  ndim_ = static_cast<std::uint8_t>(sizes.size());
  for (int i = 0; i < ndim_; ++i) {
    this->sizes()[i] = sizes[i];
    this->strides()[i] = strides[i];
  }
  auto* const start = static_cast<std::byte*>(storage->data());
  data = start ? start + new_offset * static_cast<std::int64_t>(item_size(dtype)) : nullptr;
  contiguous = is_contiguous(sizes, strides);
  count = sizes.product();
  offset = new_offset;
}

void destroy(TensorBody* body) noexcept {
  if (!body->is_in_small_tensor_) {
    const std::size_t bytes = TensorBody::bytes_of(body->room_);
    body->~TensorBody();
    return pool::give(body, bytes);
  }
  Storage* const storage = SmallTensor::home_of(*body);
  if (body->storage.get() == storage) [[likely]]  // or else set_data gave it another
    (void)body->storage.release();
  if (body->has_more()) [[unlikely]]
    body->~TensorBody();
  if (storage->drop()) SmallTensor::end(storage);  // and with it the memory of both
}

namespace {

/// A contiguous body over a storage of its own, its sizes and strides yet to be written.
[[gnu::always_inline]] inline TensorBody* make_with_storage(std::int64_t count, DType dtype,
                                                            int ndim, Device device) {
  const std::int64_t bytes = count * static_cast<std::int64_t>(item_size(dtype));
  TensorBody* body;
  if (Storage::holds(bytes, device)) {
    body = SmallTensor::make(bytes, ndim);
  } else {
    body = TensorBody::make(ndim, Storage::allocate(bytes, device));
    body->device = device;
  }
  body->data = body->storage->data();
  body->dtype = dtype;
  body->count = count;
  return body;
}

}  // namespace

Tensor Tensor::fresh(const Dims& sizes, DType dtype, Device device, const char* op) {
  const std::int64_t count = checked_count(op, sizes, dtype);
  TensorBody* const body = make_with_storage(count, dtype, sizes.size(), device);
  for (int i = 0; i < sizes.size(); ++i) body->sizes()[i] = sizes[i];
  fill_contiguous_strides(body->sizes(), sizes.size());
  return Tensor(Counted<TensorBody>::adopt(body));
}

Tensor Tensor::fresh(const Tensor& like, DType dtype, const char* op) {
  std::int64_t bytes;  // `like` fits; in a larger dtype it may not
  if (__builtin_mul_overflow(like.count(), static_cast<std::int64_t>(item_size(dtype)), &bytes))
    refuse_bytes(op, like.sizes(), dtype);
  const TensorBody& from = *like.body();
  TensorBody* const body = make_with_storage(from.count, dtype, from.ndim(), from.device);
  for (int i = 0; i < from.ndim(); ++i)  // sizes and strides are one row: two of them at a time
    std::memcpy(body->sizes() + 2 * i, from.sizes() + 2 * i, 2 * sizeof(std::int64_t));
  return Tensor(Counted<TensorBody>::adopt(body));
}

Tensor Tensor::over(Counted<Storage> storage, DType dtype, const Dims& sizes, const Dims& strides,
                    std::int64_t offset) {
  const Device device = storage->device;
  TensorBody* const body = TensorBody::make(sizes.size(), std::move(storage));
  body->dtype = dtype;
  body->device = device;
  body->lay_out(sizes, strides, offset);
  return Tensor(Counted<TensorBody>::adopt(body));
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
  if (required && body_->base) body_->base->was_required = true;  // as if: graphs lead back to it
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
