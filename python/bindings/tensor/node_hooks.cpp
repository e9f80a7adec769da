#include "python/bindings/tensor/node_hooks.h"

#include <utility>
#include <vector>

#include "csrc/core/error.h"
#include "python/bindings/context/grad_mode.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/tensor/python_held.h"
#include "python/bindings/tensor/tensor_object.h"

namespace garboard::python {
namespace {

using Gradients = std::vector<Tensor>;

Ref tuple_of(const Gradients& gradients) {
  Ref tuple(checked(PyTuple_New(static_cast<Py_ssize_t>(gradients.size()))));
  for (std::size_t i = 0; i < gradients.size(); ++i)
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i),
                     gradients[i] ? checked(wrap(gradients[i])) : Py_NewRef(Py_None));
  return tuple;
}

/// Puts what a hook has returned in the place of `gradients`.
void replace(Gradients& gradients, PyObject* returned) {
  if (returned == Py_None) return;
  const Ref tuple(is_tensor(returned) ? checked(PyTuple_Pack(1, returned)) : Py_NewRef(returned));
  if (!PyTuple_Check(tuple.get()))
    throw_type_error("hook: it returned %s; a tuple of Tensors, or None, is needed",
                     Py_TYPE(returned)->tp_name);
  if (PyTuple_GET_SIZE(tuple.get()) != static_cast<Py_ssize_t>(gradients.size()))
    throw GradientError(text("hook: it returned ", PyTuple_GET_SIZE(tuple.get()), " gradients; ",
                             gradients.size(), " are needed, as many as it was given"));
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    PyObject* const item = PyTuple_GET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i));
    if (item == Py_None) {
      gradients[i] = {};
      continue;
    }
    if (!is_tensor(item))
      throw_type_error(
          "hook: item %zu of what it returned is of type %s; a Tensor or None is needed", i,
          Py_TYPE(item)->tp_name);
    const Tensor given = tensor_of(item, "hook", "what it returned");
    const Tensor& before = gradients[i];
    if (!before)  // nothing here knows its sizes, and the next rule takes them for granted
      throw GradientError(text("hook: item ", i, " of what it returned is a Tensor, where there ",
                               "was no gradient; None is needed"));
    if (given.sizes() != before.sizes())
      throw ShapeError(text("hook: it returned sizes ", given.sizes(), " for a gradient of sizes ",
                            before.sizes(), "; they must be equal"));
    if (given.dtype() != before.dtype())
      throw DTypeError(text("hook: it returned dtype ", name_of(given.dtype()),
                            " for a gradient of dtype ", name_of(before.dtype()),
                            "; they must be equal"));
    if (given.device() != before.device())
      throw DeviceError(text("hook: it returned one on ", given.device(), " for a gradient on ",
                             before.device(), "; they must be on one device, use to()"));
    gradients[i] = given;
  }
}

class PythonNodeHooks final : public NodeHooks, public PythonHeld {
 public:
  PythonNodeHooks() : before_(new_table()), after_(new_table()), metadata_(checked(PyDict_New())) {}

  void before(Gradients& gradients) override {
    for (const Ref& hook : values_of(before_)) {
      const GradModeOfOp mode;
      const Ref given = tuple_of(gradients);
      replace(gradients, Ref(checked(PyObject_CallOneArg(hook.get(), given.get()))).get());
    }
  }

  void after(Gradients& grads, const Gradients& gradients) override {
    for (const Ref& hook : values_of(after_)) {
      const GradModeOfOp mode;
      const Ref of_inputs = tuple_of(grads), of_outputs = tuple_of(gradients);
      const Ref result(checked(
          PyObject_CallFunctionObjArgs(hook.get(), of_inputs.get(), of_outputs.get(), nullptr)));
      replace(grads, result.get());
    }
  }

  int visit(visitproc visit, void* arg) const override {
    Py_VISIT(before_.get());
    Py_VISIT(after_.get());
    Py_VISIT(metadata_.get());
    return 0;
  }

  Ref table(bool is_before) const { return Ref::borrow((is_before ? before_ : after_).get()); }
  Ref metadata() const { return Ref::borrow(metadata_.get()); }

 private:
  /// A HookTable of garboard/_hooks.py.
  static PyObject* new_table() {
    const Ref module(checked(PyImport_ImportModule("garboard._hooks")));
    return checked(PyObject_CallMethod(module.get(), "HookTable", nullptr));
  }
  static std::vector<Ref> values_of(const Ref& table) {
    const Ref hooks(checked(PyObject_CallMethod(table.get(), "snapshot", nullptr)));
    std::vector<Ref> found;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(hooks.get()); ++i)
      found.push_back(Ref::borrow(PyTuple_GET_ITEM(hooks.get(), i)));
    return found;
  }

  Ref before_, after_, metadata_;
};

PythonNodeHooks& hooks_of(GradNode& node) {
  Counted<NodeHooks> fresh(new PythonNodeHooks);  // may collect garbage, whose code may do the same
  Counted<NodeHooks>& place = node.make_seldom().node_hooks;
  if (!place) place = std::move(fresh);
  return static_cast<PythonNodeHooks&>(*place);
}

}  // namespace

Ref add_node_hook(GradNode& node, PyObject* hook, bool is_before) {
  const char* const op = is_before ? "register_prehook" : "register_hook";
  if (!PyCallable_Check(hook))
    throw_type_error("%s: the hook is of type %s; a callable is needed", op,
                     Py_TYPE(hook)->tp_name);
  if (node.is_released)
    throw GradientError(text(op, ": the graph of ", node.name,
                             " was freed by an earlier backward pass; no other will come"));
  const Ref table = hooks_of(node).table(is_before);
  return Ref(checked(PyObject_CallMethod(table.get(), "add", "O", hook)));
}

Ref metadata_of(GradNode& node) { return hooks_of(node).metadata(); }

}  // namespace garboard::python
