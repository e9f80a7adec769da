// Grad mode as Python sets and sees it: per thread and asyncio task.
#pragma once

#include <Python.h>

#include <cstdint>

namespace garboard::python {

/// Adds `is_grad_enabled` and what grad mode's blocks call to `module`. Returns false with an
/// exception set.
bool add_grad_mode(PyObject* module);

/// Python code that an op calls on purpose, such as a hook, is recorded as the op itself is: in a
/// plain backward pass not at all.
class GradModeOfOp {
 public:
  /// Throws PythonErrorSet.
  GradModeOfOp();
  ~GradModeOfOp();
  GradModeOfOp(const GradModeOfOp&) = delete;
  GradModeOfOp& operator=(const GradModeOfOp&) = delete;

 private:
  bool is_entered_ = false;
};

}  // namespace garboard::python
