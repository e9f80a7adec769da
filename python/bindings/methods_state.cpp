// What a tensor is and says of itself; its life, its gradient, its data.
#include "csrc/autograd/engine.h"
#include "csrc/core/error.h"
#include "csrc/ops/record.h"
#include "csrc/ops/views.h"
#include "python/bindings/anchors.h"
#include "python/bindings/dims_tuple.h"
#include "python/bindings/docs/state.h"
#include "python/bindings/dtype_object.h"
#include "python/bindings/exchange.h"
#include "python/bindings/graph_mirror.h"
#include "python/bindings/methods.h"
#include "python/bindings/numbers.h"
#include "python/bindings/ref.h"
#include "python/bindings/tensor_type.h"

namespace garboard::python {
namespace {

PyObject* nothing() { return Py_NewRef(Py_None); }

/// `x.size()` and `x.size(dim)`, likewise for strides.
PyObject* all_or_one(const Arguments& given, const Dims& dims) {
  if (!given.has(1)) return tuple_of(dims);
  return PyLong_FromLongLong(dims[checked_dim(given.op(), given.integer(1), dims.size())]);
}

PyObject* call_backward(const Arguments& given) {
  const Tensor output = given.tensor(0), gradient = given.optional_tensor(1);
  const bool create_graph = given.boolean_or(3, false);
  const bool retain_graph = given.boolean_or(2, create_graph);
  const Borrowing::Pause pause;  // those are shares, and hooks may open scopes of their own
  if (create_graph) watch_graphs();
  backward({output}, {gradient}, {.retain_graph = retain_graph, .create_graph = create_graph});
  return nothing();
}

// A disposed tensor can still be asked whether it is, and ended again.
PyObject* dispose(PyObject* self, PyObject*) noexcept {
  alias_of(self).dispose();
  Py_RETURN_NONE;
}
PyObject* enter(PyObject* self, PyObject*) noexcept {
  try {
    tensor_of(self, "with");
    return Py_NewRef(self);
  } catch (...) {
    return raise_current();
  }
}
PyObject* leave(PyObject* self, PyObject* const*, Py_ssize_t) noexcept {
  return dispose(self, nullptr);
}

constexpr std::array table{
    Method{"size", "input: Tensor, dim: int | None = None", "Any", &docs::size, Place::method,
           [](const Arguments& given) { return all_or_one(given, given.tensor(0).sizes()); }},
    Method{"stride", "input: Tensor, dim: int | None = None", "Any", &docs::stride, Place::method,
           [](const Arguments& given) { return all_or_one(given, given.tensor(0).strides()); }},
    Method{"dim", "input: Tensor", "int", &docs::dim, Place::method,
           [](const Arguments& given) { return PyLong_FromLong(given.tensor(0).ndim()); },
           Births::none},
    Method{"numel", "input: Tensor", "int", &docs::numel, Place::everywhere,
           [](const Arguments& given) { return PyLong_FromLongLong(given.tensor(0).count()); },
           Births::none},
    Method{"element_size", "input: Tensor", "int", &docs::element_size, Place::method,
           [](const Arguments& given) {
             return PyLong_FromSize_t(item_size(given.tensor(0).dtype()));
           },
           Births::none},
    Method{"storage_offset", "input: Tensor", "int", &docs::storage_offset, Place::method,
           [](const Arguments& given) { return PyLong_FromLongLong(given.tensor(0).offset()); },
           Births::none},
    Method{"data_ptr", "input: Tensor", "int", &docs::data_ptr, Place::method,
           [](const Arguments& given) { return PyLong_FromVoidPtr(given.tensor(0).data()); },
           Births::none},
    Method{"is_contiguous", "input: Tensor", "bool", &docs::is_contiguous, Place::method,
           [](const Arguments& given) { return PyBool_FromLong(given.tensor(0).is_contiguous()); },
           Births::none},
    Method{"is_floating_point", "input: Tensor", "bool", &docs::is_floating_point,
           Place::everywhere,
           [](const Arguments& given) {
             return PyBool_FromLong(is_floating(given.tensor(0).dtype()));
           },
           Births::none},
    Method{"item", "input: Tensor", "Number", &docs::item, Place::method,
           [](const Arguments& given) { return number_of(item_of(given.tensor(0), "item")); },
           Births::none},
    Method{"tolist", "input: Tensor", "Any", &docs::tolist, Place::method,
           [](const Arguments& given) { return list_of(given.tensor(0)); }},
    Method{"numpy", "input: Tensor", "Any", &docs::numpy, Place::method,
           [](const Arguments& given) {
             given.tensor(0);
             return numpy_of(given.object(0));
           }},
    Method{"requires_grad_", "input: Tensor, requires_grad: bool = True", "Tensor",
           &docs::requires_grad_, Place::method,
           [](const Arguments& given) {
             given.tensor(0).set_requires_grad(given.boolean_or(1, true));
             return same(given);
           }},
    Method{"backward",
           "input: Tensor, gradient: Tensor | None = None, retain_graph: bool | None = None, "
           "create_graph: bool = False",
           "None", &docs::backward, Place::method, call_backward},
    Method{"register_hook", "input: Tensor, hook: Callable[[Tensor], Tensor | None]",
           "RemovableHandle", &docs::register_hook, Place::method,
           [](const Arguments& given) {
             given.tensor(0);
             const AddedHook hook = add_hook(given.object(0), given.object(1));
             const Ref module(checked(PyImport_ImportModule("garboard._hooks")));
             return checked(PyObject_CallMethod(module.get(), "RemovableHandle", "OK", hook.anchor,
                                                static_cast<unsigned long long>(hook.number)));
           }},
    Method{"_mark_optimizer_owned", "input: Tensor", "None", &docs::mark_optimizer_owned,
           Place::method,
           [](const Arguments& given) {
             given.tensor(0);
             Alias& alias = alias_of(given.object(0));
             if (DisposeScope* const scope = alias.scope()) scope->detach(alias);
             alias.owner = OwnerKind::optimizer;
             return nothing();
           }},
};

template <class Read>
PyObject* read(PyObject* self, const char* name, Read&& of) noexcept try {
  return of(tensor_of(self, name));
} catch (...) {
  return raise_current();
}
/// The same of what makes another tensor.
template <class View>
PyObject* view(PyObject* self, const char* name, View&& of) noexcept try {
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
  // Detached: a gradient that is assigned brings no history, and no alias of the user's with it.
  tensor.set_grad(detach(tensor_of(value, "grad", "value")));
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
       return read(self, "shape", [](const Tensor& it) { return tuple_of(it.sizes()); });
     },
     nullptr, "The sizes, a tuple of integers.", nullptr},
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
       return read(self, "is_cuda", [](const Tensor& it) {
         return PyBool_FromLong(it.device().kind == DeviceKind::cuda);
       });
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

It can be set on a leaf. GradientError: the dtype is no floating one, or it is cleared on what
recorded ops computed.)",
     nullptr},
    {"is_leaf",
     [](PyObject* self, void*) {
       return read(self, "is_leaf", [](const Tensor& it) { return PyBool_FromLong(it.is_leaf()); });
     },
     nullptr, "True where no recorded op computed the tensor.", nullptr},
    {"grad", get_grad, set_grad,
     R"(The accumulated gradient of a leaf, or None.

The same alias at each read, in no scope and not counted; it lives as long as its leaf, until None
is assigned. What is assigned is detached; ShapeError, DTypeError or DeviceError says that it does
not fit the leaf.

>>> x = gb.ones(2, requires_grad=True)
>>> (x * 3).sum().backward()
>>> x.grad
tensor([3., 3.]))",
     nullptr},
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
       return view(self, "data", [](const Tensor& it) { return detach(it); });
     },
     nullptr, "The same storage without history, as `detach()` gives it.", nullptr},
    {"is_disposed",
     [](PyObject* self, void*) { return PyBool_FromLong(alias_of(self).is_disposed()); }, nullptr,
     "True once this handle has ended; the only question that one may still ask.", nullptr},
    {}};

}  // namespace

PyGetSetDef* tensor_properties() { return properties; }

void add_state_methods() {
  add_table<table>();
  auto& methods = method_table().methods;
  methods.push_back({"dispose", dispose, METH_NOARGS,
                     R"(dispose($self)
--

End this handle now. Idempotent.

The storage goes with its last share: views, graphs and exports keep it. Afterwards every use raises
DisposedError, which names where the tensor was born.

>>> x = gb.zeros(2)
>>> x.dispose()
>>> x.is_disposed
True)"});
  methods.push_back({"__enter__", enter, METH_NOARGS, nullptr});
  methods.push_back({"__exit__", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(leave)),
                     METH_FASTCALL, nullptr});
}

}  // namespace garboard::python
