// The one way to read a list or tuple: item by item, while the items' own code may change the list.
#pragma once

#include <Python.h>

#include "python/bindings/interpreter/ref.h"

namespace garboard::python {

/// What a list or tuple held when this was made. A number's `__index__` or `__float__` and what
/// finalizers do may shorten a list, or drop what stands in it: each item is kept alive while it is
/// read, and a list that has another length by then is refused.
class Items {
 public:
  static bool can_read(PyObject* object) { return PyList_Check(object) || PyTuple_Check(object); }

  /// `sequence` is a list or tuple, which lives as long as this; `op` and `what` name it in errors.
  Items(PyObject* sequence, const char* op, const char* what)
      : sequence_(Ref::borrow(sequence)), op_(op), what_(what), size_(size_now()) {}

  Py_ssize_t size() const { return size_; }
  /// Raises ShapeError where the list is not as long any more as it was.
  Ref operator[](Py_ssize_t i) const {
    if (size_now() != size_) [[unlikely]]
      throw_changed(op_, what_, size_);
    PyObject* const list = sequence_.get();
    return Ref::borrow(PyList_Check(list) ? PyList_GET_ITEM(list, i) : PyTuple_GET_ITEM(list, i));
  }

  /// Raises ShapeError: what was looked at before, of `size` items, is not what stands there now.
  [[noreturn]] static void throw_changed(const char* op, const char* what, Py_ssize_t size);

 private:
  Py_ssize_t size_now() const { return Py_SIZE(sequence_.get()); }

  Ref sequence_;
  const char* op_;
  const char* what_;
  Py_ssize_t size_;
};

}  // namespace garboard::python
