#include "python/bindings/tensor/packed_tensors.h"

#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/op/record.h"
#include "python/bindings/context/grad_mode.h"
#include "python/bindings/context/scope_stack.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/ref.h"
#include "python/bindings/tensor/python_held.h"
#include "python/bindings/tensor/tensor_object.h"

namespace garboard::python {
namespace {

PyObject* innermost_hooks = nullptr;

class PackedByPython final : public PackedTensor, public PythonHeld {
 public:
  PackedByPython(const char* op, const Tensor& kept, Ref packed, Ref unpack)
      : op_(op),
        dtype_(kept.dtype()),
        device_(kept.device()),
        sizes_(kept.sizes()),
        is_contiguous_(kept.is_contiguous()),
        packed_(std::move(packed)),
        unpack_(std::move(unpack)) {}

  Tensor unpack() override {
    const GradModeOfOp mode;  // first: the stamp takes the mode from the context
    const BirthStamp stamp;
    const Ref function = Ref::borrow(unpack_.get()), packed = Ref::borrow(packed_.get());
    if (!function) throw GradientError(text("unpack: what ", op_, " kept was garbage"));
    const Ref found(checked(PyObject_CallOneArg(function.get(), packed.get())));
    if (!is_tensor(found.get()))
      throw_type_error("unpack: it returned %s for a tensor that %s kept; a Tensor is needed",
                       Py_TYPE(found.get())->tp_name, op_);
    const Tensor& given = tensor_of(found.get(), "unpack", "what it returned");
    check(given);
    const GradModeGuard no_grad(false);
    const Tensor apart = given.alias_of_storage(given.sizes(), given.strides(), given.offset());
    return is_contiguous_ && !apart.is_contiguous() ? row_major_copy(apart) : apart;
  }

  int visit(visitproc visit, void* arg) const override {
    Py_VISIT(packed_.get());
    Py_VISIT(unpack_.get());
    return 0;
  }

  void clear() noexcept override {
    const Ref packed = std::move(packed_), unpack = std::move(unpack_);
  }

 private:
  void check(const Tensor& given) const {
    const auto said = [&](const auto& what) {
      return text("unpack: it returned ", what, " for a tensor that ", op_, " kept, of ");
    };
    if (given.sizes() != sizes_)
      throw ShapeError(
          text(said(text("sizes ", given.sizes())), "sizes ", sizes_, "; they must be equal"));
    if (given.dtype() != dtype_)
      throw DTypeError(text(said(text("dtype ", name_of(given.dtype()))), "dtype ", name_of(dtype_),
                            "; they must be equal"));
    if (given.device() != device_)
      throw DeviceError(text(said(text("one on ", given.device())), "device ", device_,
                             "; bring it back with to()"));
  }

  const char* op_;
  DType dtype_;
  Device device_;
  Dims sizes_;
  bool is_contiguous_;
  Ref packed_, unpack_;
};

Counted<PackedTensor> pack(const char* op, const Tensor& kept) {
  const BirthStamp stamp;
  const GradModeGuard no_grad(false);
  const GradModeOfOp mode;
  const Ref hooks(checked(PyObject_CallNoArgs(innermost_hooks)));
  const Ref pack = Ref::borrow(PyTuple_GetItem(hooks.get(), 0));
  Ref unpack = Ref::borrow(PyTuple_GetItem(hooks.get(), 1));
  if (!pack || !unpack) throw PythonErrorSet();
  const std::uint32_t version = kept.storage()->writes();
  // What packs it decides how long it and its copies live.
  const OutsideScopes outside;
  const Ref argument(checked(wrap_outside_scopes(kept, OwnerKind::graph)));
  Ref packed(checked(PyObject_CallOneArg(pack.get(), argument.get())));
  if (kept.storage()->writes() != version)
    throw GradientError(text("pack: it wrote into a tensor that ", op,
                             " keeps for backward; write into a clone()"));
  return Counted<PackedTensor>(new PackedByPython(op, kept, std::move(packed), std::move(unpack)));
}

}  // namespace

void set_packing_hooks(PyObject* innermost) {
  const Ref before(std::exchange(innermost_hooks, Py_NewRef(innermost)));
  set_packer(&pack);
}

}  // namespace garboard::python
