// The slots of the type `Tensor`.
#pragma once

#include <Python.h>

#include <vector>

namespace garboard::python {

/// Arithmetic, comparison and conversion slots.
void add_number_slots(std::vector<PyType_Slot>& slots);
/// `x[...]`, `x[...] = y`, `len(x)`, iteration.
void add_index_slots(std::vector<PyType_Slot>& slots);
/// shape, dtype, grad, ...
PyGetSetDef* tensor_properties();

/// Of what `untyped_storage()` gives, over which `Tensor(storage)` is a tensor.
extern PyTypeObject* storage_type;

}  // namespace garboard::python
