// What a graph node leads to and keeps, as serials. No Python object is made while the graph is
// looked at: code that runs then may take it apart.
#pragma once

#include <cstdint>
#include <vector>

#include "csrc/tensor/grad_node.h"
#include "csrc/tensor/storage.h"

namespace garboard::python {

struct NodeWays {
  std::vector<std::uint64_t> next, saved, leaves;  // nodes, storages, storages
  std::int64_t saved_bytes = 0;

  /// In place of what was looked at before.
  void look_at(GradNode& node) {
    next.clear(), saved.clear(), leaves.clear();
    saved_bytes = 0;
    for (const Edge& edge : node.edges()) {
      if (edge.node) next.push_back(edge.node->serial);
      if (!edge.leaf) continue;
      leaves.push_back(edge.leaf.storage()->serial);
      if (const auto& state = edge.leaf.body()->grad_state; state && state->grad)
        leaves.push_back(state->grad.storage()->serial);
    }
    node.for_each_kept([&](const SavedTensor& kept) {
      saved.push_back(kept.tensor.storage()->serial);
      saved_bytes += kept.tensor.nbytes();
    });
  }
};

inline bool was_walked(const GradNode& node) {
  return node.is_released || node.was_retained || node.was_walked;
}

}  // namespace garboard::python
