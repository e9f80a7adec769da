// Packing what nodes keep by pairs of Python functions.
#pragma once

#include <Python.h>

namespace garboard::python {

/// From now on, wherever mode::packs is set, `innermost()` is asked for (pack, unpack); what a node
/// keeps is given to `pack`, and what that returns to `unpack` in backward.
void set_packing_hooks(PyObject* innermost);

}  // namespace garboard::python
