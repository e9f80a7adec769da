// What a function that pybind11 binds says of arguments it cannot take.
#pragma once

#include <Python.h>

namespace garboard::python {

/// Lets every function and method that pybind11 has put into `module` and into its types refuse in
/// the house's words, `op: what was given; what is needed`. pybind11's own text lists C++ overloads
/// and prints the arguments, a tensor's values among them. Called once, after all is bound.
/// False with an error set.
bool refuse_in_our_words(PyObject* module);

}  // namespace garboard::python
