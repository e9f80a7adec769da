// Sequences that are no lists, as data: a deque, a range in a list, a class of the user's.
#pragma once

#include <Python.h>

#include "python/bindings/interpreter/ref.h"

namespace garboard::python {

/// `data` itself where it holds lists and tuples alone, by the first item of each level; else a
/// list of its items, and of theirs. Texts, buffers and tensors are no sequences here. Raises
/// ShapeError for one that holds itself, and what the items' own code raises.
Ref in_lists(PyObject* data, const char* op);

}  // namespace garboard::python
