// Binds the table of living graphs: filled from the registry, or with rows of another library.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "csrc/lifetime/registry.h"
#include "csrc/tensor/storage.h"
#include "python/bindings/lifetime/graph_table.h"
#include "python/bindings/lifetime/living_nodes.h"
#include "python/bindings/lifetime/node_ways.h"
#include "python/bindings/lifetime/unheld.h"
#include "python/bindings/tensor/tensor_object.h"
#include "python/bindings/wrapped/bindings.h"

namespace py = pybind11;

namespace garboard::python {
namespace {

using Serials = std::vector<std::uint64_t>;

void add_living_nodes(GraphTable& table, std::uint64_t since) {
  NodeWays ways;
  for (const Counted<GradNode>& node : living_nodes(since)) {
    ways.look_at(*node);
    table.add_node({.serial = node->serial,
                    .site = node->site,
                    .step = node->step,
                    .name = node->name,
                    .is_released = node->is_released,
                    .was_retained = node->was_retained,
                    .was_walked = was_walked(*node),
                    .saved_bytes = ways.saved_bytes,
                    .next = ways.next,
                    .saved = ways.saved,
                    .leaves = ways.leaves});
  }
}

GraphTable living_graphs(std::uint64_t node_since, std::uint64_t storage_since) {
  GraphTable table;
  add_living_nodes(table, node_since);
  registry().for_each_alias([&](Record& it) {
    const auto& alias = static_cast<const Alias&>(static_cast<const Disposable&>(it));
    if (alias.kind() != Disposable::Kind::tensor || alias.is_empty() || alias.is_deferred()) return;
    if (alias.owner != OwnerKind::python && alias.owner != OwnerKind::exported) return;
    if (const auto& node = alias.tensor().body()->grad_node)
      table.add_head(alias.serial, node->serial);
  });
  for (const BirthRow& it : unheld_storages(storage_since)) table.add_unheld(it);
  table.finish();
  return table;
}

using NodeTuple = std::tuple<std::uint64_t, std::uint64_t, std::uint32_t, std::string, bool, bool,
                             bool, std::int64_t, Serials, Serials, Serials>;

GraphTable told_graphs(
    const std::vector<NodeTuple>& nodes,
    const std::vector<std::pair<std::uint64_t, std::uint64_t>>& heads,
    const std::vector<std::tuple<std::uint64_t, std::uint64_t, std::uint32_t, std::int64_t>>&
        unheld) {
  GraphTable table;
  for (const auto& [serial, site, step, name, is_released, was_retained, was_walked, bytes, next,
                    saved, leaves] : nodes)
    table.add_node({.serial = serial,
                    .site = site,
                    .step = step,
                    .name = name,
                    .is_released = is_released,
                    .was_retained = was_retained,
                    .was_walked = was_walked,
                    .saved_bytes = bytes,
                    .next = next,
                    .saved = saved,
                    .leaves = leaves});
  for (const auto& [tensor, node] : heads) table.add_head(tensor, node);
  for (const auto& [serial, site, step, bytes] : unheld)
    table.add_unheld({serial, site, step, bytes});
  table.finish();
  return table;
}

py::list chains(GraphTable& table, std::size_t least_steps, std::uint64_t before) {
  py::list rows;
  for (const ChainRow& it : table.chains(least_steps, before)) {
    py::dict row;
    row["head"] = it.head;
    row["node"] = it.node;
    row["site"] = it.site;
    row["name"] = std::string(it.name);
    row["count"] = it.count;
    row["saved_bytes"] = it.saved_bytes;
    row["was_walked"] = it.was_walked;
    row["is_retained"] = it.is_retained;
    row["steps"] = py::cast(it.steps);
    row["link"] = py::frozenset(py::cast(it.link));
    rows.append(row);
  }
  return rows;
}

py::tuple behind(GraphTable& table, const Serials& nodes) {
  const BehindRow row = table.behind(nodes);
  return py::make_tuple(row.count, row.saved_bytes, row.leaf_bytes, row.is_retained, row.names);
}

py::list births(const std::vector<BirthRow>& found) {
  py::list rows;
  for (const BirthRow& it : found)
    rows.append(py::make_tuple(it.serial, it.site, it.step, it.bytes));
  return rows;
}

py::list groups(const std::vector<BirthGroup>& found) {
  py::list rows;
  for (const BirthGroup& it : found)
    rows.append(py::make_tuple(it.site, it.step, it.count, it.bytes));
  return rows;
}

}  // namespace

void bind_living_graphs(py::module_& m) {
  py::class_<GraphTable>(m, "_GraphTable", "Graphs as numbers; keeps nothing alive.")
      .def(py::init(&told_graphs), py::arg("nodes"), py::arg("heads"), py::arg("unheld"))
      .def("__len__", &GraphTable::size)
      .def("steps", &GraphTable::steps)
      .def("set_steps", &GraphTable::set_steps, py::arg("numbers"))
      .def("chains", &chains, py::arg("least_steps"), py::arg("before"))
      .def("behind", &behind, py::arg("nodes"))
      .def("saved_among", &GraphTable::saved_among, py::arg("storages"))
      .def(
          "headless",
          [](GraphTable& it, const Serials& nodes) { return births(it.headless(nodes)); },
          py::arg("nodes"))
      .def("unheld", &GraphTable::unheld)
      .def(
          "unheld_among",
          [](const GraphTable& it, Serials storages) {
            return births(it.unheld_among(std::move(storages)));
          },
          py::arg("storages"))
      .def(
          "unexplained",
          [](GraphTable& it, const Serials& nodes, Serials storages) {
            return it.unexplained(nodes, std::move(storages));
          },
          py::arg("carried_nodes"), py::arg("carried_storages"))
      .def(
          "count_nodes",
          [](const GraphTable& it, const Serials& nodes) { return groups(it.count_nodes(nodes)); },
          py::arg("nodes"))
      .def(
          "count_unheld",
          [](const GraphTable& it, Serials storages) {
            return groups(it.count_unheld(std::move(storages)));
          },
          py::arg("storages"));
  m.def("_living_graphs", &living_graphs, py::arg("node_since"), py::arg("storage_since"),
        "The table of the graph nodes and unheld storages that live, of these serials and later.");
}

}  // namespace garboard::python
