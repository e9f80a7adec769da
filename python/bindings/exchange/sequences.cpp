#include "python/bindings/exchange/sequences.h"

#include "csrc/core/dims.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/items.h"
#include "python/bindings/tensor/tensor_object.h"

namespace garboard::python {
namespace {

bool is_other_sequence(PyObject* object) {
  return PySequence_Check(object) && !PyUnicode_Check(object) && !PyObject_CheckBuffer(object) &&
         !is_tensor(object);
}

/// One by one: `list(data)` makes room for as many as `data` says that it has.
Ref listed_from(PyObject* data) {
  const Ref walk(checked(PyObject_GetIter(data)));
  Ref listed(checked(PyList_New(0)));
  while (const Ref item{PyIter_Next(walk.get())})
    if (PyList_Append(listed.get(), item.get()) < 0) throw PythonErrorSet();
  if (PyErr_Occurred()) throw PythonErrorSet();
  return listed;
}

Ref in_lists_at(int depth, PyObject* data, const char* op) {
  const bool is_list = Items::can_read(data);
  // A list too deep is told of where it is read, with what it holds there.
  if (depth > max_dims || (!is_list && !is_other_sequence(data))) return Ref::borrow(data);
  Ref listed = is_list ? Ref::borrow(data) : listed_from(data);
  const Items items(listed.get(), op, "data");
  if (items.size() == 0) return listed;
  const Ref first = items[0];
  if (in_lists_at(depth + 1, first.get(), op).get() == first.get()) return listed;
  Ref made(checked(PyList_New(items.size())));
  for (Py_ssize_t i = 0; i < items.size(); ++i)
    PyList_SET_ITEM(made.get(), i, in_lists_at(depth + 1, items[i].get(), op).release());
  return made;
}

}  // namespace

Ref in_lists(PyObject* data, const char* op) { return in_lists_at(0, data, op); }

}  // namespace garboard::python
