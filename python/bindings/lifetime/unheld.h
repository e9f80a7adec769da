// Storages that no alias of Python's has, nor the gradient of one, and no export: what lives by
// optimizers, by graphs, or by something that nobody sees.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "csrc/lifetime/registry.h"
#include "csrc/tensor/storage.h"
#include "python/bindings/lifetime/graph_table.h"
#include "python/bindings/tensor/tensor_object.h"

namespace garboard::python {

/// Visits them, born since a serial, oldest first. `visit` as for the registry.
template <class Visit>
void for_each_unheld(std::uint64_t since, Visit&& visit) {
  std::vector<std::uint64_t> held;
  registry().for_each_alias([&](Record& it) {
    const auto& alias = static_cast<const Alias&>(static_cast<const Disposable&>(it));
    if (alias.kind() != Disposable::Kind::tensor || alias.is_deferred()) return;
    if (alias.owner != OwnerKind::python && alias.owner != OwnerKind::exported) return;
    const Tensor& tensor = alias.tensor();
    held.push_back(tensor.storage()->serial);
    if (const auto& state = tensor.body()->grad_state; state && state->grad)
      held.push_back(state->grad.storage()->serial);
  });
  if (!std::ranges::is_sorted(held)) std::ranges::sort(held);
  auto next = held.begin();  // storages come in the order of their serials, too
  registry().for_each_storage([&](const StorageRecord& it) {
    if (it.serial < since || static_cast<const Storage&>(it).export_count.load() > 0) return;
    while (next != held.end() && *next < it.serial) ++next;
    if (next == held.end() || *next != it.serial) visit(it);
  });
}

inline std::vector<BirthRow> unheld_storages(std::uint64_t since) {
  std::vector<BirthRow> found;
  // Under the registry's lock nothing may be asked of the system.
  found.reserve(static_cast<std::size_t>(registry().live().storages) + 256);
  for_each_unheld(since, [&](const StorageRecord& it) {
    if (found.size() < found.capacity()) found.push_back({it.serial, it.site, it.step, it.bytes});
  });
  return found;
}

}  // namespace garboard::python
