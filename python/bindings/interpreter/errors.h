// C++ errors as Python exceptions, and back.
#pragma once

#include <Python.h>

#include <stdexcept>

namespace garboard::python {

/// A Python exception is set already; thrown so that C++ code between two Python frames unwinds.
struct PythonErrorSet : std::exception {
  const char* what() const noexcept override { return "a Python exception is set"; }
};

/// Makes the exception classes and adds them to `module`. Returns false with an exception set.
bool add_errors(PyObject* module);

/// Sets the Python exception of the C++ one being handled; returns null. For slots and fastcall
/// functions: `catch (...) { return raise_current(); }`.
PyObject* raise_current() noexcept;

/// Borrowed.
PyObject* open_scope_warning() noexcept;

/// Throws PythonErrorSet if `object` is null, else returns it.
inline PyObject* checked(PyObject* object) {
  if (!object) throw PythonErrorSet();
  return object;
}

/// `TypeError: <op>: <what>`, thrown.
[[noreturn]] void throw_type_error(const char* format, ...);

}  // namespace garboard::python
