#include "python/bindings/interpreter/file_names.h"

#include "python/bindings/interpreter/ref.h"
#include "python/bindings/interpreter/unicode.h"

namespace garboard::python {
namespace {

PyObject* namer_of_files = nullptr;  // guarded by the GIL

/// Null, with an error set, where it fails.
Ref named(const std::string& file) {
  const Ref text(PyUnicode_FromStringAndSize(file.data(), static_cast<Py_ssize_t>(file.size())));
  return text ? Ref(PyObject_CallOneArg(namer_of_files, text.get())) : Ref();
}

}  // namespace

void name_files_by(PyObject* namer) {
  PyObject* const before = std::exchange(namer_of_files, Py_NewRef(namer));
  Py_XDECREF(before);
}

std::string shown_file(const std::string& file) noexcept {
  if (!namer_of_files) return file;
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  std::string shown = file;
  if (const Ref name = named(file); name && PyUnicode_Check(name.get())) {
    shown = text_or_mark(name.get());
  } else if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
    PyErr_SetInterrupt();  // once more, for whoever can pass it on
  }
  PyErr_Restore(type, value, traceback);  // and what the namer raised is gone
  return shown;
}

}  // namespace garboard::python
