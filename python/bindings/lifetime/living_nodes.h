// The graph nodes that live, as shares.
#pragma once

#include <cstdint>
#include <vector>

#include "csrc/lifetime/registry.h"
#include "csrc/tensor/grad_node.h"

namespace garboard::python {

/// Those of this serial and later, oldest first. Shares: the graph may be taken apart as soon as
/// the registry's lock is given up.
inline std::vector<Counted<GradNode>> living_nodes(std::uint64_t since = 0) {
  std::vector<Counted<GradNode>> held;
  // Under the lock nothing may be asked of the system.
  held.reserve(static_cast<std::size_t>(registry().live().nodes) + 256);
  registry().for_each_node([&](NodeRecord& it) {
    auto& node = static_cast<GradNode&>(it);
    if (it.serial < since || held.size() == held.capacity() || node.share_count() == 0) return;
    held.emplace_back(&node);
  });
  return held;
}

}  // namespace garboard::python
