// The one way to read Python's text: a str can hold half of a surrogate pair, which no UTF-8 has.
#pragma once

#include <Python.h>

#include <string>
#include <string_view>

namespace garboard::python {

/// Whether a str can be written as UTF-8.
bool is_encodable(PyObject* string) noexcept;

/// The text of a str, which lives as long as `object`. Raises TypeError for another type and
/// ValueError for what is not encodable, naming the op and the parameter.
std::string_view to_text(PyObject* object, const char* op, const char* argument);

/// Raises ChoiceError, a ValueError, `op: argument 'menn'; <needed> is needed`. Of what is no word
/// and no number the type alone is named: its repr is code that is not ours, and may have no end.
[[noreturn]] void throw_no_choice(const char* op, const char* argument, PyObject* given,
                                  const char* needed);

/// The text of a str, or "?". Never raises, and leaves an error that is set alone.
std::string text_or_mark(PyObject* string) noexcept;

}  // namespace garboard::python
