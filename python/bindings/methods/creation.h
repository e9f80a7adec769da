// How functions that make tensors read their options.
#pragma once

#include "python/bindings/call/bound.h"
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

}  // namespace garboard::python
