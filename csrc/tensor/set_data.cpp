#include "csrc/tensor/set_data.h"

#include <cstdint>
#include <utility>

#include "csrc/core/error.h"
#include "csrc/lifetime/borrowing.h"
#include "csrc/tensor/small_tensor.h"

namespace garboard {
namespace {

void check_gradient(const Tensor& grad, const Tensor& data) {
  const auto advice = "; they must be equal, set grad to None first";
  if (grad.sizes() != data.sizes())
    throw ShapeError(text("data: sizes ", data.sizes(), " for a tensor with a gradient of sizes ",
                          grad.sizes(), advice));
  if (grad.dtype() != data.dtype())
    throw DTypeError(text("data: dtype ", name_of(data.dtype()),
                          " for a tensor with a gradient of dtype ", name_of(grad.dtype()),
                          advice));
  if (grad.device() != data.device())
    throw DeviceError(text("data: on ", data.device(), " for a tensor with a gradient on ",
                           grad.device(), advice));
}

/// Of what was computed from others, whose gradient the graph takes as it was computed.
void check_computed(const Tensor& tensor, const Tensor& data) {
  if (data.sizes() != tensor.sizes() || data.dtype() != tensor.dtype() ||
      data.device() != tensor.device())
    throw GradientError(text("data: ", data.sizes(), " of ", name_of(data.dtype()), " on ",
                             data.device(), " for a tensor computed from others, ", tensor.sizes(),
                             " of ", name_of(tensor.dtype()), " on ", tensor.device(),
                             "; they must be equal, or detach() it first"));
}

void check(const Tensor& tensor, const Tensor& data) {
  if (!tensor.is_leaf()) check_computed(tensor, data);
  if (tensor.body()->requires_grad) {
    if (!has_gradient(data.dtype()))
      throw DTypeError(
          text("data: dtype ", name_of(data.dtype()),
               " for a tensor that requires grad; a floating or complex one is needed"));
    if (data.storage()->is_inference() && !(grad_mode & mode::inference))
      throw GradientError(
          "data: a tensor that was made in inference mode, for one that requires grad; clone() it "
          "outside of inference_mode()");
  }
  if (const Tensor grad = tensor.grad()) check_gradient(grad, data);
}

}  // namespace

void set_data(const Tensor& tensor, const Tensor& data) {
  check(tensor, data);
  TensorBody& body = *tensor.body();
  body.make_room(data.ndim());
  Counted<Storage> storage = data.storage();
  const View view = data.view();
  const std::int64_t offset = data.offset();
  const Device device = data.device();
  const auto former_base = std::move(body.base);  // goes last: its end may run anything
  // What nodes have kept of it is of versions up to this one: they have to meet a later one,
  // after any number of storages.
  const std::uint32_t least = version_of(tensor) + body.storage->was_saved();
  while (storage->version() < least) storage->bump_version();
  // What runs without the lock meanwhile may read the old elements.
  Borrowing::drop_after_all({Counted<Storage>(body.storage).release(), [](void* old) noexcept {
                               Counted<Storage>::adopt(static_cast<Storage*>(old)).reset();
                             }});
  SmallTensor::move_to(body, std::move(storage));
  body.dtype = view.dtype;
  body.device = device;
  body.lay_out(view.sizes, view.strides, offset);
}

}  // namespace garboard
