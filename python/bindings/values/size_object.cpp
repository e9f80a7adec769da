#include "python/bindings/values/size_object.h"

#include <array>
#include <cstdint>
#include <utility>

#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/fast_function.h"
#include "python/bindings/interpreter/ref.h"

namespace garboard::python {
namespace {

constexpr const char* size_doc = R"(Size(sizes=())
--

Sizes: a tuple of ints that counts its elements. It is what `x.shape` and `x.size()` give, and its
slices and sums are of its kind, also of a tuple before it.

Args:
    sizes: Ints, one a dim; NumPy's and tensors of one are read.

Raises:
    TypeError: Something in it is no int.

>>> x = gb.zeros(2, 3, 4)
>>> x.shape, x.shape.numel(), x.shape[1:].numel()
((2, 3, 4), 24, 12)
>>> x.shape == (2, 3, 4), gb.Size([5]) + x.shape
(True, (5, 2, 3, 4))
)";

constexpr const char* numel_doc = R"(numel($self)
--

Count the elements of a tensor of these sizes.

Returns:
    An int: the product of the sizes, 1 for none.

>>> gb.Size([2, 3]).numel()
6
)";

PyTypeObject* size_type = nullptr;

/// A Size of what an exact tuple of ints has. Takes the reference; null stands for an exception.
PyObject* of_tuple(PyObject* tuple) {
  const Ref items(tuple);
  if (!items) return nullptr;
  const Ref arguments(PyTuple_Pack(1, items.get()));
  return arguments ? PyTuple_Type.tp_new(size_type, arguments.get(), nullptr) : nullptr;
}

PyObject* size_new(PyTypeObject* type, PyObject* arguments, PyObject* names) {
  Ref made(PyTuple_Type.tp_new(type, arguments, names));
  if (!made) return nullptr;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(made.get()); ++i) {
    PyObject* const item = PyTuple_GET_ITEM(made.get(), i);
    if (PyLong_Check(item)) continue;
    PyObject* const number = PyIndex_Check(item) ? PyNumber_Index(item) : nullptr;
    if (!number && PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError)) return nullptr;
    if (!number)
      return PyErr_Format(PyExc_TypeError, "Size: sizes[%zd] is of type %s; an int is needed", i,
                          Py_TYPE(item)->tp_name);
    if (PyTuple_SetItem(made.get(), i, number) < 0) return nullptr;
  }
  return made.release();
}

PyObject* size_item(PyObject* self, PyObject* key) {
  PyObject* const item = PyTuple_Type.tp_as_mapping->mp_subscript(self, key);
  return item && PyTuple_CheckExact(item) ? of_tuple(item) : item;
}

PyObject* size_concat(PyObject* self, PyObject* other) {
  Ref sum(PyTuple_Type.tp_as_sequence->sq_concat(self, other));
  if (!sum) return nullptr;
  const Py_ssize_t known = is_size_object(self) ? PyTuple_GET_SIZE(self) : 0;
  for (Py_ssize_t i = known; i < PyTuple_GET_SIZE(sum.get()); ++i)
    if (!PyLong_Check(PyTuple_GET_ITEM(sum.get(), i))) return sum.release();
  return of_tuple(sum.release());
}

/// A tuple before sizes, which has no such slot of its own: `(8,) + x.shape` is a Size.
PyObject* size_add(PyObject* left, PyObject* right) {
  if (!PyTuple_Check(left) || !PyTuple_Check(right)) Py_RETURN_NOTIMPLEMENTED;
  return size_concat(left, right);
}

PyObject* size_repeat(PyObject* self, Py_ssize_t times) {
  return of_tuple(PyTuple_Type.tp_as_sequence->sq_repeat(self, times));
}

PyObject* size_numel(PyObject* self, PyObject*) {
  Ref product(PyLong_FromLong(1));
  for (Py_ssize_t i = 0; product && i < PyTuple_GET_SIZE(self); ++i)
    product = Ref(PyNumber_Multiply(product.get(), PyTuple_GET_ITEM(self, i)));
  return product.release();
}

struct CachedSize {
  Dims dims;
  PyObject* object = nullptr;
};

constexpr int kept_bits = 6;
std::array<CachedSize, 1 << kept_bits> kept;  // by a hash; under the GIL

CachedSize& cached_size_of(const Dims& dims) {
  std::uint64_t hash = static_cast<std::uint64_t>(dims.size());
  for (const std::int64_t value : dims)
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15;  // 2^64 / golden ratio
  return kept[hash >> (64 - kept_bits)];
}

PyObject* made_of(const Dims& dims) {
  Ref tuple(checked(PyTuple_New(dims.size())));
  for (int i = 0; i < dims.size(); ++i)
    PyTuple_SET_ITEM(tuple.get(), i, checked(PyLong_FromLongLong(dims[i])));
  return checked(of_tuple(tuple.release()));
}

}  // namespace

bool is_size_object(PyObject* object) noexcept { return PyObject_TypeCheck(object, size_type); }

bool add_size(PyObject* module) {
  static PyMethodDef methods[] = {{"numel", size_numel, METH_NOARGS, numel_doc}, {}};
  static PyType_Slot slots[] = {{Py_tp_new, slot(size_new)},
                                {Py_mp_subscript, slot(size_item)},
                                {Py_sq_concat, slot(size_concat)},
                                {Py_nb_add, slot(size_add)},
                                {Py_sq_repeat, slot(size_repeat)},
                                {Py_tp_methods, methods},
                                {Py_tp_doc, const_cast<char*>(size_doc)},
                                {0, nullptr}};
  static PyType_Spec spec = {"garboard.Size", 0, 0, Py_TPFLAGS_DEFAULT, slots};
  PyObject* const bases = reinterpret_cast<PyObject*>(&PyTuple_Type);
  size_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpecWithBases(&spec, bases));
  return size_type &&
         PyModule_AddObjectRef(module, "_Size", reinterpret_cast<PyObject*>(size_type)) == 0;
}

PyObject* size_object(const Dims& dims) {
  CachedSize& cached = cached_size_of(dims);
  if (!cached.object || cached.dims != dims) [[unlikely]] {
    // Making it may collect garbage, whose code may ask for others, and end whose dims these are.
    const Dims wanted = dims;
    PyObject* const made = made_of(wanted);
    const Ref before(std::exchange(cached.object, Py_NewRef(made)));
    cached.dims = wanted;
    return made;
  }
  return Py_NewRef(cached.object);
}

}  // namespace garboard::python
