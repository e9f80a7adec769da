// Binds what a Python `Function` needs: its call becomes a node, its saved tensors are the node's.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <set>
#include <string>

#include "csrc/autograd/custom_function.h"
#include "csrc/autograd/graph_survey.h"
#include "csrc/core/error.h"
#include "csrc/ops/random/random.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/tensor/packed_tensors.h"
#include "python/bindings/tensor/python_held.h"
#include "python/bindings/tensor/python_rule.h"
#include "python/bindings/wrapped/bindings.h"
#include "python/bindings/wrapped/tensor_caster.h"

namespace py = pybind11;

namespace garboard::python {
namespace {

/// What a context has of its node, to Python: an object without anything.
py::capsule capsule_of(const Counted<NodeOfRule>& place) {
  return {new Counted<NodeOfRule>(place),
          [](void* held) { delete static_cast<Counted<NodeOfRule>*>(held); }};
}

/// Names of nodes never end; there are as many as classes.
const char* interned(const std::string& name) {
  static auto& names = *new std::set<std::string>;
  return names.insert(name).first->c_str();
}

/// A share of a tensor; an empty one of anything else.
Tensor tensor_in(py::handle object, const char* op, const std::string& what) {
  return is_tensor(object.ptr()) ? tensor_of(object.ptr(), op, what.c_str()) : Tensor();
}

std::vector<Tensor> tensors_in(const py::tuple& objects, const char* op, const char* what) {
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < objects.size(); ++i)
    tensors.push_back(tensor_in(py::handle(PyTuple_GET_ITEM(objects.ptr(), Py_ssize_t(i))), op,
                                text(what, " ", i)));
  return tensors;
}

bool is_among(const std::vector<Tensor>& tensors, const Tensor& tensor) {
  return tensor && std::ranges::find(tensors, tensor) != tensors.end();
}

CustomCall call_of(const char* name, const py::tuple& arguments, const py::tuple& outputs,
                   const py::tuple& saved, const py::tuple& dirty,
                   const py::tuple& without_gradient) {
  CustomCall call{.name = name,
                  .inputs = tensors_in(arguments, name, "argument"),
                  .outputs = {},
                  .saved = tensors_in(saved, name, "saved tensor")};
  const std::vector<Tensor> written = tensors_in(dirty, name, "dirty tensor");
  const std::vector<Tensor> constant = tensors_in(without_gradient, name, "output");
  const std::vector<Tensor> given = tensors_in(outputs, name, "output");
  for (const Tensor& tensor : given)
    call.outputs.push_back({.tensor = tensor,
                            .is_dirty = is_among(written, tensor),
                            .has_gradient = !is_among(constant, tensor)});
  for (const Tensor& tensor : written) {
    if (!is_among(call.inputs, tensor))
      throw GradientError(text(name,
                               ": mark_dirty() of what is no argument of forward; only an "
                               "argument that forward writes is marked"));
    if (!is_among(given, tensor))
      throw GradientError(text(name,
                               ": an argument that was marked by mark_dirty() is not "
                               "returned; what forward writes it must return"));
  }
  return call;
}

/// Outputs as forward gave them, with the tensors in `results` in their places.
py::tuple outputs_in_place_of(const py::tuple& given, const CustomCall& call,
                              std::vector<Tensor> results) {
  py::tuple made(given.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    const bool is_as_given = results[i] == call.outputs[i].tensor;
    made[i] = is_as_given
                  ? py::reinterpret_borrow<py::object>(PyTuple_GET_ITEM(given.ptr(), Py_ssize_t(i)))
                  : py::reinterpret_steal<py::object>(checked(wrap(std::move(results[i]))));
  }
  return made;
}

/// (outputs, what the context keeps for its saved tensors or None)
py::tuple record_function(const py::object& context, const std::string& name,
                          const py::tuple& arguments, const py::tuple& outputs,
                          const py::tuple& saved, const py::tuple& dirty,
                          const py::tuple& without_gradient, bool materializes, bool is_recorded) {
  const CustomCall call =
      call_of(interned(name), arguments, outputs, saved, dirty, without_gradient);
  if (!is_recorded)
    return py::make_tuple(outputs_in_place_of(outputs, call, unrecorded_outputs(call)), py::none());
  const Counted<PythonRule> rule(new PythonRule(context.ptr(), call, materializes));
  Counted<GradNode> node;
  std::vector<Tensor> results = record_custom(call, Counted<ForeignRule>(rule.get()), node);
  rule->place()->node = node.get();
  return py::make_tuple(outputs_in_place_of(outputs, call, std::move(results)),
                        capsule_of(rule->place()));
}

/// Fresh aliases, None where None was saved.
py::tuple saved_tensors(const py::capsule& saved, const std::string& name) {
  const Counted<NodeOfRule> place = *saved.get_pointer<Counted<NodeOfRule>>();
  if (!place->node)
    throw GradientError(text(name,
                             ": saved_tensors were freed by a backward pass, or with their "
                             "graph; give retain_graph=True to all passes but the last"));
  const Counted<GradNode> node(place->node);
  const std::size_t count = node->foreign()->saved_outputs.size();
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < count; ++i) tensors.push_back(saved_of(*node, static_cast<int>(i)));
  return py::tuple(py::cast(tensors));
}

/// What nodes hold of Python: contexts, hooks, packed tensors. Nothing that Python holds leads
/// there.
py::list held_by_graphs() {
  std::vector<py::object> found;
  if (PythonHeld::count() > 0) {
    std::vector<Counted<GradNode>> nodes;  // shares first, as making objects may run anything
    nodes.reserve(static_cast<std::size_t>(registry().live().nodes) + 64);
    registry().for_each_node([&](NodeRecord& it) {
      auto& node = static_cast<GradNode&>(it);
      if (nodes.size() < nodes.capacity() && node.share_count() > 0) nodes.emplace_back(&node);
    });
    const auto collect = [](PyObject* object, void* to) -> int {
      static_cast<std::vector<py::object>*>(to)->push_back(
          py::reinterpret_borrow<py::object>(object));
      return 0;
    };
    for (const Counted<GradNode>& node : nodes) {
      for (Foreign* const it : GraphSurvey::Thing{nullptr, node.get()}.foreign()) {
        if (const auto* const held = dynamic_cast<const PythonHeld*>(it))
          held->visit(collect, &found);
      }
    }
  }
  return py::list(py::cast(found));
}

}  // namespace

void bind_custom_functions(py::module_& m) {
  m.def("_record_function", &record_function, py::arg("context"), py::arg("name"),
        py::arg("arguments"), py::arg("outputs"), py::arg("saved"), py::arg("dirty"),
        py::arg("without_gradient"), py::arg("materializes"), py::arg("is_recorded"),
        py::call_guard<BirthStamp>(), "Make a node of a call of a Function.");
  m.def("_held_by_graphs", &held_by_graphs,
        "What nodes of graphs hold of Python: contexts of functions, hooks, packed tensors.");
  m.def(
      "_generator_state",
      [] {
        const GeneratorState state = Generator::standard().state();
        return py::make_tuple(state.seed, state.offset);
      },
      "Where the default generator stands.");
  m.def(
      "_set_generator_state",
      [](std::uint64_t seed, std::uint64_t offset) {
        Generator::standard().set_state({seed, offset});
      },
      py::arg("seed"), py::arg("offset"), "Put the default generator there.");
  m.def(
      "_set_packing_hooks", [](const py::object& innermost) { set_packing_hooks(innermost.ptr()); },
      py::arg("innermost"), "Who is asked for (pack, unpack) where what nodes keep is packed.");
  m.def("_saved_tensors", &saved_tensors, py::arg("saved"), py::arg("name"),
        py::call_guard<BirthStamp>(), "What a context has saved, from its node.");
}

}  // namespace garboard::python
