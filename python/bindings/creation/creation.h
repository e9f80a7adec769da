// How functions that make tensors read their options.
#pragma once

#include "csrc/ops/create/result_layout.h"
#include "python/bindings/call/bound.h"
#include "python/bindings/call/layout_hints.h"
#include "python/bindings/context/default_device.h"

namespace garboard::python {

inline Device on(const Placement& placement) {
  return placement.device ? *placement.device : default_device();
}

/// A fresh tensor, a leaf where that was asked for.
inline Tensor finished(Tensor made, const Options& options) {
  if (options.requires_grad) made.set_requires_grad(true);
  return made;
}

/// The same, of `like`'s sizes, whose dims lie in the order of `like`'s unless `format` asks
/// for another one; with the values that it has in memory.
inline Tensor finished_like(const char* op, const Tensor& like, PyObject* format, Tensor made,
                            const Options& options) {
  if (keeps_order(op, format)) lie_as(made, like);
  return finished(std::move(made), options);
}

}  // namespace garboard::python
