// What lives, counted by birth line, scope, shape or owner: of a million tensors in a tenth of a
// second, without an object for each.
#include <pybind11/pybind11.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "csrc/core/text.h"
#include "csrc/lifetime/dispose_scope.h"
#include "csrc/lifetime/registry.h"
#include "csrc/tensor/storage.h"
#include "python/bindings/lifetime/living_nodes.h"
#include "python/bindings/tensor/tensor_object.h"
#include "python/bindings/wrapped/bindings.h"

namespace py = pybind11;

namespace garboard::python {
namespace {

struct Figures {
  std::int64_t count = 0, bytes = 0;
};

struct CountedStorage {
  const StorageRecord* storage;
  std::size_t order;  // of its alias, by age
  Figures* group;
};

/// Groups the living tensors by what `key_of(alias)` returns. The map never moves its groups.
template <class Key, class KeyOf>
std::vector<CountedStorage> count_aliases(std::map<Key, Figures>& groups, KeyOf key_of) {
  std::vector<CountedStorage> held;
  auto last = groups.end();
  registry().for_each_alias([&](Record& it) {
    const auto& alias = static_cast<const Alias&>(static_cast<const Disposable&>(it));
    if (alias.kind() != Disposable::Kind::tensor || alias.is_empty()) return;
    Key key = key_of(alias);
    if (last == groups.end() || last->first != key) last = groups.try_emplace(std::move(key)).first;
    ++last->second.count;
    held.push_back({alias.tensor().storage().get(), held.size(), &last->second});
  });
  const auto by_storage = [](const CountedStorage& it) {
    return std::pair(it.storage->serial, it.order);
  };
  if (!std::ranges::is_sorted(held, {}, by_storage)) std::ranges::sort(held, {}, by_storage);
  return held;
}

/// A storage that several tensors share counts for the oldest.
void add_bytes(const std::vector<CountedStorage>& held) {
  const StorageRecord* before = nullptr;
  for (const CountedStorage& it : held) {
    if (it.storage != before) it.group->bytes += it.storage->bytes;
    before = it.storage;
  }
}

struct BareStorage {
  std::uint64_t serial;
  Site site;
  std::int64_t bytes;
  bool is_exported;
};

/// Storages that no tensor of Python's has.
std::vector<BareStorage> unheld(const std::vector<CountedStorage>& held) {
  std::vector<BareStorage> found;
  // Under the registry's lock nothing may be asked of the system.
  found.reserve(static_cast<std::size_t>(registry().live().storages) + 256);
  auto next = held.begin();
  registry().for_each_storage([&](const StorageRecord& it) {
    while (next != held.end() && next->storage->serial < it.serial) ++next;
    if (next != held.end() && next->storage == &it) return;
    if (found.size() == found.capacity()) return;
    const bool is_exported = static_cast<const Storage&>(it).export_count.load() > 0;
    found.push_back({it.serial, it.site, it.bytes, is_exported});
  });
  return found;
}

/// The serials of the storages that graphs keep, sorted.
std::vector<std::uint64_t> saved_storages() {
  std::vector<std::uint64_t> saved;
  for (const Counted<GradNode>& node : living_nodes()) {
    node->for_each_kept(
        [&](const SavedTensor& kept) { saved.push_back(kept.tensor.storage()->serial); });
  }
  std::ranges::sort(saved);
  return saved;
}

template <class Key, class ToPython>
py::list rows_of(const std::map<Key, Figures>& groups, ToPython to_python) {
  py::list rows;
  for (const auto& [key, figures] : groups)
    rows.append(py::make_tuple(to_python(key), figures.count, figures.bytes));
  return rows;
}

py::list by_site() {
  std::map<Site, Figures> groups;
  const std::vector<CountedStorage> held =
      count_aliases(groups, [](const Alias& it) { return it.site; });
  add_bytes(held);
  for (const BareStorage& it : unheld(held)) groups[it.site].bytes += it.bytes;
  return rows_of(groups, [](Site site) { return site; });
}

py::list by_owner() {
  std::map<std::string_view, Figures> groups;
  const std::vector<CountedStorage> held =
      count_aliases(groups, [](const Alias& it) { return name_of(it.owner); });
  add_bytes(held);
  const std::vector<std::uint64_t> saved = saved_storages();
  for (const BareStorage& it : unheld(held)) {
    const bool is_saved = std::ranges::binary_search(saved, it.serial);
    groups[is_saved ? "GRAPH" : it.is_exported ? "EXPORT" : "NATIVE"].bytes += it.bytes;
  }
  return rows_of(groups, [](std::string_view name) { return std::string(name); });
}

py::list by_scope() {
  std::map<const DisposeScope*, Figures> groups;
  add_bytes(count_aliases(groups, [](const Alias& it) { return it.scope(); }));
  return rows_of(groups, [](const DisposeScope* scope) -> std::string {
    if (!scope) return "no scope";
    return scope->name().empty() ? "unnamed scope" : scope->name();
  });
}

py::list by_shape() {
  struct Shape {
    DType dtype;
    Dims sizes;
    bool operator==(const Shape& other) const {
      return dtype == other.dtype && sizes == other.sizes;
    }
    bool operator<(const Shape& other) const {
      if (dtype != other.dtype) return dtype < other.dtype;
      return std::ranges::lexicographical_compare(sizes, other.sizes);
    }
  };
  std::map<Shape, Figures> groups;
  add_bytes(count_aliases(groups, [](const Alias& it) {
    return Shape{it.tensor().dtype(), it.tensor().sizes()};
  }));
  return rows_of(groups, [](const Shape& it) { return text(name_of(it.dtype), it.sizes); });
}

py::list live_groups(std::string_view group) {
  if (group == "site") return by_site();
  if (group == "owner") return by_owner();
  if (group == "scope") return by_scope();
  return by_shape();
}

}  // namespace

void bind_live_groups(py::module_& m) {
  m.def("_live_groups", &live_groups, py::arg("group"),
        "Rows (key, tensors, bytes) of what lives, by \"site\", whose key is a number, \"owner\", "
        "\"scope\" or \"shape\". Scopes of one name have a row each.");
}

}  // namespace garboard::python
