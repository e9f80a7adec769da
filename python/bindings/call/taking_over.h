// Calls of ops that the engine refuses, and a class of the user's or the library's takes over, or
// that are in an older order.
#pragma once

#include <Python.h>

#include "python/bindings/call/arguments.h"

namespace garboard::python {

/// What `raise_current` does; but where a TypeError is raised and the class of an argument, or of
/// one in a list, has a `__torch_function__`, what that returns for this function. A class that
/// answers NotImplemented leaves it to the next one, and all of them to the error.
///
/// The classes are asked after the engine, unlike in PyTorch: no call that it takes pays for them.
/// To be called in a `catch (...)`, outside of every Borrowing.
PyObject* raise_or_take_over(const char* name, const Call& call) noexcept;

}  // namespace garboard::python
