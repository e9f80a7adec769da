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

void check(const Tensor& leaf, const Tensor& data) {
  if (leaf.body()->base || !leaf.is_leaf())
    throw GradientError(
        "data: assigned to a view, or to a tensor computed from others; a leaf is needed, write "
        "with copy_()");
  if (leaf.body()->requires_grad) {
    if (!has_gradient(data.dtype()))
      throw DTypeError(
          text("data: dtype ", name_of(data.dtype()),
               " for a tensor that requires grad; a floating or complex one is needed"));
    if (data.storage()->is_inference() && !(grad_mode & mode::inference))
      throw GradientError(
          "data: a tensor that was made in inference mode, for one that requires grad; clone() it "
          "outside of inference_mode()");
  }
  if (const Tensor grad = leaf.grad()) check_gradient(grad, data);
}

}  // namespace

void set_data(const Tensor& leaf, const Tensor& data) {
  check(leaf, data);
  TensorBody& body = *leaf.body();
  body.make_room(data.ndim());
  Counted<Storage> storage = data.storage();
  const View view = data.view();
  const std::int64_t offset = data.offset();
  const Device device = data.device();
  // What nodes have kept of the leaf is of versions up to this one: they have to meet a later one,
  // after any number of storages.
  const std::uint32_t least = version_of(leaf) + body.storage->was_saved();
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
