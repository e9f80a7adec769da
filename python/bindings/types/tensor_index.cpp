// `x[...]` with integers, slices, None and Ellipsis, as views; and assignment to them.
#include "csrc/core/error.h"
#include "csrc/lifetime/borrowing.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/shape/views.h"
#include "python/bindings/call/arguments.h"
#include "python/bindings/context/scope_stack.h"
#include "python/bindings/exchange/exchange.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/ref.h"
#include "python/bindings/tensor/tensor_object.h"
#include "python/bindings/types/tensor_type.h"

namespace garboard::python {
namespace {

Tensor sliced(const Tensor& input, int dim, PyObject* part) {
  if (dim >= input.ndim())
    throw IndexOutOfRangeError(
        text("index: more indices than the ", input.ndim(), " dims; at most one a dim"));
  Py_ssize_t start = 0, stop = 0, step = 0;
  if (PySlice_Unpack(part, &start, &stop, &step) < 0) throw PythonErrorSet();
  const Py_ssize_t length = PySlice_AdjustIndices(input.sizes()[dim], &start, &stop, step);
  return slice(input, dim, start, length, step);
}

int count_indices(PyObject* const* parts, Py_ssize_t count) {
  int indices = 0;
  for (Py_ssize_t i = 0; i < count; ++i) indices += parts[i] != Py_None && parts[i] != Py_Ellipsis;
  return indices;
}

/// The view that `key` names. Works from the left; what is taken away or added moves the dim on.
Tensor at(const Tensor& input, PyObject* key) {
  PyObject* const* parts = &key;
  Py_ssize_t count = 1;
  if (PyTuple_Check(key)) {
    count = PyTuple_GET_SIZE(key);
    parts = &PyTuple_GET_ITEM(key, 0);
  }
  const int indices = count_indices(parts, count);
  if (indices > input.ndim())
    throw IndexOutOfRangeError(text("index: ", indices, " indices for a tensor of sizes ",
                                    input.sizes(), "; at most one a dim"));
  Tensor result = input;
  int dim = 0;
  bool seen_ellipsis = false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* const part = parts[i];
    if (part == Py_None) {
      result = unsqueeze(result, dim++);
    } else if (part == Py_Ellipsis) {
      if (std::exchange(seen_ellipsis, true))
        throw IndexOutOfRangeError("index: two ellipses; at most one can stand for what is left");
      dim = result.ndim() - count_indices(parts + i + 1, count - i - 1);
    } else if (PySlice_Check(part)) {
      result = sliced(result, dim++, part);
    } else if (PyBool_Check(part) || !PyIndex_Check(part) ||
               (is_tensor(part) && tensor_of(part, "index", "index").ndim() > 0)) {
      throw_type_error("index: an index of type %s; integers, slices, None and ... are taken",
                       Py_TYPE(part)->tp_name);
    } else {
      result = select(result, dim, to_integer(part, "index", "index"));
    }
  }
  return result;
}

PyObject* get(PyObject* self, PyObject* key) noexcept try {
  const BirthStamp stamp;
  const Tensor& input = tensor_of(self, "index");
  if (PyLong_CheckExact(key) && input.ndim() > 0)  // runs nobody's code: nothing is borrowed
    return wrap(select(input, 0, to_integer(key, "index", "index")));
  const Borrowing borrowing;
  Tensor result = at(input, key);
  return wrap(result == input ? alias(input) : std::move(result));
} catch (...) {
  return raise_current();
}

int set(PyObject* self, PyObject* key, PyObject* value) noexcept try {
  if (!value) throw_type_error("index: elements of a tensor cannot be deleted");
  const Borrowing borrowing;
  const Tensor& input = tensor_of(self, "index");
  const Tensor* const source = is_tensor(value) ? &tensor_of(value, "index", "value") : nullptr;
  const BirthStamp stamp;
  const Tensor target = at(input, key);
  if (source) {
    copy_(target, *source);
  } else if (PyList_Check(value) || PyTuple_Check(value) || PyObject_CheckBuffer(value)) {
    copy_(target, tensor_from(value, "index", target.dtype()));
  } else {
    fill_(target, to_scalar(value, "index", "value"));
  }
  return 0;
} catch (...) {
  raise_current();
  return -1;
}

Py_ssize_t length(PyObject* self) noexcept try {
  const Tensor& input = tensor_of(self, "len");
  if (input.ndim() == 0) throw_type_error("len: a tensor without dims; at least one is needed");
  return input.sizes()[0];
} catch (...) {
  raise_current();
  return -1;
}

/// Python would do without, but not `isinstance(x, Iterable)`.
PyObject* iterate(PyObject* self) noexcept try {
  if (tensor_of(self, "iter").ndim() == 0)
    throw_type_error("iter: a tensor without dims; at least one is needed");
  return PySeqIter_New(self);
} catch (...) {
  return raise_current();
}

/// What iteration asks for, one after the other, until IndexError.
PyObject* item(PyObject* self, Py_ssize_t index) noexcept try {
  const Borrowing borrowing;
  const Tensor& input = tensor_of(self, "iter");
  if (input.ndim() == 0) throw_type_error("iter: a tensor without dims; at least one is needed");
  if (index >= input.sizes()[0]) {
    PyErr_SetString(PyExc_IndexError, "index out of range");  // the usual end: no C++ exception
    return nullptr;
  }
  const BirthStamp stamp;
  return wrap(select(input, 0, index));
} catch (...) {
  return raise_current();
}

}  // namespace

void add_index_slots(std::vector<PyType_Slot>& slots) {
  slots.push_back({Py_mp_subscript, reinterpret_cast<void*>(get)});
  slots.push_back({Py_mp_ass_subscript, reinterpret_cast<void*>(set)});
  slots.push_back({Py_mp_length, reinterpret_cast<void*>(length)});
  slots.push_back({Py_sq_length, reinterpret_cast<void*>(length)});
  slots.push_back({Py_tp_iter, reinterpret_cast<void*>(iterate)});
  slots.push_back({Py_sq_item, reinterpret_cast<void*>(item)});
}

}  // namespace garboard::python
