// Which line of the user's program is running: read from the interpreter's frame in a few
// nanoseconds, kept as a number, turned into text when somebody asks.
#pragma once

#include <Python.h>

#include <string>

#include "csrc/lifetime/site.h"

namespace garboard::python {

/// The innermost frame of `thread` outside the library, as an interned number.
Site current_site(PyThreadState* thread = PyThreadState_Get()) noexcept;

struct SiteText {
  std::string file;
  int line;
  std::string function;
};
/// Of an interned number; empty strings for `unknown_site`. Needs the GIL.
SiteText text_of(Site site);
/// Of a line of `code`. Needs the GIL.
SiteText text_at(PyCodeObject* code, int line);

/// Frames of code files that start with `prefix` are the library's from now on.
void add_library_path(std::string prefix);

/// How many sites have been interned: each keeps one code object alive.
std::size_t site_count() noexcept;

}  // namespace garboard::python
