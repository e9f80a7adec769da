// The variables of a frame, read where the interpreter keeps them. `f_locals` is no way to look: it
// makes a dict that keeps alive what it shows, and the collector's walk leaves running frames out.
#pragma once

#include <Python.h>

namespace garboard::python {

/// Calls `visit` for each variable of a frame that runs or may run again, and for what lies on its
/// value stack where the interpreter knows its height. A frame that has ended is left to its own
/// tp_traverse. Returns what `visit` returned, where that is not 0.
int visit_frame_variables(PyObject* frame, visitproc visit, void* arg);

/// A new list of (name, value) of the variables that are bound, cells looked through; null with an
/// exception set.
PyObject* frame_variables(PyObject* frame);

}  // namespace garboard::python
