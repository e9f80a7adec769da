// What the profiler is told of an op.
#pragma once

#include <Python.h>

#include <string>

namespace garboard::python {

/// What an op was called with; borrowed.
struct Given {
  PyObject* self;  // or null
  PyObject* const* arguments;
  Py_ssize_t count;
  PyObject* names = nullptr;  // of as many arguments behind those, or null
  bool is_in_place = false;   // by an operator; a method in place is known by its name
  bool is_operator = false;   // of two operands, neither of which has to be a tensor

  Py_ssize_t name_count() const { return names ? PyTuple_GET_SIZE(names) : 0; }
};

/// What the recording in progress asks for besides the name: the tensors' sizes, the stack.
std::string detail_of(const Given& given);

/// What `detail_of` tells from now on: the sizes, and so many lines of the stack.
void set_profiled_details(bool shapes, int depth) noexcept;

}  // namespace garboard::python
