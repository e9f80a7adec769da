// What Python has hung on a graph node: hooks before and after its rule, and notes of the user's.
#pragma once

#include <Python.h>

#include "csrc/tensor/grad_node.h"
#include "python/bindings/interpreter/ref.h"

namespace garboard::python {

/// Calls `hook` with the gradients of the outputs before the rule of `node` runs, a tuple, or with
/// those of the inputs and the outputs after it; what it returns, unless None, takes the place of
/// what it was given first. Returns the RemovableHandle. Throws.
Ref add_node_hook(GradNode& node, PyObject* hook, bool is_before);

/// A dict that lives as long as the node.
Ref metadata_of(GradNode& node);

}  // namespace garboard::python
