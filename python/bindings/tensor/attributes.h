// What programs set on a tensor under names that no tensor has, such as `table.require_grad`.
//
// A type with a place for a `__dict__` keeps CPython from specialising calls of its methods: a
// hundred instructions for each `x.item()`. So the dict is the handle's own, and the type gets a
// descriptor for each name that was ever set, which looks into it.
#pragma once

#include <Python.h>

namespace garboard::python {

/// tp_setattro of Tensor and its subclasses; one with a `__dict__` uses that.
int set_attribute(PyObject* self, PyObject* name, PyObject* value) noexcept;

/// The dict of what was set on a handle, new reference; None where nothing was.
PyObject* set_attributes(PyObject*, PyObject* given) noexcept;

/// Whether this entry of the type's dict stands for a name that some program set.
PyObject* is_set_name(PyObject*, PyObject* entry) noexcept;

/// Makes the type of the descriptors. False with an exception set.
bool start_attributes() noexcept;

}  // namespace garboard::python
