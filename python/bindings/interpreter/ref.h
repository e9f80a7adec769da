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

}  // namespace garboard::python
