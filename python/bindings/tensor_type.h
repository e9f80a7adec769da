// The slots of the type `Tensor`.
#pragma once

#include <Python.h>

#include <vector>

namespace garboard::python {

/// In tensor_object.cpp: where handles are kept.
void dealloc_tensor(PyObject* self);

/// Arithmetic, comparison and conversion slots.
void add_number_slots(std::vector<PyType_Slot>& slots);
/// `x[...]`, `x[...] = y`, `len(x)`, iteration.
void add_index_slots(std::vector<PyType_Slot>& slots);
/// The buffer protocol.
void add_buffer_slots(std::vector<PyType_Slot>& slots);
/// shape, dtype, grad, ...
PyGetSetDef* tensor_properties();

}  // namespace garboard::python
