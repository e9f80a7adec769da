// Owns a reference to a Python object.
#pragma once

#include <Python.h>

#include <utility>

namespace garboard::python {

class Ref {
 public:
  Ref() = default;
  /// Takes over a new reference.
  explicit Ref(PyObject* owned) : object_(owned) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() { Py_XDECREF(object_); }

  static Ref borrow(PyObject* object) { return Ref(Py_XNewRef(object)); }
  PyObject* get() const noexcept { return object_; }
  PyObject* release() noexcept { return std::exchange(object_, nullptr); }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

/// Whether an object has an attribute; not where it raises instead of saying so, which
/// PyObject_HasAttrString tells the user of from Python 3.13 on.
inline bool has_attribute(PyObject* object, const char* name) {
  const Ref found(PyObject_GetAttrString(object, name));
  if (!found) PyErr_Clear();
  return static_cast<bool>(found);
}

/// What a weak reference refers to; empty where that is gone.
inline Ref living(PyObject* weak) {
#if PY_VERSION_HEX >= 0x030d0000
  PyObject* object = nullptr;
  if (PyWeakref_GetRef(weak, &object) < 0) PyErr_Clear();
  return Ref(object);
#else
  PyObject* const object = PyWeakref_GetObject(weak);
  return object == Py_None ? Ref() : Ref::borrow(object);
#endif
}

}  // namespace garboard::python
