// Binds the registry: what lives, where it was born, and the stack that opens scopes.
#include "csrc/lifetime/registry.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "csrc/core/text.h"
#include "csrc/tensor/grad_node.h"
#include "csrc/tensor/storage.h"
#include "python/bindings/context/scope_stack.h"
#include "python/bindings/interpreter/birth_site.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/file_names.h"
#include "python/bindings/lifetime/living_nodes.h"
#include "python/bindings/lifetime/node_ways.h"
#include "python/bindings/tensor/packed_sequence.h"
#include "python/bindings/tensor/tensor_object.h"
#include "python/bindings/types/scope_object.h"
#include "python/bindings/wrapped/bindings.h"

namespace py = pybind11;

namespace garboard::python {
namespace {

py::tuple site_tuple(Site site) {
  const SiteText text = text_of(site);
  return py::make_tuple(text.file, text.line, text.function);
}

const Alias& checked_alias(py::handle object) {
  if (!is_tensor(object.ptr()))
    throw_type_error("registry: an object of type %s; a Tensor is needed",
                     Py_TYPE(object.ptr())->tp_name);
  return alias_of(object.ptr());
}

/// "cpu", "cuda:0", ...: in words once, for a watch asks at every step. Leaked; under the GIL.
const std::string& name_of_slot(int slot) {
  static auto* const names = new std::array<std::string, max_devices>;
  std::string& name = (*names)[static_cast<std::size_t>(slot)];
  if (name.empty()) name = text(Device::at_slot(slot));
  return name;
}

py::tuple live_counts() {
  const LiveCounts counts = registry().live();
  py::dict bytes, foreign;
  for (int slot = 0; slot < max_devices; ++slot) {
    const auto at = static_cast<std::size_t>(slot);
    if (slot == 0 || counts.bytes[at]) bytes[name_of_slot(slot).c_str()] = counts.bytes[at];
    if (counts.foreign_bytes[at]) foreign[name_of_slot(slot).c_str()] = counts.foreign_bytes[at];
  }
  return py::make_tuple(counts.aliases, counts.storages, counts.nodes, bytes, foreign);
}

std::int64_t live_bytes() {
  const LiveCounts counts = registry().live();
  return std::accumulate(counts.bytes.begin(), counts.bytes.end(), std::int64_t{0});
}

/// Visits the live aliases that `is_asked_for(alias)` lets through, oldest first.
template <class IsAskedFor, class Visit>
void for_each_living(IsAskedFor is_asked_for, Visit visit) {
  registry().for_each_alias([&](Record& record) {
    const auto& it = static_cast<const Disposable&>(record);
    if (it.kind() != Disposable::Kind::tensor || it.is_empty()) return;
    if (is_asked_for(static_cast<const Alias&>(it))) visit(static_cast<const Alias&>(it));
  });
}

/// References to the live tensors that `is_asked_for(alias)` lets through, oldest first. References
/// first: making rows may run Python, which may end aliases.
template <class IsAskedFor>
std::vector<py::object> living_tensors(IsAskedFor is_asked_for) {
  std::vector<py::object> held;
  for_each_living(is_asked_for, [&](const Alias& it) {
    if (PyObject* const object = object_of(it))
      held.push_back(py::reinterpret_steal<py::object>(object));
  });
  return held;
}

/// Births of one line, in their order, of which some are to stand for all: the newest half of
/// `most`, and of the older ones as many, evenly apart.
struct Sample {
  std::uint32_t count = 0, seen = 0, waiting = 0;

  /// What the next one stands for: itself and those before it that were left out; 0: it is left
  /// out, too.
  std::uint32_t weigh(std::uint32_t most) {
    const std::uint32_t half = (most + 1) / 2;
    const std::uint32_t younger = count - ++seen;
    ++waiting;
    if (count > most && younger >= half) {
      const std::uint32_t apart = (count - half + half - 1) / half;
      if ((younger - half) % apart != 0) return 0;
    }
    return std::exchange(waiting, 0);
  }
};

constexpr std::uint32_t least_of_line = 64;  // what each line has, however many lines there are

/// One row a live alias, oldest first: of all, of those with some serials, or of those over some
/// storages; about `most` in all, where that is not 0, and of no line too few.
py::list aliases(std::uint64_t since, std::optional<std::vector<std::uint64_t>> serials,
                 std::optional<std::vector<std::uint64_t>> storages, std::uint32_t most) {
  for (auto* const asked : {&serials, &storages}) {
    if (*asked) std::ranges::sort(**asked);
  }
  const auto is_asked_for = [&](const Alias& it) {
    if (it.serial < since) return false;
    if (serials && !std::ranges::binary_search(*serials, it.serial)) return false;
    return !storages || std::ranges::binary_search(*storages, it.tensor().storage()->serial);
  };
  std::vector<Sample> samples(most ? site_count() + 1 : 0);
  std::uint32_t lines = 0;
  if (most)
    for_each_living(is_asked_for, [&](const Alias& it) { lines += samples[it.site].count++ == 0; });
  const std::uint32_t most_of_line = std::max(least_of_line, most / std::max(lines, 1u));
  std::vector<std::pair<py::object, std::uint32_t>> held;
  for_each_living(is_asked_for, [&](const Alias& it) {
    const std::uint32_t weight = most ? samples[it.site].weigh(most_of_line) : 1;
    if (PyObject* const object = weight ? object_of(it) : nullptr)
      held.emplace_back(py::reinterpret_steal<py::object>(object), weight);
  });
  py::list rows;
  for (const auto& [object, weight] : held) {
    const Alias& alias = alias_of(object.ptr());
    if (alias.is_empty()) continue;
    const Tensor tensor = alias.tensor();  // a share: what runs meanwhile may dispose the alias
    const Dims sizes = tensor.sizes();
    py::dict row;
    row["tensor"] = object;
    row["serial"] = alias.serial;
    row["site"] = alias.site;
    row["step"] = alias.step;
    row["thread"] = alias.thread;
    row["owner"] = std::string(name_of(alias.owner));
    row["scope"] = py::reinterpret_steal<py::object>(scope_object(alias.scope()));
    row["shape"] = py::tuple(py::cast(std::vector<std::int64_t>(sizes.begin(), sizes.end())));
    row["dtype"] = std::string(name_of(tensor.dtype()));
    row["device"] = text(tensor.device());
    row["nbytes"] = tensor.nbytes();
    row["requires_grad"] = tensor.requires_grad();
    row["storage"] = tensor.storage()->serial;
    row["node"] = tensor.body()->grad_node ? tensor.body()->grad_node->serial : 0;
    row["is_view"] = static_cast<bool>(tensor.body()->base);
    row["weight"] = weight;
    row["moved_at"] = alias.moved_at;
    rows.append(row);
  }
  return rows;
}

std::vector<py::object> tensors_of_class(const py::type& kind) {
  auto* const type = reinterpret_cast<PyTypeObject*>(kind.ptr());
  std::vector<py::object> held = living_tensors([](const Alias&) { return true; });
  std::erase_if(held, [&](const py::object& it) { return !PyObject_TypeCheck(it.ptr(), type); });
  return held;
}

std::size_t alias_count(std::uint64_t since) {
  std::size_t count = 0;
  for_each_living([&](const Alias& it) { return it.serial >= since; },
                  [&](const Alias&) { ++count; });
  return count;
}

std::vector<std::uint64_t> alias_serials(std::uint64_t since) {
  std::vector<std::uint64_t> found;
  registry().for_each_alias([&](Record& it) {
    const auto& alias = static_cast<const Disposable&>(it);
    if (it.serial >= since && alias.kind() == Disposable::Kind::tensor && !alias.is_empty())
      found.push_back(it.serial);
  });
  return found;
}

/// One row a live storage, oldest first: of all, or of those with some serials.
py::list storages(std::uint64_t since, std::optional<std::vector<std::uint64_t>> among) {
  if (among) std::ranges::sort(*among);
  struct Row {
    std::uint64_t serial;
    Site site;
    std::uint32_t step, thread, exports;
    std::int64_t bytes;
    Device device;
    bool is_foreign;
  };
  std::vector<Row> found;
  found.reserve(static_cast<std::size_t>(registry().live().storages) + 256);
  registry().for_each_storage([&](const StorageRecord& it) {
    if (it.serial < since || found.size() == found.capacity()) return;
    if (among && !std::ranges::binary_search(*among, it.serial)) return;
    const auto& storage = static_cast<const Storage&>(it);
    found.push_back({it.serial, it.site, it.step, it.thread, storage.export_count.load(), it.bytes,
                     it.device, it.is_foreign});
  });
  py::list rows;
  for (const Row& it : found) {
    py::dict row;
    row["serial"] = it.serial;
    row["site"] = it.site;
    row["step"] = it.step;
    row["thread"] = it.thread;
    row["bytes"] = it.bytes;
    row["device"] = text(it.device);
    row["is_foreign"] = it.is_foreign;
    row["exports"] = it.exports;
    rows.append(row);
  }
  return rows;
}

/// The nodes that saved a tensor's storage, and the exports of it.
py::tuple storage_keepers(py::handle tensor) {
  const Counted<Storage> storage = tensor_of(tensor.ptr(), "who_holds").storage();
  std::vector<Counted<GradNode>> keepers;
  for (const Counted<GradNode>& node : living_nodes()) {
    bool keeps = false;
    node->for_each_kept(
        [&](const SavedTensor& kept) { keeps |= kept.tensor.storage() == storage; });
    if (keeps) keepers.push_back(node);
  }
  py::list rows;
  for (const Counted<GradNode>& node : keepers)
    rows.append(py::make_tuple(node->name, node->serial, node->site));
  return py::make_tuple(rows, storage->export_count.load());
}

/// One row a live graph node: its op, birth, what it saved, and the nodes its edges lead to.
py::list nodes(std::uint64_t since) {
  py::list rows;
  NodeWays ways;
  for (const Counted<GradNode>& node : living_nodes(since)) {
    py::dict row;
    row["serial"] = node->serial;
    row["site"] = node->site;
    row["step"] = node->step;
    row["thread"] = node->thread;
    row["name"] = node->name;
    row["is_released"] = node->is_released;
    row["was_retained"] = node->was_retained;
    row["was_walked"] = was_walked(*node);
    ways.look_at(*node);
    row["next"] = py::cast(ways.next);
    row["saved_storages"] = py::cast(ways.saved);
    row["leaf_storages"] = py::cast(ways.leaves);
    row["saved_bytes"] = ways.saved_bytes;
    rows.append(row);
  }
  return rows;
}

}  // namespace

void bind_registry(py::module_& m) {
  m.def("_live_counts", &live_counts,
        "(aliases, storages, nodes, bytes by device, foreign bytes by device).");
  m.def("_live_bytes", &live_bytes, "The living bytes of all devices.");
  m.def("_aliases", &aliases, py::arg("since") = 0, py::arg("serials") = py::none(),
        py::arg("storages") = py::none(), py::arg("most") = 0,
        "Rows of the live aliases, oldest first: of all, of those of these serials, or over "
        "storages of these. About `most`, where that is not 0: of each line the newest "
        "and some of the others; the weight of a row tells how many aliases it stands for.");
  m.def("_alias_count", &alias_count, py::arg("since") = 0,
        "How many aliases live that were born since a serial.");
  m.def("_alias_serials", &alias_serials, py::arg("since") = 0,
        "The serials of the live aliases, oldest first.");
  m.def("_tensors_of_class", &tensors_of_class, py::arg("kind"),
        "The live tensors of a class, oldest first.");
  m.def("_storages", &storages, py::arg("since") = 0, py::arg("among") = py::none(),
        "Rows of the live storages, oldest first: of all, or of those with these serials.");
  m.def("_nodes", &nodes, py::arg("since") = 0, "Rows of the live graph nodes, oldest first.");
  m.def("_storage_keepers", &storage_keepers, py::arg("tensor"),
        "(rows (op, serial, site) of the graph nodes that saved its storage, exports of it).");
  m.def(
      "_next_serials",
      [] {
        return py::make_tuple(registry().next_alias_serial(), registry().next_storage_serial(),
                              registry().next_node_serial());
      },
      "The serials the next alias, storage and node will have.");
  m.def("_site", &site_tuple, py::arg("site"), "(file, line, function) of an interned birth site.");
  m.def("_site_count", &site_count, "How many sites are interned: lines of a file and function.");
  m.def("_add_library_path", &add_library_path, py::arg("prefix"),
        "Code below this path is the library's: births are booked to its caller.");
  m.def(
      "_name_files_by", [](py::handle namer) { name_files_by(namer.ptr()); }, py::arg("namer"),
      "Messages call a file what namer(file) returns.");
  m.def(
      "_birth",
      [](py::handle tensor) {
        const Alias& alias = checked_alias(tensor);
        return py::make_tuple(alias.serial, alias.site, alias.step, alias.thread);
      },
      py::arg("tensor"), "(serial, site, step, thread) of an alias.");
  m.def(
      "_advance_birth_step", [] { return birth_step.fetch_add(1); },
      "What is born from now on belongs to the step after the one that is returned.");
  m.def(
      "current_dispose_scope",
      [] { return py::reinterpret_steal<py::object>(scope_object(current_scope())); },
      R"(Return the innermost open scope of this thread or asyncio task.

Returns:
    A DisposeScope; None outside every scope.

>>> with gb.dispose_scope() as scope:
...     gb.current_dispose_scope() == scope
True
)");
  m.def(
      "_scope_of",
      [](py::handle tensor) {
        const Disposable* const it = disposable_of(tensor.ptr());
        return py::reinterpret_steal<py::object>(
            scope_object((it ? *it : checked_alias(tensor)).scope()));
      },
      py::arg("tensor"), "The scope that will end an alias or a packed sequence, or None.");
  m.def(
      "_require_living",
      [](py::handle tensor, const char* op) { living_disposable(tensor.ptr(), op, "input"); },
      py::arg("tensor"), py::arg("op"), "Raise DisposedError in the name of `op` after the end.");
}

}  // namespace garboard::python
