// How messages call a source file: a cell of a notebook has a temporary one, and a number.
#pragma once

#include <Python.h>

#include <string>

namespace garboard::python {

/// From now on `namer(file)`, a str, is what messages call `file`. Takes a reference, for good.
void name_files_by(PyObject* namer);

/// `file` as messages call it; itself where there is no namer, or where that fails. Needs the GIL,
/// runs Python, and leaves an error that is set alone.
std::string shown_file(const std::string& file) noexcept;

}  // namespace garboard::python
