// Survivors by birth: how many of the aliases, exports, graph nodes and storages made at one line
// in one step still live. What a leak watcher asks every few steps, so it is counted here, without
// an object.
#include <pybind11/pybind11.h>

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "csrc/lifetime/registry.h"
#include "csrc/tensor/storage.h"
#include "python/bindings/interpreter/birth_site.h"
#include "python/bindings/lifetime/unheld.h"
#include "python/bindings/tensor/tensor_object.h"
#include "python/bindings/wrapped/bindings.h"

namespace py = pybind11;

namespace garboard::python {
namespace {

struct Born {
  Site site;
  std::uint32_t step;
  std::int64_t bytes;
};

/// Rows (site, step, count, bytes), sorted.
py::list cohorts(std::vector<Born>& born) {
  const auto key = [](const Born& it) { return std::tuple(it.site, it.step); };
  std::ranges::sort(born, {}, key);
  py::list rows;
  for (auto it = born.begin(); it != born.end();) {
    const auto first = it;
    std::int64_t bytes = 0;
    for (; it != born.end() && key(*it) == key(*first); ++it) bytes += it->bytes;
    rows.append(py::make_tuple(first->site, first->step, it - first, bytes));
  }
  return rows;
}

py::tuple survivors(std::uint64_t alias_since, std::uint64_t storage_since,
                    std::uint64_t node_since, std::uint32_t first_step, std::uint32_t last_step) {
  const auto is_asked_for = [&](const Record& it, std::uint64_t since) {
    return it.serial >= since && it.step >= first_step && it.step <= last_step;
  };
  std::vector<Born> aliases, exports, nodes, storages;
  registry().for_each_alias([&](Record& it) {
    if (!is_asked_for(it, alias_since)) return;
    const auto& alias = static_cast<const Alias&>(static_cast<const Disposable&>(it));
    if (alias.kind() != Disposable::Kind::tensor || alias.is_deferred()) return;
    // Gradients and optimizer state are owned by what they belong to, and end with it.
    if (alias.owner == OwnerKind::python) {
      aliases.push_back({it.site, it.step, alias.tensor().nbytes()});
    } else if (alias.owner == OwnerKind::exported) {
      exports.push_back({it.site, it.step, alias.tensor().nbytes()});
    }
  });
  // Under the registry's lock nothing may be asked of the system.
  nodes.reserve(static_cast<std::size_t>(registry().live().nodes) + 256);
  registry().for_each_node([&](NodeRecord& it) {
    if (is_asked_for(it, node_since) && nodes.size() < nodes.capacity())
      nodes.push_back({it.site, it.step, 0});
  });
  storages.reserve(static_cast<std::size_t>(registry().live().storages) + 256);
  for_each_unheld(storage_since, [&](const StorageRecord& it) {
    if (is_asked_for(it, storage_since) && storages.size() < storages.capacity())
      storages.push_back({it.site, it.step, it.bytes});
  });
  return py::make_tuple(cohorts(aliases), cohorts(exports), cohorts(nodes), cohorts(storages));
}

}  // namespace

void bind_cohorts(py::module_& m) {
  m.def("_cohorts", &survivors, py::arg("alias_since"), py::arg("storage_since"),
        py::arg("node_since"), py::arg("first_step"), py::arg("last_step"),
        "Living aliases of Python's, exports, graph nodes, and storages that no such alias "
        "has, that were born in these steps: for each kind the rows (site, step, count, bytes), "
        "sorted.");
  m.def(
      "_birth_now", [] { return py::make_tuple(current_site(), birth_step.load()); },
      "(site, step) of what is born here and now.");
}

}  // namespace garboard::python
