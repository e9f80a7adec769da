// Binds backward passes and the look at a graph.
#include "csrc/autograd/engine.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_set>

#include "csrc/core/error.h"
#include "csrc/lifetime/registry.h"
#include "csrc/ops/op/record.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/items.h"
#include "python/bindings/tensor/anchors.h"
#include "python/bindings/tensor/deferred.h"
#include "python/bindings/tensor/graph_node.h"
#include "python/bindings/tensor/node_hooks.h"
#include "python/bindings/tensor/python_rule.h"
#include "python/bindings/tensor/tensor_object.h"
#include "python/bindings/wrapped/bindings.h"
#include "python/bindings/wrapped/tensor_caster.h"

namespace py = pybind11;

namespace garboard::python {
namespace {

void let_the_collector_look_behind_handles(PyHeapTypeObject* type) {
  type->ht_type.tp_flags |= Py_TPFLAGS_HAVE_GC;
  type->ht_type.tp_traverse = [](PyObject* self, visitproc visit, void* arg) -> int {
    Py_VISIT(Py_TYPE(self));
    auto* const instance = reinterpret_cast<py::detail::instance*>(self);
    const auto* const handle = instance->get_value_and_holder().value_ptr<GraphNode>();
    return handle ? traverse_mirror(*handle, visit, arg) : 0;
  };
}

template <bool is_before>
py::object add_hook_to_node(const GraphNode& it, const py::object& hook) {
  const GraphNode held = it;
  return py::reinterpret_steal<py::object>(
      add_node_hook(*held.node, hook.ptr(), is_before).release());
}

/// The object of a leaf; one more where Python has let go of it.
py::object object_of_leaf(const Tensor& leaf) {
  PyObject* found = nullptr;
  registry().for_each_alias([&](Record& it) {
    const auto& alias = static_cast<const Disposable&>(it);
    if (found || alias.kind() != Disposable::Kind::tensor || alias.is_empty()) return;
    if (static_cast<const Alias&>(alias).tensor().body() == leaf.body()) found = object_of(alias);
  });
  return found ? py::reinterpret_steal<py::object>(found) : py::cast(leaf);
}

/// Pairs as PyTorch's: where the gradient of each input goes, and to which of its outputs; every
/// node has one.
py::tuple next_functions(const GraphNode& it) {
  std::vector<Edge> edges;  // shares first: making objects may run anything
  for (const Edge& edge : it.node->edges()) edges.push_back(edge);
  py::list pairs;
  for (const Edge& edge : edges) {
    py::object next = py::none();
    if (edge.node)
      next = py::cast(GraphNode(edge.node));
    else if (edge.leaf)
      next = py::module_::import("garboard.autograd._leaves")
                 .attr("AccumulateGrad")(object_of_leaf(edge.leaf));
    pairs.append(py::make_tuple(next, 0));
  }
  return py::tuple(pairs);
}

/// What the context of a `Function` has by that name: PyTorch's context is the node itself.
py::object attribute_of(const GraphNode& it, const py::str& name) {
  const auto* const rule = dynamic_cast<PythonRule*>(it.node->foreign());
  if (rule) return py::reinterpret_borrow<py::object>(rule->context()).attr(name);
  throw py::attribute_error(
      text("the graph's node of ", it.node->name, " has no attribute '", std::string(name), "'",
           it.node->is_released ? "; a backward pass has freed what it kept, give "
                                  "retain_graph=True to all passes but the last"
                                : ""));
}

py::object node_of(const Tensor& tensor) {
  const Edge edge = edge_of(tensor);
  if (!edge.node) return py::none();
  return py::cast(GraphNode(edge.node));
}

enum class None : std::uint8_t { refused, is_empty };

/// Shares of the tensors in a list. Raises TypeError, and DisposedError with the argument's name.
std::vector<Tensor> tensors_of(const py::list& given, const char* op, const char* argument,
                               None none = None::refused) {
  const Items items(given.ptr(), op, argument);
  std::vector<Tensor> tensors;
  for (Py_ssize_t i = 0; i < items.size(); ++i) {
    const Ref held = items[i];
    PyObject* const item = held.get();
    const auto name = [&] { return text("item ", i, " of ", argument); };
    if (item == Py_None && none == None::is_empty) {
      tensors.emplace_back();
    } else if (!is_tensor(item)) {
      throw_type_error("%s: %s is of type %s; a Tensor is needed", op, name().c_str(),
                       Py_TYPE(item)->tp_name);
    } else if (alias_of(item).is_empty()) {
      tensors.push_back(tensor_of(item, op, name().c_str()));
    } else {
      tensors.push_back(alias_of(item).tensor());
    }
  }
  return tensors;
}

/// A dict that ends with the walk.
struct NotesInDict final : WalkNotes {
  py::dict dict;
};

py::object walk_notes() {
  WalkUnderWay* const walk = WalkUnderWay::innermost();
  if (!walk) return py::none();
  if (!walk->notes) walk->notes = std::make_unique<NotesInDict>();
  return static_cast<NotesInDict&>(*walk->notes).dict;
}

std::size_t count_in_walk(const py::list& tables) {
  const WalkUnderWay* const walk = WalkUnderWay::innermost();
  std::unordered_set<const PyObject*> called;
  if (walk)
    for (const GradientHooks* hooks : walk->hooks()) called.insert(anchor_of(*hooks));
  return static_cast<std::size_t>(std::ranges::count_if(
      tables, [&](py::handle table) { return called.contains(table.ptr()); }));
}

}  // namespace

void bind_autograd(py::module_& m) {
  m.def("_walk_notes", walk_notes,
        "What hooks keep with the backward pass that calls them; None beyond backward passes.");
  m.def("_count_in_walk", count_in_walk, py::arg("tables"),
        "How many of these tables of tensors' hooks the backward pass under way calls.");
  m.def(
      "_backward",
      [](const py::list& tensors, const py::list& gradients, bool retain_graph, bool create_graph,
         const std::optional<py::list>& inputs) {
        settle_all(Threads::all);  // what reads a `.grad`
        const std::vector<Tensor> outputs = tensors_of(tensors, "backward", "tensors");
        const std::vector<Tensor> given =
            tensors_of(gradients, "backward", "grad_tensors", None::is_empty);
        const WalkOptions options{.retain_graph = retain_graph, .create_graph = create_graph};
        if (inputs) {
          backward(outputs, given, tensors_of(*inputs, "backward", "inputs"), options);
        } else {
          backward(outputs, given, options);
        }
      },
      py::arg("outputs"), py::arg("gradients"), py::arg("retain_graph"), py::arg("create_graph"),
      py::arg("inputs"), py::call_guard<BirthStamp>(),
      "Run one backward pass from several outputs.");
  m.def(
      "_grad",
      [](const py::list& outputs, const py::list& gradients, const py::list& inputs,
         bool retain_graph, bool create_graph) {
        return gradients_of(tensors_of(outputs, "grad", "outputs"),
                            tensors_of(gradients, "grad", "grad_outputs", None::is_empty),
                            tensors_of(inputs, "grad", "inputs"),
                            {.retain_graph = retain_graph, .create_graph = create_graph});
      },
      py::arg("outputs"), py::arg("gradients"), py::arg("inputs"), py::arg("retain_graph"),
      py::arg("create_graph"), py::call_guard<BirthStamp>(),
      "Gradients of outputs for inputs alone; None for an input they do not depend on.");
  py::class_<GraphNode>(m, "GraphNode",
                        py::custom_type_setup(let_the_collector_look_behind_handles),
                        R"(A recorded op: a node of a graph, which is kept alive.

That of a `Function` also has what its context has, until a backward pass frees it.)")
      .def(
          "name", [](const GraphNode& it) { return it.node->name; }, R"(Return the op's name.

>>> x = gb.ones(2, requires_grad=True)
>>> (x * 2).grad_fn.name()
'mul'
)")
      .def_property_readonly(
          "serial", [](const GraphNode& it) { return it.node->serial; },
          "Its number among the nodes, in the order in which they were recorded.")
      .def_property_readonly(
          "is_released", [](const GraphNode& it) { return it.node->is_released; },
          "True once a backward pass has freed what the node kept.")
      .def_property_readonly(
          "next_functions", next_functions,
          R"(Where the gradients of the inputs go: a tuple of pairs, in their order.

Each is of the node that computed the input, or an AccumulateGrad whose `variable` is the leaf, or
None where there is no gradient; and 0, for a node has one output. Empty once a backward pass has
freed the graph.

>>> x = gb.ones(2, requires_grad=True)
>>> (x * 2).exp().grad_fn.next_functions[0][0].name()
'mul'
>>> (x * 2).grad_fn.next_functions[0][0].variable is x
True
)")
      .def_property_readonly(
          "metadata",
          [](const GraphNode& it) {
            const GraphNode held = it;
            return py::reinterpret_steal<py::dict>(metadata_of(*held.node).release());
          },
          "A dict for notes of one's own, which lives as long as the node.")
      .def("register_hook", &add_hook_to_node<false>, py::arg("hook"),
           R"(Call a function when a backward pass has been through this node.

Args:
    hook: Called with two tuples, the gradients of the inputs and those of the outputs, None where
        there is none; a tuple that it returns takes the place of the first.

Returns:
    A handle, whose `remove()` takes the hook off again.

Raises:
    GradientError: A backward pass has freed the graph.
    TypeError: The hook cannot be called.

>>> x = gb.ones(1, requires_grad=True)
>>> y = x * 3
>>> handle = y.grad_fn.register_hook(lambda of_inputs, of_outputs: print(of_inputs, of_outputs))
>>> y.backward()
(tensor([3.]), None) (tensor([1.]),)
)")
      .def("register_prehook", &add_hook_to_node<true>, py::arg("hook"),
           R"(Call a function when a backward pass comes to this node.

Args:
    hook: Called with a tuple, the gradients of the outputs; a tuple that it returns takes its
        place.

Returns:
    A handle, whose `remove()` takes the hook off again.

Raises:
    GradientError: A backward pass has freed the graph.
    TypeError: The hook cannot be called.

>>> x = gb.ones(1, requires_grad=True)
>>> y = x * 3
>>> handle = y.grad_fn.register_prehook(lambda gradients: (gradients[0] * 2,))
>>> y.backward()
>>> x.grad
tensor([6.])
)")
      .def("__getattr__", attribute_of)
      .def("__eq__",
           [](const GraphNode& it, const py::object& other) {
             return py::isinstance<GraphNode>(other) && other.cast<GraphNode>().node == it.node;
           })
      .def("__hash__", [](const GraphNode& it) { return std::hash<GradNode*>()(it.node.get()); })
      .def("__repr__", [](const GraphNode& it) {
        return text("<GraphNode ", it.node->name, " #", it.node->serial,
                    it.node->is_released ? ", released>" : ">");
      });
  py::setattr(reinterpret_cast<PyObject*>(tensor_type), "grad_fn",
              py::module_::import("builtins")
                  .attr("property")(
                      py::cpp_function(&node_of), py::none(), py::none(),
                      "The recorded op that computed the tensor, a GraphNode; None of a leaf."));
}

}  // namespace garboard::python
