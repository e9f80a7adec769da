#include "python/bindings/types/tensor_type.h"

#include <structmember.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "csrc/core/default_dtype.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "python/bindings/call/methods.h"
#include "python/bindings/detours/overriding.h"
#include "python/bindings/exchange/exchange.h"
#include "python/bindings/interpreter/fast_function.h"
#include "python/bindings/interpreter/ref.h"
#include "python/bindings/tensor/anchors.h"
#include "python/bindings/tensor/attributes.h"
#include "python/bindings/tensor/tensor_object.h"
#include "python/bindings/values/size_object.h"

namespace garboard::python {

PyTypeObject* storage_type = nullptr;
namespace {

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(attributes_of(*reinterpret_cast<TensorObject*>(self)));
  return traverse_anchor(*reinterpret_cast<TensorObject*>(self), visit, arg);
}

int clear(PyObject* self) {
  // Emptied and not taken away: by its attributes a handle is known as one that is tracked, which
  // must not be kept for the next tensor as it is.
  const Ref attributes = Ref::borrow(attributes_of(*reinterpret_cast<TensorObject*>(self)));
  if (attributes) PyDict_Clear(attributes.get());
  clear_anchor(*reinterpret_cast<TensorObject*>(self));
  return 0;
}

/// A tensor's elements under another handle, without history; converted where that is asked for.
Tensor rewrapped(const Tensor& tensor, std::optional<DType> dtype, Device device) {
  const GradModeGuard no_grad(false);
  const Tensor shared = tensor.alias_of_storage(tensor.sizes(), tensor.strides(), tensor.offset());
  return to(to(shared, dtype.value_or(tensor.dtype())), device);
}

/// Whether the numbers that `Tensor` is called with are sizes, as PyTorch's are; a Size is.
bool are_sizes(PyObject* arguments) noexcept {
  const Py_ssize_t count = PyTuple_GET_SIZE(arguments);
  if (count == 1 && is_size_object(PyTuple_GET_ITEM(arguments, 0))) return true;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* const given = PyTuple_GET_ITEM(arguments, i);
    if (!PyLong_Check(given) || PyBool_Check(given)) return false;
  }
  return count > 0;
}

PyObject* born_as(PyTypeObject* type, Tensor tensor) noexcept {
  if (type != tensor_type) note_subclass(type);
  return wrap_as(type, std::move(tensor));
}

Tensor made_from(PyTypeObject* type, PyObject* data, const Options& options) {
  std::optional<DType> dtype = options.dtype;
  const std::optional<Device> device = options.device;
  Tensor made;
  Ref over;
  if (Py_TYPE(data) == storage_type) {
    PyObject* const as = dtype_object(dtype.value_or(default_floating()));
    over = Ref(checked(PyObject_CallMethod(data, "_elements", "O", as)));
    data = over.get();
  }
  if (is_tensor(data)) {
    const Tensor& tensor = tensor_of(data, type->tp_name, "data");
    made = rewrapped(tensor, dtype, device.value_or(tensor.device()));
  } else {
    // Only `tensor(data)` asks the data for a dtype; a subclass that takes what it likes asks, too.
    if (!dtype && type->tp_init == tensor_type->tp_init) dtype = default_floating();
    made = tensor_from(data, "Tensor", dtype, device.value_or(Device{}));
  }
  if (options.requires_grad) made.set_requires_grad(true);
  return made;
}

/// `Tensor(data)`, as `tensor(data)` in the default dtype, and `Tensor(2, 3)`, or of a Size, as
/// `empty(2, 3)`; a Tensor gives a new alias of the same storage, without history, which is how
/// `Parameter` wraps what it is given. What follows the data is for the
/// `__init__` of a subclass, where it has one.
PyObject* tensor_new(PyTypeObject* type, PyObject* arguments, PyObject* named) noexcept try {
  static constexpr std::string_view parameters = "data: Any = (), *, @options";
  static constexpr std::string_view sized_parameters = "*size: int, @options";
  static const Signature& signature = *new Signature(parameters);
  static const Signature& sized = *new Signature(sized_parameters);
  const Py_ssize_t count = PyTuple_GET_SIZE(arguments);
  const bool has_own_init = type->tp_init != tensor_type->tp_init;
  const bool has_sizes = !has_own_init && are_sizes(arguments);
  if (count > 1 && !has_own_init && !has_sizes)
    throw_type_error("Tensor: %zd arguments; one, the data, is needed, or sizes", count);
  std::vector<PyObject*> given;
  for (Py_ssize_t i = 0; i < (has_sizes ? count : std::min<Py_ssize_t>(count, 1)); ++i)
    given.push_back(PyTuple_GET_ITEM(arguments, i));
  const auto positional = static_cast<Py_ssize_t>(given.size());
  Ref names, values;
  if (named && !has_own_init) {  // in tuples of ours: the dict may be anybody's
    names = Ref(checked(PySequence_Tuple(Ref(checked(PyDict_Keys(named))).get())));
    values = Ref(checked(PySequence_Tuple(Ref(checked(PyDict_Values(named))).get())));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(values.get()); ++i)
      given.push_back(PyTuple_GET_ITEM(values.get(), i));
  }
  const Borrowing borrowing;  // first: a number in a list may dispose a tensor beside it
  PyObject* matched[parameter_count(parameters)] = {};
  static_assert(parameter_count(sized_parameters) == std::size(matched));
  const Arguments read("Tensor", has_sizes ? sized : signature, matched,
                       {nullptr, given.data(), positional, names.get()});
  const BirthStamp stamp;
  if (has_sizes) {
    const auto sized_empty = [type](const Dims& sizes, const Options& options) {
      Tensor made = empty(sizes, options.dtype.value_or(default_floating()),
                          options.device.value_or(Device{}));
      if (options.requires_grad) made.set_requires_grad(true);
      return born_as(type, std::move(made));
    };
    return call_bound(sized_empty, read);
  }
  const auto made = [type](PyObject* data, const Options& options) {
    return born_as(type, made_from(type, data, options));
  };
  return call_bound(made, read);
} catch (...) {
  return raise_current();
}

PyObject* as_subclass(PyObject* self, PyObject* cls) noexcept try {
  auto* const type = reinterpret_cast<PyTypeObject*>(cls);
  if (!PyType_Check(cls) || !PyType_IsSubtype(type, tensor_type))
    throw_type_error("as_subclass: cls is of type %s; Tensor, or a class made of it, is needed",
                     Py_TYPE(cls)->tp_name);
  const BirthStamp stamp;
  return born_as(type, tensor_of(self, "as_subclass"));
} catch (...) {
  return raise_current();
}

PyObject* is_view(PyObject* self, PyObject*) noexcept try {
  return PyBool_FromLong(static_cast<bool>(tensor_of(self, "_is_view").body()->base));
} catch (...) {
  return raise_current();
}

PyObject* tensor_repr(PyObject* self) {
  // The text is made in Python, where elements are formatted; imported on first use.
  static PyObject* format = nullptr;
  if (!format) {
    const Ref module(PyImport_ImportModule("garboard._printing"));
    PyObject* const found = module ? PyObject_GetAttrString(module.get(), "tensor_text") : nullptr;
    if (!found) return nullptr;
    const Ref before(std::exchange(format, found));  // another thread may have been here meanwhile
  }
  return PyObject_CallOneArg(format, self);
}

constexpr const char* tensor_doc =
    R"(Tensor(data=(), *size, dtype=None, device=None, requires_grad=False)
--

A handle on a tensor: dtype, sizes and strides over a storage.

It ends when its last reference goes, when its scope closes, or when it is disposed; the storage
ends with its last share. `with x:` disposes it at the end of the block. The operators, and slicing
as NumPy has it, are the functions of their names.

Args:
    data: What `gb.tensor` takes, in the default dtype if no other is given; a Tensor gives another
        handle on its storage, without history; a storage gives one on all its elements. Nothing
        gives a tensor without elements.
        Integers are sizes, of elements that may be anything: `gb.empty` says it better.
    size: Further sizes.
    dtype: The dtype, if another is wanted.
    device: Where it lies; the CPU, or where the tensor given is.
    requires_grad: True asks for a gradient: makes it a leaf.
    given, named: What the constructor of a subclass takes besides.

Raises:
    ShapeError: Lists of one depth differ in length.
    DTypeError: A number does not fit into the integer dtype, or no dtype is the array's.
    TypeError: An element is no number, or there is an argument too many.
    DeviceError: The device cannot be used.
    GradientError: A gradient is asked for, and the dtype is no floating one.
    DisposedError: The tensor given is disposed.

>>> with gb.Tensor([1.0, 2.0]) as x:
...     print(x[1:] * 10)
tensor([20.])
>>> x.is_disposed
True
)";

constexpr const char* as_subclass_doc = R"(as_subclass($self, cls, /)
--

Give another handle on the same tensor, with its history, as an object of `cls`.

Its `__init__` is not called. What is computed from it is of the class, too, unless its
`__torch_function__` says otherwise.

Args:
    cls: Tensor, or a class made of it.

Returns:
    A new handle, in the open scope.

Raises:
    TypeError: `cls` is something else.
    DisposedError: The tensor is disposed.

>>> class Image(gb.Tensor):
...     pass
>>> type(gb.zeros(2, 2).as_subclass(Image)).__name__
'Image'
)";

constexpr const char* torch_function_doc =
    R"(__torch_function__(func, types, args=(), kwargs=None)
--

Call a function, and give the tensors that it returns the class that this is called on.

It is called for each op that is given an object of a class made of Tensor, before the op. A class
that says what is to happen then has its own, as a class method, and calls this with `super()`.

Args:
    func: The function or method, as programs name it.
    types: The classes of the arguments that take calls over.
    args: What it was called with, a method with its object first.
    kwargs: The same of what was named.

Returns:
    What the function returns, of the class; NotImplemented where `types` has a class that this one
    is not made of.

>>> class Image(gb.Tensor):
...     pass
>>> type(Image([1.0]) + gb.ones(1)).__name__
'Image'
)";

}  // namespace

bool add_tensor_type(PyObject* module) {
  add_elementwise_methods();
  add_shape_methods();
  add_convert_methods();
  add_pinned_methods();
  add_reduce_methods();
  add_index_methods();
  add_order_methods();
  add_statistics_methods();
  add_product_methods();
  add_vector_methods();
  add_linear_algebra_functions();
  add_spectral_functions();
  add_nn_methods();
  add_convolution_methods();
  add_spatial_methods();
  add_sequence_methods();
  add_create_functions();
  add_random_functions();
  add_distributions();
  add_state_methods();
  add_gradient_methods();
  add_complex_functions();
  add_composite_methods();
  add_formulas();
  add_activation_methods();
  add_new_functions();
  add_other_names();
  MethodTable& table = method_table();
  table.methods.push_back({"as_subclass", as_subclass, METH_O, as_subclass_doc});
  table.methods.push_back({"_is_view", is_view, METH_NOARGS, nullptr});
  table.methods.push_back(
      {"__torch_function__",
       reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&call_for_class)),
       METH_CLASS | METH_VARARGS | METH_KEYWORDS, torch_function_doc});
  table.functions.push_back({"_set_attributes", set_attributes, METH_O, nullptr});
  table.functions.push_back({"_is_set_name", is_set_name, METH_O, nullptr});
  table.methods.push_back({});
  table.functions.push_back({});
  // The layout is C's in all but name: a head, a pointer, and objects that Python never looks into.
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
  static PyMemberDef members[] = {{"__weaklistoffset__", T_PYSSIZET,
                                   offsetof(TensorObject, weak_references), READONLY, nullptr},
                                  {}};
  std::vector<PyType_Slot> slots{
      {Py_tp_dealloc, slot(dealloc_tensor)},
      {Py_tp_traverse, slot(traverse)},
      {Py_tp_clear, slot(clear)},
      {Py_tp_new, slot(tensor_new)},
      {Py_tp_setattro, slot(set_attribute)},
      {Py_tp_repr, slot(tensor_repr)},
      {Py_tp_hash, slot(PyBaseObject_Type.tp_hash)},
      {Py_tp_members, members},
      {Py_tp_methods, table.methods.data()},
      {Py_tp_getset, tensor_properties()},
      {Py_tp_doc, const_cast<char*>(tensor_doc)},
  };
  add_number_slots(slots);
  add_index_slots(slots);
  add_buffer_slots(slots);
  slots.push_back({0, nullptr});
  PyType_Spec spec = {"garboard.Tensor", sizeof(TensorObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots.data()};
  tensor_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!tensor_type) return false;
  return add_values_and_indices_type(module) &&
         PyModule_AddObjectRef(module, "Tensor", reinterpret_cast<PyObject*>(tensor_type)) == 0 &&
         PyModule_AddFunctions(module, table.functions.data()) == 0;
}

}  // namespace garboard::python
