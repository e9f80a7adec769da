#include "python/bindings/call/taking_over.h"

#include "python/bindings/call/older_order.h"
#include "python/bindings/detours/protocol.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/ref.h"

namespace garboard::python {
namespace {

/// What the first class that answers returns; where none does, what the op returns if the call is
/// in its older order, or null.
Ref taken_over(const char* name, const Call& call) {
  const Given given{call.input, call.given, call.count, call.names};
  const Ref types = types_to_ask(name, given, Asked::others);
  if (!types && !has_older_order(name)) return {};
  const Ref function = function_named(name, call.input != nullptr);
  if (types) return ask(types.get(), function.get(), given);
  return called_in_older_order(name, call, function.get());
}

}  // namespace

PyObject* raise_or_take_over(const char* name, const Call& call) noexcept {
  raise_current();
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) return nullptr;
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  try {
    if (Ref result = taken_over(name, call); result) {
      Py_XDECREF(type);
      Py_XDECREF(value);
      Py_XDECREF(traceback);
      return result.release();
    }
  } catch (...) {
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    return raise_current();
  }
  PyErr_Restore(type, value, traceback);
  return nullptr;
}

}  // namespace garboard::python
