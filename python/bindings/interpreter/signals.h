// Ctrl-C in loops that keep the GIL.
#pragma once

#include <Python.h>

#include <algorithm>
#include <cstdint>

#include "python/bindings/interpreter/errors.h"

namespace garboard::python {

/// Lets signal handlers run, once in many of the items that loops take with the GIL held.
class Signals {
 public:
  /// Calls `visit` with 0 ... count - 1. Throws what a handler raises.
  template <class Visit>
  void for_each(std::int64_t count, Visit&& visit) {
    for (std::int64_t first = 0; first < count; first += most) {
      const std::int64_t last = std::min(count, first + most);
      if ((left_ -= last - first) < 0) look();
      for (std::int64_t i = first; i < last; ++i) visit(i);
    }
  }

 private:
  static constexpr std::int64_t most = 1 << 16;

  void look() {
    left_ = most;
    if (PyErr_CheckSignals() < 0) throw PythonErrorSet();
  }

  std::int64_t left_ = most;
};

}  // namespace garboard::python
