// How a class that has a `__torch_function__` is asked what becomes of a call.
#pragma once

#include <Python.h>

#include "python/bindings/detours/profiled.h"
#include "python/bindings/interpreter/ref.h"

namespace garboard::python {

/// The method that classes have which take calls over.
inline constexpr const char* protocol = "__torch_function__";

/// Who is asked: classes that are no tensors alone, or those made of Tensor, too.
enum class Asked { others, tensors_too };

/// Whether it is PyTorch's own Tensor, or made of it, which makes the same call again when it is
/// asked, and so has no say.
bool is_of_torch(PyTypeObject* type);

/// The function or method as programs name it: a class knows what it takes over by the object. Of a
/// property, what reads it. This and what follows throw PythonErrorSet.
Ref function_named(const char* name, bool is_method);

/// The classes of what was given, and of items of lists, that have the protocol: a tuple, each
/// before those that it is made of. Null where there is none.
Ref types_to_ask(const char* name, const Given& given, Asked whom);

/// What one method of the protocol returns, told of these types.
Ref asked_for(PyObject* method, PyObject* types, PyObject* function, const Given& given);

/// What the first class in a tuple answers; null where all answer NotImplemented.
Ref ask(PyObject* types, PyObject* function, const Given& given);

}  // namespace garboard::python
