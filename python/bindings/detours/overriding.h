// Calls that classes made of Tensor, and blocks, take over before the engine looks at them.
#pragma once

#include <Python.h>

#include "python/bindings/detours/profiled.h"

namespace garboard::python {

/// Whether `type` is made of Tensor and its `__torch_function__` is to be asked now. None is while
/// that of Tensor runs, on this thread, and `_disabled_torch_function_impl` never is.
bool overrides(PyTypeObject* type);

/// What the innermost block, or else a class among the arguments, returns for the function `name`;
/// null where no one is to be asked. Throws PythonErrorSet, also where all that are asked decline.
/// To be called outside of every Borrowing.
PyObject* overridden(const char* name, const Given& given);

/// The same of a function that is written in Python, and of classes that are no tensors, too; null
/// where all that are asked decline.
PyObject* overridden(PyObject* function, const Given& given);

/// Has calls be looked at from now on, if `type` overrides them.
void note_subclass(PyTypeObject* type) noexcept;

/// `Tensor.__torch_function__`, a class method: calls the function as if nobody overrode it, and
/// gives the tensors that it returns the class.
PyObject* call_for_class(PyObject* cls, PyObject* arguments, PyObject* named) noexcept;

/// Adds `_push_override`, `_pop_override`, `_set_overriding` and `_disabled_torch_function_impl`.
bool add_overriding(PyObject* module);

}  // namespace garboard::python
