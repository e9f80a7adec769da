// The arguments of an op as autocast wants them. Which op wants what, and in which context, is said
// in Python: garboard.amp; here is the way there.
#pragma once

#include <Python.h>

#include <vector>

#include "python/bindings/detours/profiled.h"
#include "python/bindings/interpreter/ref.h"

namespace garboard::python {

/// What `name` was called with, recast where somebody has asked for that; else as it was.
class Recast {
 public:
  /// Throws what the recasting raises.
  Recast(const char* name, const Given& given);
  const Given& given() const noexcept { return given_; }

 private:
  Given given_;
  Ref held_;                          // a tuple of what is borrowed from it
  std::vector<PyObject*> arguments_;  // without the receiver
};

/// Adds `_set_autocast` and `_autocast_count`.
bool add_autocast(PyObject* module);

}  // namespace garboard::python
