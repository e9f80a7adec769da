// `out=` and `pin_memory=`: results go into tensors given for them, or into pinned memory.
#pragma once

#include <Python.h>

#include <optional>
#include <span>

#include "csrc/ops/op/destination.h"
#include "python/bindings/call/arguments.h"

namespace garboard::python {

/// While a call with `out=` runs, what it makes is written there at once, where it can be.
class WrittenAtOnce {
 public:
  explicit WrittenAtOnce(const Arguments& given) {
    if (given.changes_result()) [[unlikely]]
      prepare(given);
  }

 private:
  void prepare(const Arguments& given);

  std::optional<Destination> place_;
};

/// Writes what was made into what `out=` was given, and returns a new reference to that; or pins
/// it. Raises ShapeError, DTypeError, DeviceError, GradientError.
PyObject* written(const Arguments& given, const Tensor& made);
/// The same of several, with nothing written unless all fit: a new tuple. Raises ShapeError where
/// `out` holds more or fewer.
PyObject* written(const Arguments& given, std::span<const Tensor> made);

}  // namespace garboard::python
