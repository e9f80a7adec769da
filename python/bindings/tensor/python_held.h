// What a graph node holds of Python, so that the collector can be told of it; see graph_mirror.h.
#pragma once

#include <Python.h>

namespace garboard::python {

/// A Foreign that owns Python objects is also one of these.
class PythonHeld {
 public:
  PythonHeld() noexcept { ++count_; }
  virtual ~PythonHeld() { --count_; }
  PythonHeld(const PythonHeld&) = delete;
  PythonHeld& operator=(const PythonHeld&) = delete;

  /// Visits each reference once, for tp_traverse.
  virtual int visit(visitproc visit, void* arg) const = 0;
  /// Lets go of what may be in a cycle that nothing else of it breaks, as a tuple does not. It is
  /// garbage then: nobody asks it any more.
  virtual void clear() noexcept {}
  /// How many live.
  static int count() noexcept { return count_; }

 private:
  static inline int count_ = 0;
};

}  // namespace garboard::python
