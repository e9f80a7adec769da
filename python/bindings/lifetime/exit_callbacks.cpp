#include "python/bindings/lifetime/exit_callbacks.h"

#define Py_BUILD_CORE 1
// C's atomic types are none of C++'s; those that the compiler builds in have the same layout.
#undef HAVE_STD_ATOMIC
#undef _PyGC_FINALIZED  // 3.12's macro, where its own header defines a function of the name
#include <internal/pycore_interp.h>
#undef Py_BUILD_CORE

#include <array>
#include <utility>
#include <vector>

#include "python/bindings/interpreter/ref.h"

namespace garboard::python {

#if PY_VERSION_HEX >= 0x030e0000
PyObject* registered_at_exit() {
  PyObject* const rows = PyInterpreterState_Get()->atexit.callbacks;
  return rows ? PyObject_CallMethod(rows, "copy", nullptr) : PyList_New(0);
}
#else
PyObject* registered_at_exit() {
  // References first: making the list may collect garbage, and that may run anything.
  std::vector<std::array<Ref, 3>> found;
  const auto& state = PyInterpreterState_Get()->atexit;
  for (int i = 0; i < state.ncallbacks; ++i) {
    const auto* const it = state.callbacks[i];
    if (!it) continue;  // it was unregistered
    const auto held = [](PyObject* object) { return Ref::borrow(object ? object : Py_None); };
    found.push_back({held(it->func), held(it->args), held(it->kwargs)});
  }
  Ref list(PyList_New(0));
  for (const auto& [function, arguments, named] : found) {
    Ref row(list ? PyTuple_Pack(3, function.get(), arguments.get(), named.get()) : nullptr);
    if (!row || PyList_Append(list.get(), row.get()) != 0) return nullptr;
  }
  return list.release();
}
#endif

}  // namespace garboard::python
