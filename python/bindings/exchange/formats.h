// How the buffer protocol writes dtypes.
#pragma once

#include <Python.h>

#include <optional>
#include <string>
#include <string_view>

#include "csrc/core/dtype.h"

namespace garboard::python {

/// As the struct module writes it; empty for one that Python has no code for.
const char* format_of(DType dtype);

/// Of items of so many bytes each.
std::optional<DType> dtype_of_format(std::string_view format, Py_ssize_t bytes);

/// "bool, uint8 or int32": the dtypes that arrays may have.
std::string names_of_formats();

}  // namespace garboard::python
