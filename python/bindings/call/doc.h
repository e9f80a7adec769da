// What users read about a function or method: its parts, each written once, and how they are put
// together. Google style; tests/house/test_docstrings.py says what none may lack.
#pragma once

#include <span>
#include <string>

#include "python/bindings/call/signature.h"

namespace garboard::python {

/// What is told of one parameter.
struct Arg {
  const char* name;
  const char* text;
};

/// The parts of a docstring, without indents and line breaks of their own; a `\n` starts a new
/// line. Written for the function: what it says of `input`, its method says of `self`.
struct Doc {
  const char* summary;  // a sentence in the imperative
  const char* details = "";
  Arg args[10] = {};          // in any order
  const char* returns = "";  // empty: None
  const char* raises = "";   // a line each, `ShapeError: ...`; DisposedError goes without saying
  const char* example = "";  // as typed at the prompt; `gb.sum(x, 0)` becomes `x.sum(0)`
};

/// The docstring of `name`, as Python's builtins have it: with a signature that `inspect` reads,
/// the first, and the other ways to call it.
std::string docstring(const char* name, const Doc& doc, std::span<const Signature> signatures,
                      bool is_method);

}  // namespace garboard::python
