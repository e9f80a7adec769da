// Which line of the user's program is running: read from the interpreter's frame in a few
// nanoseconds, kept as a number, turned into text when somebody asks.
#pragma once

#include <Python.h>

#include <string>

#include "csrc/lifetime/site.h"

struct _PyInterpreterFrame;

namespace garboard::python {

/// Once, when the module is loaded. Returns false with an exception set.
bool start_birth_sites();

/// The innermost frame of `thread` outside the library, as an interned number.
Site current_site(PyThreadState* thread = PyThreadState_Get()) noexcept;

/// The line at which `frame` is, be it the library's. Needs the GIL; may throw std::bad_alloc.
Site site_of(const _PyInterpreterFrame* frame);

struct SiteText {
  std::string file;
  int line;
  std::string function;
};
/// Of an interned number, also when the code is gone; empty strings for `unknown_site`. Needs the
/// GIL.
SiteText text_of(Site site);

/// Frames of code files that start with `prefix` are the library's from now on.
void add_library_path(std::string prefix);

/// Whether `code` is the library's: by its file, which takes a while. Needs the GIL.
bool is_library(const PyCodeObject* code);

/// How many sites have been interned: lines that differ in file, number or function.
std::size_t site_count() noexcept;

}  // namespace garboard::python
