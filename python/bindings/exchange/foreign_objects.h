// Numbers and arrays of NumPy's and other libraries', which need not be there.
#pragma once

#include <Python.h>

#include <string_view>

#include "python/bindings/interpreter/ref.h"

namespace garboard::python {

/// Whether the type is called so, or derives from one that is: NumPy need not be there.
bool is_of_numpys(PyObject* object, std::string_view name);

bool is_complex_number(PyObject* object);
bool is_more_than_real(PyObject* object);

/// A number that NumPy or another library brings: not an array, although that has the slot too.
bool is_foreign_number(PyObject* object);

/// The only element of an array of NumPy's without dims, where that is a number; else null.
Ref number_in_array(PyObject* object);

/// How a Tensor is made of what is none; "" where nothing is known.
const char* way_to_a_tensor(PyObject* object);

}  // namespace garboard::python
