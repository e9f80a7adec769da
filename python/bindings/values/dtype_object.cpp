#include "python/bindings/values/dtype_object.h"

#include <string>
#include <string_view>

#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "csrc/ops/devices/devices.h"
#include "python/bindings/context/default_device.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/fast_function.h"
#include "python/bindings/interpreter/ref.h"
#include "python/bindings/interpreter/unicode.h"

namespace garboard::python {
namespace {

constexpr const char* dtype_doc = R"(The type of an element.

There are `gb.bool`, `gb.uint8`, `gb.int8`, `gb.int16`, `gb.int32`, `gb.int64`, `gb.float16`,
`gb.bfloat16`, `gb.float32` and `gb.float64`. Where one is asked for, Python's `bool`, `int` and
`float` stand for `bool`, `int64` and `float64`. Arithmetic on the half types, float16 and bfloat16,
is done in float32, and rounded once.

>>> gb.float32.itemsize, gb.float32.is_floating_point
(4, True)
)";

constexpr const char* device_doc = R"(device(type, index=None)
--

A device: where storages lie. Where one is asked for, its name is taken too, and the number of a
CUDA device. `with gb.device("meta"):` makes tensors there that no `device=` is given for, in this
thread or asyncio task, as `gb.set_default_device` does for good.

Tensors on "meta" have sizes, a dtype and no elements: ops on them find the sizes of results, and
`gb.memory` tells what they would take elsewhere.

Args:
    type: "cpu", "cuda" for the first, "cuda:1", "meta", "simulated:0", a number, or a device.
    index: The number, where `type` is a name without one.

Raises:
    DeviceError: There is no device of that name. Whether one can be used is asked where it is used.
    TypeError: Something else than a name, a number or a device.

>>> gb.device("cuda:1").type, gb.device("cuda", 1).index
('cuda', 1)
)";

constexpr const char* to_complex_doc =
    R"(Return the complex dtype whose numbers have as many digits, or more.

Returns:
    complex64; complex128 for float64 and itself.

>>> gb.float64.to_complex()
garboard.complex128
)";
constexpr const char* to_real_doc = R"(Return the dtype of the parts of complex numbers.

Returns:
    float32 or float64; of what is not complex the dtype itself.

>>> gb.complex64.to_real()
garboard.float32
)";

struct DTypeObject {
  PyObject_HEAD DType value;
};
struct DeviceObject {
  PyObject_HEAD Device value;
};

PyTypeObject* dtype_type = nullptr;
PyTypeObject* device_type = nullptr;
PyObject* dtypes[dtype_count] = {};

DType dtype_value(PyObject* self) { return reinterpret_cast<DTypeObject*>(self)->value; }
Device device_value(PyObject* self) { return reinterpret_cast<DeviceObject*>(self)->value; }

PyObject* unicode(std::string_view text) {
  return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
}

void dealloc(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* dtype_repr(PyObject* self) {
  return unicode("garboard." + std::string(name_of(dtype_value(self))));
}
PyObject* dtype_reduce(PyObject* self, PyObject*) {
  // A global name: pickle looks it up in the package.
  return unicode(name_of(dtype_value(self)));
}
PyObject* dtype_itemsize(PyObject* self, void*) {
  return PyLong_FromSize_t(item_size(dtype_value(self)));
}
PyObject* dtype_is_floating(PyObject* self, void*) {
  return PyBool_FromLong(is_floating(dtype_value(self)));
}

PyObject* dtype_is_complex(PyObject* self, void*) {
  return PyBool_FromLong(is_complex(dtype_value(self)));
}
PyObject* dtype_to_complex(PyObject* self, PyObject*) {
  return Py_NewRef(dtype_object(complex_of(dtype_value(self))));
}
PyObject* dtype_to_real(PyObject* self, PyObject*) {
  return Py_NewRef(dtype_object(component_of(dtype_value(self))));
}
PyObject* dtype_is_signed(PyObject* self, void*) {
  return PyBool_FromLong(is_signed(dtype_value(self)));
}

PyObject* device_repr(PyObject* self) {
  const Device device = device_value(self);
  const std::string type = text("device(type='", name_of(device.kind), "'");
  return unicode(device.is_numbered() ? text(type, ", index=", int{device.number}, ")")
                                      : type + ")");
}
PyObject* device_str(PyObject* self) { return unicode(text(device_value(self))); }
PyObject* device_kind(PyObject* self, void*) { return unicode(name_of(device_value(self).kind)); }
PyObject* device_index(PyObject* self, void*) {
  if (!device_value(self).is_numbered()) Py_RETURN_NONE;
  return PyLong_FromLong(device_value(self).number);
}
Py_hash_t device_hash(PyObject* self) { return device_value(self).slot() + 1; }
PyObject* device_compare(PyObject* self, PyObject* other, int op) {
  if (!is_device(other) || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((device_value(self) == device_value(other)) == (op == Py_EQ));
}
/// The device called `name`, in the name of `op`. Raises DeviceError.
Device device_of_name(std::string_view name, const char* op) {
  if (const auto device = device_named(name)) return *device;
  throw DeviceError(text(op, ": device \"", name, "\"; one of ", device_names(), " is needed"));
}
/// The device of a kind, as "cuda", with a Python int for its number.
Device device_of_number(std::string_view kind, PyObject* number, const char* op) {
  int overflow = 0;
  const long value = PyLong_AsLongAndOverflow(number, &overflow);
  if (overflow)
    throw DeviceError(
        text(op, ": a device's number beyond 64 bits; one of ", device_names(), " is needed"));
  return device_of_name(text(kind, ":", value), op);
}
/// The device of a name and of a number that is given beside it.
Device numbered(PyObject* type, PyObject* index) {
  if (!PyUnicode_Check(type))
    throw_type_error("device: type is of type %s; a string is needed beside an index",
                     Py_TYPE(type)->tp_name);
  if (!PyLong_Check(index))
    throw_type_error("device: index is of type %s; an int is needed", Py_TYPE(index)->tp_name);
  return device_of_number(to_text(type, "device", "type"), index, "device");
}
PyObject* device_enter(PyObject* self, PyObject*) try {
  require_device("device", device_value(self));
  enter_device(device_value(self));
  return Py_NewRef(self);
} catch (...) {
  return raise_current();
}
PyObject* device_exit(PyObject* self, PyObject*) try {
  leave_device(device_value(self));
  Py_RETURN_NONE;
} catch (...) {
  return raise_current();
}
PyObject* call_default_device(PyObject*, PyObject*) noexcept {
  return device_object(default_device());
}
PyObject* call_set_default_device(PyObject*, PyObject* given) noexcept try {
  const Device device = given == Py_None ? Device{} : to_device(given, "set_default_device");
  require_device("set_default_device", device);
  set_default_device(device);
  Py_RETURN_NONE;
} catch (...) {
  return raise_current();
}
PyObject* device_new(PyTypeObject* type, PyObject* arguments, PyObject* names) try {
  static const char* keywords[] = {"type", "index", nullptr};
  PyObject* given = nullptr;
  PyObject* index = Py_None;
  if (!PyArg_ParseTupleAndKeywords(arguments, names, "O|O:device", const_cast<char**>(keywords),
                                   &given, &index))
    return nullptr;
  const Device value = index == Py_None ? to_device(given, "device") : numbered(given, index);
  PyObject* const object = type->tp_alloc(type, 0);
  if (object) reinterpret_cast<DeviceObject*>(object)->value = value;
  return object;
} catch (...) {
  return raise_current();
}
PyObject* device_reduce(PyObject* self, PyObject*) {
  return Py_BuildValue("(O(N))", reinterpret_cast<PyObject*>(device_type), device_str(self));
}

}  // namespace

bool add_dtypes_and_devices(PyObject* module) {
  static PyGetSetDef dtype_properties[] = {
      {"itemsize", dtype_itemsize, nullptr, "The bytes that an element takes.", nullptr},
      {"is_complex", dtype_is_complex, nullptr, "True for complex numbers.", nullptr},
      {"is_signed", dtype_is_signed, nullptr, "True where it has numbers below 0.", nullptr},
      {"is_floating_point", dtype_is_floating, nullptr, "True for a float.", nullptr},
      {}};
  static PyMethodDef dtype_methods[] = {
      {"__reduce__", dtype_reduce, METH_NOARGS, nullptr},
      {"to_complex", dtype_to_complex, METH_NOARGS, to_complex_doc},
      {"to_real", dtype_to_real, METH_NOARGS, to_real_doc},
      {}};
  static PyType_Slot dtype_slots[] = {{Py_tp_dealloc, slot(dealloc)},
                                      {Py_tp_repr, slot(dtype_repr)},
                                      {Py_tp_getset, dtype_properties},
                                      {Py_tp_methods, dtype_methods},
                                      {Py_tp_doc, const_cast<char*>(dtype_doc)},
                                      {0, nullptr}};
  static PyType_Spec dtype_spec = {"garboard.dtype", sizeof(DTypeObject), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                   dtype_slots};
  static PyGetSetDef device_properties[] = {
      {"type", device_kind, nullptr, "The kind, as \"cpu\".", nullptr},
      {"index", device_index, nullptr,
       "The device's number; None where there is one of its kind, as the CPU.", nullptr},
      {}};
  static PyMethodDef device_methods[] = {{"__reduce__", device_reduce, METH_NOARGS, nullptr},
                                         {"__enter__", device_enter, METH_NOARGS, nullptr},
                                         {"__exit__", device_exit, METH_VARARGS, nullptr},
                                         {}};
  static PyMethodDef functions[] = {
      {"_default_device", call_default_device, METH_NOARGS,
       "The device of tensors that no device is given for, here and now."},
      {"_set_default_device", call_set_default_device, METH_O,
       "Set it outside of all blocks; None is the CPU."},
      {}};
  static PyType_Slot device_slots[] = {{Py_tp_dealloc, slot(dealloc)},
                                       {Py_tp_new, slot(device_new)},
                                       {Py_tp_repr, slot(device_repr)},
                                       {Py_tp_str, slot(device_str)},
                                       {Py_tp_hash, slot(device_hash)},
                                       {Py_tp_richcompare, slot(device_compare)},
                                       {Py_tp_getset, device_properties},
                                       {Py_tp_methods, device_methods},
                                       {Py_tp_doc, const_cast<char*>(device_doc)},
                                       {0, nullptr}};
  static PyType_Spec device_spec = {"garboard.device", sizeof(DeviceObject), 0,
                                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, device_slots};
  dtype_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&dtype_spec));
  device_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&device_spec));
  if (!dtype_type || !device_type || PyModule_AddFunctions(module, functions) < 0) return false;
  if (PyModule_AddObjectRef(module, "dtype", reinterpret_cast<PyObject*>(dtype_type)) < 0 ||
      PyModule_AddObjectRef(module, "device", reinterpret_cast<PyObject*>(device_type)) < 0)
    return false;
  for (int i = 0; i < dtype_count; ++i) {
    auto* const object = PyObject_New(DTypeObject, dtype_type);
    if (!object) return false;
    object->value = static_cast<DType>(i);
    dtypes[i] = reinterpret_cast<PyObject*>(object);
    const std::string name(name_of(object->value));
    if (PyModule_AddObjectRef(module, name.c_str(), dtypes[i]) < 0) return false;
  }
  struct OtherName {
    const char* name;
    DType dtype;
  };
  constexpr OtherName others[] = {{"short", DType::int16},      {"int", DType::int32},
                                  {"long", DType::int64},       {"half", DType::float16},
                                  {"float", DType::float32},    {"double", DType::float64},
                                  {"cfloat", DType::complex64}, {"cdouble", DType::complex128}};
  for (const auto& [name, dtype] : others)
    if (PyModule_AddObjectRef(module, name, dtype_object(dtype)) < 0) return false;
  return true;
}

PyObject* dtype_object(DType dtype) noexcept { return dtypes[static_cast<int>(dtype)]; }

bool is_dtype(PyObject* object) noexcept { return Py_TYPE(object) == dtype_type; }

DType to_dtype(PyObject* object, const char* op) {
  if (is_dtype(object)) return dtype_value(object);
  if (object == reinterpret_cast<PyObject*>(&PyFloat_Type)) return DType::float64;
  if (object == reinterpret_cast<PyObject*>(&PyLong_Type)) return DType::int64;
  if (object == reinterpret_cast<PyObject*>(&PyBool_Type)) return DType::boolean;
  if (object == reinterpret_cast<PyObject*>(&PyComplex_Type)) return DType::complex128;
  // A dtype of PyTorch's that no tensor has here says what to use instead.
  if (const Ref refusal(PyObject_GetAttrString(object, "_refusal"));
      refusal && PyUnicode_Check(refusal.get()))
    throw_type_error("%s: %s", op, std::string(to_text(refusal.get(), op, "dtype")).c_str());
  PyErr_Clear();
  throw_type_error("%s: dtype is of type %s; a dtype such as garboard.float32 is needed", op,
                   Py_TYPE(object)->tp_name);
}

PyObject* device_object(Device device) {
  auto* const object = PyObject_New(DeviceObject, device_type);
  if (object) object->value = device;
  return reinterpret_cast<PyObject*>(object);
}

bool is_device(PyObject* object) noexcept { return PyObject_TypeCheck(object, device_type); }

Device to_device(PyObject* object, const char* op) {
  if (is_device(object)) return device_value(object);
  if (PyLong_CheckExact(object))  // of a CUDA device, as PyTorch's programs give it
    return device_of_number("cuda", object, op);
  if (!PyUnicode_Check(object))
    throw_type_error("%s: device is of type %s; a device or a string is needed", op,
                     Py_TYPE(object)->tp_name);
  return device_of_name(to_text(object, op, "device"), op);
}

}  // namespace garboard::python
