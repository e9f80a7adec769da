// Binds one optimizer's state and its step over all parameters.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "csrc/lifetime/op_profile.h"
#include "csrc/ops/optimizer_steps.h"
#include "python/bindings/bindings.h"
#include "python/bindings/tensor_caster.h"

namespace py = pybind11;

namespace garboard::python {
namespace {

/// The tensors of an optimizer for one group of parameters, held outside every scope. Its lists
/// stand beside the parameters; an empty tensor is state that has not been needed yet.
struct SgdState {
  std::vector<Tensor> velocities;
};
struct AdamState {
  std::vector<Tensor> means, squares;
  std::vector<std::int64_t> steps;
};

py::list as_aliases(const std::vector<Tensor>& tensors) {
  const BirthStamp stamp;
  py::list list;
  for (const Tensor& tensor : tensors) {
    if (!tensor) {
      list.append(py::none());
      continue;
    }
    list.append(
        py::reinterpret_steal<py::object>(wrap_outside_scopes(tensor, OwnerKind::optimizer)));
  }
  return list;
}

}  // namespace

void bind_optimizers(py::module_& m) {
  py::class_<SgdState>(m, "SgdState", "The velocities of one parameter group.")
      .def(py::init<>())
      .def(
          "step",
          [](SgdState& state, const std::vector<Tensor>& parameters, double learning_rate,
             double momentum, double dampening, double weight_decay, bool nesterov) {
            const OpProfile::MaybeOp op("sgd_step");
            sgd_step(parameters, {learning_rate, momentum, dampening, weight_decay, nesterov},
                     state.velocities);
          },
          py::arg("parameters"), py::kw_only(), py::arg("lr"), py::arg("momentum"),
          py::arg("dampening"), py::arg("weight_decay"), py::arg("nesterov"),
          py::call_guard<BirthStamp>(), "Update every parameter that has a gradient, in place.")
      .def_property(
          "velocities", [](const SgdState& state) { return as_aliases(state.velocities); },
          [](SgdState& state, std::vector<Tensor> given) { state.velocities = std::move(given); },
          "Aliases of the velocities, None where there is none yet.")
      .def(
          "clear", [](SgdState& state) { state = {}; }, "Let go of every tensor.");
  py::class_<AdamState>(m, "AdamState", "The moments of one parameter group.")
      .def(py::init<>())
      .def(
          "step",
          [](AdamState& state, const std::vector<Tensor>& parameters, double learning_rate,
             double beta1, double beta2, double epsilon, double weight_decay, bool decoupled) {
            const OpProfile::MaybeOp op("adam_step");
            adam_step(parameters, {learning_rate, beta1, beta2, epsilon, weight_decay, decoupled},
                      state.means, state.squares, state.steps);
          },
          py::arg("parameters"), py::kw_only(), py::arg("lr"), py::arg("beta1"), py::arg("beta2"),
          py::arg("eps"), py::arg("weight_decay"), py::arg("decoupled"),
          py::call_guard<BirthStamp>(), "Update every parameter that has a gradient, in place.")
      .def_property(
          "means", [](const AdamState& state) { return as_aliases(state.means); },
          [](AdamState& state, std::vector<Tensor> given) { state.means = std::move(given); },
          "Aliases of the first moments, None where there is none yet.")
      .def_property(
          "squares", [](const AdamState& state) { return as_aliases(state.squares); },
          [](AdamState& state, std::vector<Tensor> given) { state.squares = std::move(given); },
          "Aliases of the second moments, None where there is none yet.")
      .def_readwrite("steps", &AdamState::steps, "How many steps each parameter has taken.")
      .def(
          "clear", [](AdamState& state) { state = {}; }, "Let go of every tensor.");
}

}  // namespace garboard::python
