// Binds one optimizer's state and its step over all parameters.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "csrc/lifetime/op_profile.h"
#include "csrc/ops/optim/optimizer_steps.h"
#include "csrc/ops/shape/views.h"
#include "python/bindings/tensor/deferred.h"
#include "python/bindings/wrapped/bindings.h"
#include "python/bindings/wrapped/tensor_caster.h"

namespace py = pybind11;

namespace garboard::python {
namespace {

/// The tensors of an optimizer for one group of parameters, held outside every scope. Its lists
/// stand beside the parameters; an empty tensor is state that has not been needed yet.
struct SgdLists {
  std::vector<Tensor> velocities;
};

/// Other code may read, replace and clear the lists while a step is under way: a finalizer where
/// memory runs short, another thread during a long kernel. So a step works on lists of its own.
template <class Lists>
class State {
 public:
  const Lists& lists() const { return in_use_ ? *in_use_ : lists_; }
  /// To be replaced. What a step under way arrives at is dropped.
  Lists& replaced() {
    ++replaced_count_;
    if (in_use_) lists_ = *std::exchange(in_use_, nullptr);
    return lists_;
  }
  template <class Take>
  void step(Take&& take) {
    Step own(*this);
    take(own.lists);
  }

 private:
  /// Steps of two threads may overlap: each begins with what it finds, and the last one's stays.
  struct Step {
    explicit Step(State& state)
        : of(state),
          lists(of.in_use_ ? *of.in_use_ : std::exchange(of.lists_, {})),
          replaced_before(of.replaced_count_) {
      of.in_use_ = &lists;
    }
    ~Step() {
      if (of.in_use_ == &lists) of.in_use_ = nullptr;
      if (of.replaced_count_ == replaced_before) std::swap(of.lists_, lists);
    }
    State& of;
    Lists lists;
    std::uint64_t replaced_before;
  };

  Lists lists_;
  Lists* in_use_ = nullptr;
  std::uint64_t replaced_count_ = 0;
};
using SgdState = State<SgdLists>;
using AdamLists = AdamMoments;
using AdamState = State<AdamLists>;

/// Takes shares of its own, as making an alias may run anything.
py::list as_aliases(const std::vector<Tensor> tensors) {
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

/// None is a state that has not been needed yet.
using States = std::vector<std::optional<Tensor>>;

std::vector<Tensor> as_tensors(States given) {
  std::vector<Tensor> tensors;
  for (std::optional<Tensor>& tensor : given)
    tensors.push_back(std::move(tensor).value_or(Tensor()));
  return tensors;
}

/// A list of what a state keeps, one a parameter; pybind11's own word for another is its signature.
template <class List>
List given_as(const char* op, const py::object& given) try {
  return given.cast<List>();
} catch (const py::cast_error&) {
  throw py::type_error(std::string(op) + ": a state holds what no step left there; " +
                       "tensors, and an integer for the step, are needed");
}

/// What ends with the lists goes last: it may run anything.
template <class Any>
void clear(Any& state) {
  auto before = std::exchange(state.replaced(), {});
}

}  // namespace

void bind_optimizers(py::module_& m) {
  py::class_<SgdState>(m, "SgdState", "The velocities of one parameter group.")
      .def(py::init<>())
      .def(
          "step",
          [](SgdState& state, const std::vector<Tensor>& parameters, double learning_rate,
             double momentum, double dampening, double weight_decay, bool nesterov, bool maximize) {
            settle_all(Threads::all);  // what reads the parameters
            const OpProfile::MaybeOp op("sgd_step");
            state.step([&](SgdLists& lists) {
              sgd_step(parameters,
                       {learning_rate, momentum, dampening, weight_decay, nesterov, maximize},
                       lists.velocities);
            });
          },
          py::arg("parameters"), py::kw_only(), py::arg("lr"), py::arg("momentum"),
          py::arg("dampening"), py::arg("weight_decay"), py::arg("nesterov"),
          py::arg("maximize") = false, py::call_guard<BirthStamp>(),
          "Update every parameter that has a gradient, in place.")
      .def_property(
          "velocities", [](const SgdState& state) { return as_aliases(state.lists().velocities); },
          [](SgdState& state, const py::object& given) {
            auto tensors = as_tensors(given_as<States>("SGD", given));
            state.replaced().velocities.swap(tensors);
          },
          "Aliases of the velocities, None where there is none yet.")
      .def("clear", &clear<SgdState>, "Let go of every tensor.");
  py::class_<AdamState>(m, "AdamState", "The moments of one parameter group.")
      .def(py::init<>())
      .def(
          "step",
          [](AdamState& state, const std::vector<Tensor>& parameters, double learning_rate,
             double beta1, double beta2, double epsilon, double weight_decay, bool decoupled,
             bool maximize, bool capturable) {
            settle_all(Threads::all);
            const OpProfile::MaybeOp op("adam_step");
            state.step([&](AdamLists& lists) {
              adam_step(parameters,
                        {learning_rate, beta1, beta2, epsilon, weight_decay, decoupled, maximize,
                         capturable},
                        lists);
            });
          },
          py::arg("parameters"), py::kw_only(), py::arg("lr"), py::arg("beta1"), py::arg("beta2"),
          py::arg("eps"), py::arg("weight_decay"), py::arg("decoupled"),
          py::arg("maximize") = false, py::arg("capturable") = false, py::call_guard<BirthStamp>(),
          "Update every parameter that has a gradient, in place.")
      .def_property(
          "means", [](const AdamState& state) { return as_aliases(state.lists().means); },
          [](AdamState& state, const py::object& given) {
            auto tensors = as_tensors(given_as<States>("Adam", given));
            state.replaced().means.swap(tensors);
          },
          "Aliases of the first moments, None where there is none yet.")
      .def_property(
          "squares", [](const AdamState& state) { return as_aliases(state.lists().squares); },
          [](AdamState& state, const py::object& given) {
            auto tensors = as_tensors(given_as<States>("Adam", given));
            state.replaced().squares.swap(tensors);
          },
          "Aliases of the second moments, None where there is none yet.")
      .def_property(
          "steps", [](const AdamState& state) { return steps_of(state.lists()); },
          [](AdamState& state, const py::object& given) {
            auto steps = given_as<std::vector<std::int64_t>>("Adam", given);
            Tensor counts;  // goes last
            AdamLists& lists = state.replaced();
            lists.steps.swap(steps);
            std::swap(lists.counts, counts);
          },
          "How many steps each parameter has taken. Waits for the device that counts them.")
      .def_property_readonly(
          "counts",
          [](const AdamState& state) {
            const Tensor counts = state.lists().counts;
            std::vector<Tensor> each;
            for (std::int64_t i = 0; counts && i < counts.count(); ++i)
              each.push_back(select(counts, 0, i));
            return as_aliases(each);
          },
          "Aliases of the steps that the device counts, one a parameter; none where the host does.")
      .def("clear", &clear<AdamState>, "Let go of every tensor.");
}

}  // namespace garboard::python
