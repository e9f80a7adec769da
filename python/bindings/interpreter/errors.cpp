#include "python/bindings/interpreter/errors.h"

#include <cstdarg>
#include <cstring>
#include <new>
#include <string>

#include "csrc/core/error.h"
#include "csrc/core/index_error.h"
#include "python/bindings/interpreter/ref.h"

namespace garboard::python {
namespace {

struct Exceptions {
  PyObject *base, *shape, *index, *gradient, *dtype, *index_type, *device, *linear_algebra,
      *disposed, *version, *memory, *limit, *open_scope;
};
Exceptions exceptions;  // one reference each, for the life of the process

PyObject* add(PyObject* module, const char* name, const char* doc,
              std::initializer_list<PyObject*> bases) {
  const Ref tuple(PyTuple_New(static_cast<Py_ssize_t>(bases.size())));
  if (!tuple) return nullptr;
  Py_ssize_t i = 0;
  for (PyObject* base : bases) PyTuple_SET_ITEM(tuple.get(), i++, Py_NewRef(base));
  const std::string full_name = std::string("garboard.") + name;
  PyObject* const type = PyErr_NewExceptionWithDoc(full_name.c_str(), doc, tuple.get(), nullptr);
  if (!type || PyModule_AddObjectRef(module, name, type) < 0) return nullptr;
  return type;
}

PyObject* raise_memory_error(PyObject* type, const char* message, const char* report) {
  const Ref made(PyObject_CallFunction(type, "s", message));
  const Ref told(PyUnicode_FromString(report));
  if (made && told && PyObject_SetAttrString(made.get(), "report", told.get()) == 0)
    PyErr_SetObject(type, made.get());
  return nullptr;
}

constexpr const char* no_memory_of_the_process =
    "the process has no memory for what this call keeps besides tensors; give it less at once";

/// Messages quote what they were given: bytes that are no UTF-8 are shown as \xff.
PyObject* raise(PyObject* type, const char* message) {
  const Ref text(PyUnicode_DecodeUTF8(message, static_cast<Py_ssize_t>(std::strlen(message)),
                                      "backslashreplace"));
  if (text) PyErr_SetObject(type, text.get());
  return nullptr;
}

}  // namespace

bool add_errors(PyObject* module) {
  Exceptions& e = exceptions;
  e.base = add(module, "GarboardError", "The root of garboard's errors.", {PyExc_RuntimeError});
  if (!e.base) return false;
  const auto derived = [&](const char* name, const char* doc, PyObject* base,
                           std::initializer_list<PyObject*> more) -> PyObject* {
    PyObject* bases[3] = {base};
    std::size_t count = 1;
    for (PyObject* other : more) bases[count++] = other;
    if (count == 1) return add(module, name, doc, {bases[0]});
    if (count == 2) return add(module, name, doc, {bases[0], bases[1]});
    return add(module, name, doc, {bases[0], bases[1], bases[2]});
  };
  e.shape = derived("ShapeError", "Sizes, strides or dims that do not fit.", e.base,
                    {PyExc_RuntimeError, PyExc_ValueError});
  if (!e.shape) return false;
  e.index = derived("IndexOutOfRangeError", "An index or a dim out of range.", e.shape,
                    {PyExc_IndexError});
  e.gradient =
      derived("GradientError", "A gradient that cannot be had.", e.base, {PyExc_RuntimeError});
  e.dtype = derived("DTypeError", "A dtype that an op does not take.", e.base,
                    {PyExc_NotImplementedError, PyExc_TypeError});  // the first, a RuntimeError
  if (!e.dtype) return false;
  e.index_type = derived("IndexTypeError", "An index of a type or dtype that none has.", e.dtype,
                         {PyExc_IndexError});
  e.device = derived("DeviceError", "A device that is absent, or not the other's.", e.base,
                     {PyExc_NotImplementedError});
  e.linear_algebra =
      derived("LinAlgError", "A matrix without the inverse or the factor that is asked for.",
              e.base, {PyExc_RuntimeError});
  e.disposed = derived("DisposedError", "A tensor used after it was disposed.", e.base,
                       {PyExc_RuntimeError});
  e.version = derived("VersionError", "A saved tensor was written in place before backward.",
                      e.base, {PyExc_RuntimeError});
  e.memory = derived("OutOfMemoryError", "Out of memory; `report` says who holds it.", e.base,
                     {PyExc_RuntimeError, PyExc_MemoryError});
  if (!e.memory) return false;
  e.limit = derived("ScopeLimitError", "A tensor would have taken its scope over its budget.",
                    e.memory, {});
  e.open_scope =
      add(module, "OpenScopeWarning",
          "A generator left a scope open across a yield: it ends what the consumer makes.",
          {PyExc_RuntimeWarning});
  return e.open_scope && e.index && e.gradient && e.index_type && e.device && e.linear_algebra &&
         e.disposed && e.version && e.limit;
}

PyObject* open_scope_warning() noexcept { return exceptions.open_scope; }

PyObject* raise_current() noexcept {
  try {
    throw;
  } catch (const PythonErrorSet&) {
    return nullptr;
  } catch (const IndexOutOfRangeError& error) {
    return raise(exceptions.index, error.what());
  } catch (const ShapeError& error) {
    return raise(exceptions.shape, error.what());
  } catch (const GradientError& error) {
    return raise(exceptions.gradient, error.what());
  } catch (const IndexTypeError& error) {
    return raise(exceptions.index_type, error.what());
  } catch (const DTypeError& error) {
    return raise(exceptions.dtype, error.what());
  } catch (const DeviceError& error) {
    return raise(exceptions.device, error.what());
  } catch (const LinAlgError& error) {
    return raise(exceptions.linear_algebra, error.what());
  } catch (const DisposedError& error) {
    return raise(exceptions.disposed, error.what());
  } catch (const VersionError& error) {
    return raise(exceptions.version, error.what());
  } catch (const ScopeLimitError& error) {
    return raise_memory_error(exceptions.limit, error.what(), error.report().c_str());
  } catch (const OutOfMemoryError& error) {
    return raise_memory_error(exceptions.memory, error.what(), error.report().c_str());
  } catch (const Error& error) {
    return raise(exceptions.base, error.what());
  } catch (const std::bad_alloc&) {
    return raise_memory_error(exceptions.memory, no_memory_of_the_process,
                              "nothing was asked of a device");
  } catch (const std::exception& error) {
    return raise(PyExc_SystemError, error.what());
  }
}

void throw_type_error(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  PyErr_FormatV(PyExc_TypeError, format, arguments);
  va_end(arguments);
  throw PythonErrorSet();
}

}  // namespace garboard::python
