#include "python/bindings/tensor/python_rule.h"

#include <algorithm>

#include "csrc/core/error.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/reduce/reduce.h"
#include "python/bindings/context/grad_mode.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/tensor/tensor_object.h"

namespace garboard::python {
namespace {

/// As broadcasting would widen `to`.
bool can_sum_to(const Dims& from, const Dims& to) {
  if (from.size() < to.size()) return false;
  for (int i = 1; i <= to.size(); ++i) {
    const std::int64_t size = to[to.size() - i];
    if (size != 1 && size != from[from.size() - i]) return false;
  }
  return true;
}

}  // namespace

PythonRule::Form::Form(const Tensor& tensor) : is_tensor(tensor) {
  if (!tensor) return;
  dtype = tensor.dtype();
  device = tensor.device();
  sizes = tensor.sizes();
}

PythonRule::PythonRule(PyObject* context, const CustomCall& call, bool materializes)
    : name_(call.name), context_(Ref::borrow(context)), materializes_(materializes) {
  for (const Tensor& input : call.inputs) inputs_.emplace_back(input);
  for (const CustomOutput& output : call.outputs) outputs_.emplace_back(output.tensor);
}

PythonRule::~PythonRule() { place_->node = nullptr; }

/// The arguments of `_backward`.
Ref PythonRule::given(const Backward& at) {
  std::vector<Tensor> gradients = std::exchange(gathered, {});
  gradients.resize(outputs_.size());
  if (only_output >= 0) gradients[static_cast<std::size_t>(only_output)] = at.grad;
  Ref arguments(checked(PyTuple_New(static_cast<Py_ssize_t>(outputs_.size()))));
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const Form& form = outputs_[i];
    Tensor& gradient = gradients[i];
    if (!gradient && form.is_tensor && materializes_)
      gradient = zeros(form.sizes, form.dtype, form.device);
    PyTuple_SET_ITEM(arguments.get(), static_cast<Py_ssize_t>(i),
                     gradient ? checked(wrap(std::move(gradient))) : Py_NewRef(Py_None));
  }
  return arguments;
}

void PythonRule::check_kind(PyObject* given, std::size_t place) const {
  const auto said = [&] { return text(name_, ".backward: gradient ", place, " "); };
  if (!is_tensor(given))
    throw_type_error("%sis of type %s; a Tensor or None is needed", said().c_str(),
                     Py_TYPE(given)->tp_name);
  if (!inputs_[place].is_tensor)
    throw GradientError(
        text(said(), "is a Tensor, and argument ", place, " of forward was none; None is needed"));
}

Tensor PythonRule::fitting_gradient(PyObject* given, std::size_t place) const {
  const Form& form = inputs_[place];
  const auto said = [&] { return text(name_, ".backward: gradient ", place, " "); };
  const Tensor gradient =
      tensor_of(given, text(name_, ".backward").c_str(), text("gradient ", place).c_str());
  if (!can_sum_to(gradient.sizes(), form.sizes))
    throw ShapeError(text(said(), "has sizes ", gradient.sizes(), " for an argument of sizes ",
                          form.sizes, "; they must be equal, or broadcast from them"));
  if (gradient.device() != form.device)
    throw DeviceError(text(said(), "is on ", gradient.device(), " for an argument on ", form.device,
                           "; they must be on one device, use to()"));
  return sum_to(gradient, form.sizes);
}

Grads PythonRule::run(const Backward& at) {
  const Ref context = Ref::borrow(context_.get());
  const GradModeOfOp mode;
  const Ref arguments = given(at);
  const Ref function(checked(PyObject_GetAttrString(context.get(), "_backward")));
  Ref result(checked(PyObject_CallObject(function.get(), arguments.get())));
  if (!PyTuple_Check(result.get())) result = Ref(checked(PyTuple_Pack(1, result.get())));
  const auto count = static_cast<std::size_t>(PyTuple_GET_SIZE(result.get()));
  Grads grads;
  for (std::size_t i = 0; i < std::max(count, inputs_.size()); ++i) {
    PyObject* const item =
        i < count ? PyTuple_GET_ITEM(result.get(), static_cast<Py_ssize_t>(i)) : nullptr;
    if (!item || (i >= inputs_.size() && item != Py_None))
      throw GradientError(text(name_, ".backward: ", count, " gradients; ", inputs_.size(),
                               " are needed, one for each argument of forward, None where there "
                               "is none"));
    if (item == Py_None) continue;
    check_kind(item, i);
    // What is given for a constant may be of any sizes.
    if (at.needs(static_cast<int>(i))) grads[static_cast<int>(i)] = fitting_gradient(item, i);
  }
  return grads;
}

}  // namespace garboard::python
