// For the length of one collection, objects that stand for graphs: so that the cycle collector sees
// what Python callbacks a tensor reaches through a graph alone.
#pragma once

#include <Python.h>

#include "python/bindings/tensor/tensor_object.h"

namespace garboard::python {

class GraphNode;

/// From now on every full collection looks into graphs: before it, one that meets hooks which only
/// a graph holds is given a mirror of that graph; after it, gradients that hold themselves end.
/// False with an exception set.
bool start_graph_mirror();

/// For tp_traverse and the end of an alias, or of a node's handle: its part of the mirror, where
/// there is one.
int traverse_mirror(TensorObject& object, visitproc visit, void* arg);
int traverse_mirror(const GraphNode& handle, visitproc visit, void* arg);
void leave_mirror(TensorObject& object) noexcept;
void leave_mirror(const GraphNode& handle) noexcept;

}  // namespace garboard::python
