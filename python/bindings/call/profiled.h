// Runs an op as an event of the profiler.
#pragma once

#include <Python.h>

#include <string>

#include "csrc/lifetime/op_profile.h"

namespace garboard::python {

/// What an op was called with; borrowed.
struct Given {
  PyObject* self;  // or null
  PyObject* const* arguments;
  Py_ssize_t count;
};

/// What the recording in progress asks for besides the name: the tensors' sizes, the stack.
std::string detail_of(const Given& given);

/// What `detail_of` tells from now on: the sizes, and so many lines of the stack.
void set_profiled_details(bool shapes, int depth) noexcept;

/// Calls `call`, which asks `OpProfile::stops` again and is let pass.
template <class Call>
[[gnu::noinline]] PyObject* profiled(const char* name, const Given& given, Call call) {
  const OpProfile::Op op(name, detail_of(given));
  OpProfile::pass();
  return call();
}

}  // namespace garboard::python
