// What a tensor says of itself by attributes, and what can be assigned to them.
#include "csrc/core/error.h"
#include "csrc/device/cuda_library.h"
#include "csrc/lifetime/borrowing.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/shape/views.h"
#include "csrc/tensor/set_data.h"
#include "python/bindings/context/scope_stack.h"
#include "python/bindings/detours/detours.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/ref.h"
#include "python/bindings/tensor/anchors.h"
#include "python/bindings/tensor/deferred.h"
#include "python/bindings/types/tensor_type.h"
#include "python/bindings/values/dtype_object.h"
#include "python/bindings/values/size_object.h"

namespace garboard::python {
namespace {

template <class Read>
PyObject* read(PyObject* self, const char* name, Read&& of) noexcept try {
  return of(tensor_of(self, name));
} catch (...) {
  return raise_current();
}
/// The same of what makes another tensor.
template <class View>
PyObject* view(PyObject* self, const char* name, View&& of) noexcept try {
  if (PyObject* const made = overridden_by_class(name, {self, nullptr, 0})) return made;
  const BirthStamp stamp;
  return wrap(of(tensor_of(self, name)));
} catch (...) {
  return raise_current();
}

PyObject* get_grad(PyObject* self, void*) noexcept try {
  const Tensor grad = tensor_of(self, "grad").grad();
  if (!grad) Py_RETURN_NONE;
  GradState& state = grad_state_of(grad);
  if (state.grad_alias) return Py_NewRef(static_cast<PyObject*>(state.grad_alias));
  const BirthStamp stamp;
  Ref object(checked(wrap_outside_scopes(grad, OwnerKind::grad)));
  // Garbage that was collected meanwhile may have read it too.
  if (state.grad_alias) return Py_NewRef(static_cast<PyObject*>(state.grad_alias));
  alias_of(object.get()).is_grad_alias = true;
  state.grad_alias = object.get();
  return object.release();
} catch (...) {
  return raise_current();
}

int assign_data(PyObject* self, PyObject* value, void*) noexcept try {
  const Borrowing borrowing;
  const BirthStamp stamp;  // in inference mode elements may be of inference mode
  const Tensor& tensor = tensor_of(self, "data");
  if (!value) throw_type_error("data: deleted; only a Tensor can be assigned");
  if (!is_tensor(value))
    throw_type_error("data: a value of type %s; a Tensor is needed", Py_TYPE(value)->tp_name);
  const Tensor& given = tensor_of(value, "data", "value");
  settle_readers(*tensor.storage());
  edge_of(tensor);  // brings a view's history up to date
  set_data(tensor, given);
  return 0;
} catch (...) {
  raise_current();
  return -1;
}

int set_grad(PyObject* self, PyObject* value, void*) noexcept try {
  const Borrowing borrowing;  // what ends with the gradient before may run anything
  const Tensor& tensor = tensor_of(self, "grad");
  if (!value || value == Py_None) {
    tensor.set_grad({});
    return 0;
  }
  if (!is_tensor(value))
    throw_type_error("grad: a value of type %s; a Tensor or None is needed",
                     Py_TYPE(value)->tp_name);
  // What is assigned brings its history, but no alias of the user's, and is no view of it.
  const Tensor& given = tensor_of(value, "grad", "value");
  const Tensor grad = detach(given);
  const GradModeGuard records(true);
  record("grad", grad, {given}, Keep::nothing, [](const Backward& at) -> Grads { return at.grad; });
  tensor.set_grad(grad);
  return 0;
} catch (...) {
  raise_current();
  return -1;
}

int set_requires_grad(PyObject* self, PyObject* value, void*) noexcept try {
  const int truth = value ? PyObject_IsTrue(value) : 0;
  if (truth < 0) return -1;
  tensor_of(self, "requires_grad").set_requires_grad(truth);
  return 0;
} catch (...) {
  raise_current();
  return -1;
}

PyGetSetDef properties[] = {
    {"shape",
     [](PyObject* self, void*) {
       return read(self, "shape", [](const Tensor& it) { return size_object(it.sizes()); });
     },
     nullptr, "The sizes: a `Size`, a tuple of ints.", nullptr},
    {"dtype",
     [](PyObject* self, void*) {
       return read(self, "dtype",
                   [](const Tensor& it) { return Py_NewRef(dtype_object(it.dtype())); });
     },
     nullptr, "The dtype of the elements.", nullptr},
    {"device",
     [](PyObject* self, void*) {
       return read(self, "device", [](const Tensor& it) { return device_object(it.device()); });
     },
     nullptr, "The device on which the storage lies.", nullptr},
    {"is_cuda",
     [](PyObject* self, void*) {
       return read(self, "is_cuda",
                   [](const Tensor& it) { return PyBool_FromLong(it.device().kind == cuda_kind); });
     },
     nullptr, "True on a CUDA device.", nullptr},
    {"ndim",
     [](PyObject* self, void*) {
       return read(self, "ndim", [](const Tensor& it) { return PyLong_FromLong(it.ndim()); });
     },
     nullptr, "The number of dims, 0 to 8.", nullptr},
    {"nbytes",
     [](PyObject* self, void*) {
       return read(self, "nbytes",
                   [](const Tensor& it) { return PyLong_FromLongLong(it.nbytes()); });
     },
     nullptr, "The bytes of the elements; the storage of a view may hold more.", nullptr},
    {"itemsize",
     [](PyObject* self, void*) {
       return read(self, "itemsize",
                   [](const Tensor& it) { return PyLong_FromSize_t(item_size(it.dtype())); });
     },
     nullptr, "The bytes that an element takes.", nullptr},
    {"requires_grad",
     [](PyObject* self, void*) {
       return read(self, "requires_grad",
                   [](const Tensor& it) { return PyBool_FromLong(it.requires_grad()); });
     },
     set_requires_grad,
     R"(True where a gradient is asked for.

It can be set on a leaf. GradientError: no floating dtype, or cleared on what is no leaf.)",
     nullptr},
    {"is_leaf",
     [](PyObject* self, void*) {
       return read(self, "is_leaf", [](const Tensor& it) { return PyBool_FromLong(it.is_leaf()); });
     },
     nullptr, "True where no recorded op computed the tensor.", nullptr},
    {"retains_grad",
     [](PyObject* self, void*) {
       return read(self, "retains_grad",
                   [](const Tensor& it) { return PyBool_FromLong(retains_grad(it)); });
     },
     nullptr, "True after `retain_grad()` of what is no leaf.", nullptr},
    {"grad", get_grad, set_grad,
     R"(The accumulated gradient of a leaf, or None.

The same alias at each read, in no scope and not counted; it lives as long as its leaf, until None
is assigned. A tensor that is assigned keeps its history; ShapeError, DTypeError or DeviceError
says that it does not fit.

>>> x = gb.ones(2, requires_grad=True)
>>> (x * 3).sum().backward()
>>> x.grad
tensor([3., 3.]))",
     nullptr},
    {"_grad", get_grad, set_grad, "`grad`, as optimizers of some libraries call it.", nullptr},
    {"T",
     [](PyObject* self, void*) {
       return view(self, "T", [](const Tensor& it) { return reversed(it); });
     },
     nullptr, R"(The dims in reverse order, as a view.

>>> gb.zeros(2, 3).T.shape
(3, 2))",
     nullptr},
    {"mT",
     [](PyObject* self, void*) {
       return view(self, "mT", [](const Tensor& it) { return transpose(it, -2, -1); });
     },
     nullptr, R"(The last two dims swapped, as a view.

>>> gb.zeros(5, 2, 3).mT.shape
(5, 3, 2))",
     nullptr},
    {"data",
     [](PyObject* self, void*) {
       return view(self, "data", [](const Tensor& it) {
         Tensor apart = detach(it);
         apart.body()->is_unwatched = true;
         return apart;
       });
     },
     assign_data,
     R"(The same storage without history, as `detach()` gives it.

What is written into it does not count for graphs that keep the tensor: that their gradients are
still right is the program's affair.

A tensor that is assigned gives a leaf its storage, sizes and dtype; what was computed takes one of
its own sizes, dtype and device. Gradient and history stay, a view looks into its base no more, and
what `data` gave before keeps the old elements. GradientError, ShapeError, DTypeError or DeviceError
says why a tensor cannot be assigned, VersionError that a backward pass still needs the old
elements.

>>> x = gb.zeros(2, requires_grad=True)
>>> x.data = gb.ones(2)
>>> x
tensor([1., 1.], requires_grad=True))",
     nullptr},
    {"_cdata",
     [](PyObject* self, void*) {
       return read(self, "_cdata", [](const Tensor& it) { return PyLong_FromVoidPtr(it.body()); });
     },
     nullptr, "A number that all handles on a tensor share, and no other living tensor has.",
     nullptr},
    {"_base",
     [](PyObject* self, void*) {
       return read(self, "_base", [](const Tensor& it) {
         const Counted<TensorBody>& base = it.body()->base;
         return base ? wrap(Tensor(base)) : Py_NewRef(Py_None);
       });
     },
     nullptr, "Another handle on the tensor that a view looks into; None of what is no view.",
     nullptr},
    {"is_disposed",
     [](PyObject* self, void*) { return PyBool_FromLong(alias_of(self).is_disposed()); }, nullptr,
     "True once this handle has ended; the only question that one may still ask.", nullptr},
    {}};

}  // namespace

PyGetSetDef* tensor_properties() { return properties; }

}  // namespace garboard::python
