// A recorded op as Python looks at it.
#pragma once

#include <utility>

#include "csrc/core/intrusive_list.h"
#include "csrc/tensor/grad_node.h"
#include "python/bindings/tensor/graph_mirror.h"

namespace garboard::python {

/// Keeps its node alive. The collector asks each that is part of a Python object for what the node
/// holds: a hook may have a handle of the very node it is on. One that C++ has on its way is asked
/// by nobody, and what it holds is alive.
class GraphNode : public Links<GraphNode> {
 public:
  explicit GraphNode(Counted<GradNode> its_node) noexcept : node(std::move(its_node)) {
    all_.push_back(*this);
  }
  GraphNode(const GraphNode& other) noexcept : GraphNode(other.node) {}
  GraphNode& operator=(const GraphNode&) = delete;
  ~GraphNode() {
    unlink();
    leave_mirror(*this);
  }

  /// Calls `visit(handle)` with each there is.
  template <class Visit>
  static void for_each(Visit&& visit) {
    all_.for_each(visit);
  }

  Counted<GradNode> node;

 private:
  static inline IntrusiveList<GraphNode, GraphNode> all_;
};

}  // namespace garboard::python
