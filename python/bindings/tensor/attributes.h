// What programs set on a tensor under names that no tensor has, such as `table.require_grad`.
//
// A type with a place for a `__dict__` keeps CPython from specialising calls of its methods: a
// hundred instructions for each `x.item()`. So a dict of ours has the dicts of the few handles that
// any was set on, and the type gets a descriptor for each name that ever was.
#pragma once

#include <Python.h>

#include "python/bindings/tensor/tensor_object.h"

namespace garboard::python {

/// The dict of what was set on a handle, borrowed; null where nothing was.
PyObject* attributes_of(const TensorObject& object) noexcept;
/// Lets go of it. What that ends may run Python.
void clear_attributes(TensorObject& object) noexcept;

/// tp_setattro of Tensor and its subclasses; one with a `__dict__` uses that.
int set_attribute(PyObject* self, PyObject* name, PyObject* value) noexcept;

/// `_set_attributes(tensor)`: the dict, or None.
PyObject* set_attributes(PyObject*, PyObject* given) noexcept;

/// `_is_set_name(entry)`: whether this entry of the type's dict stands for a name that some program
/// set.
PyObject* is_set_name(PyObject*, PyObject* entry) noexcept;

/// Makes the type of the descriptors. False with an exception set.
bool start_attributes() noexcept;
/// Adds `Tensor.__dict__`, which subclasses with a place for one do not use. False likewise.
bool add_attribute_dict() noexcept;

}  // namespace garboard::python
