// One anchor object a tensor owns its hooks. The aliases hold the anchor, the tensor itself borrows
// it: so every reference to it is one the collector can find. Only when the last alias goes and the
// tensor lives on, in a graph, does the tensor take the reference over; see graph_mirror.h.
#include "python/bindings/tensor/anchors.h"

#include <structmember.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "csrc/core/error.h"
#include "csrc/ops/op/record.h"
#include "python/bindings/context/grad_mode.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/ref.h"
#include "python/bindings/tensor/graph_mirror.h"

namespace garboard::python {
namespace {

struct Hook {
  std::uint64_t number;
  PyObject* function;
};

struct HookAfter {
  std::uint64_t number;
  PyObject* function;
  PyObject* tensor;  // a weak reference
};

struct Anchor {
  PyObject_HEAD PyObject* weak_references;
  std::vector<Hook> hooks;
  std::vector<HookAfter> after;
};
PyTypeObject* anchor_type = nullptr;
std::uint64_t last_number = 0;

/// What the core calls. Owns the anchor only while no alias does.
class PythonHooks final : public GradientHooks {
 public:
  explicit PythonHooks(PyObject* anchor) : anchor_(anchor) { ++orphan_count; }
  ~PythonHooks() override {
    if (!is_owner_) return;
    --orphan_count;
    Py_DECREF(anchor_);
  }
  static inline int orphan_count = 0;
  /// Of no tensor: they make the collector look at an alias.
  bool is_stand_in = false;

  Tensor call(Tensor gradient) override {
    const Ref keep = Ref::borrow(anchor_);
    const GradModeOfOp mode;
    const std::vector<Hook> hooks = reinterpret_cast<Anchor*>(anchor_)->hooks;
    std::vector<Ref> functions;
    for (const Hook& hook : hooks) functions.push_back(Ref::borrow(hook.function));
    Ref argument;  // one object for all: what a hook sets on it the next one finds
    for (const Ref& function : functions) {
      if (!argument || alias_of(argument.get()).is_empty()) argument = Ref(checked(wrap(gradient)));
      Ref result(checked(PyObject_CallOneArg(function.get(), argument.get())));
      if (result.get() == Py_None) continue;
      if (!is_tensor(result.get()))
        throw_type_error("hook: it returned %s; a Tensor or None is needed",
                         Py_TYPE(result.get())->tp_name);
      const Tensor& given = tensor_of(result.get(), "hook", "what it returned");
      if (given.sizes() != gradient.sizes())
        throw ShapeError(text("hook: it returned sizes ", given.sizes(),
                              " for a gradient of sizes ", gradient.sizes(),
                              "; they must be equal"));
      if (given.dtype() != gradient.dtype())
        throw DTypeError(text("hook: it returned dtype ", name_of(given.dtype()),
                              " for a gradient of dtype ", name_of(gradient.dtype()),
                              "; they must be equal"));
      if (given.device() != gradient.device())
        throw DeviceError(text("hook: it returned one on ", given.device(), " for a gradient on ",
                               gradient.device(), "; they must be on one device, use to()"));
      gradient = given;
      argument = std::move(result);
    }
    return gradient;
  }
  void call_after(const Tensor& leaf) override {
    const Ref keep = Ref::borrow(anchor_);
    const GradModeOfOp mode;
    std::vector<std::pair<Ref, Ref>> calls;
    for (const HookAfter& hook : reinterpret_cast<Anchor*>(anchor_)->after)
      calls.emplace_back(Ref::borrow(hook.function), Ref::borrow(hook.tensor));
    for (const auto& [function, reference] : calls) {
      Ref argument = living(reference.get());
      if (!argument || alias_of(argument.get()).is_empty()) argument = Ref(checked(wrap(leaf)));
      const Ref result(checked(PyObject_CallOneArg(function.get(), argument.get())));
      // A lambda returns what its method wrote into.
      if (result.get() != Py_None && !is_tensor(result.get()))
        throw_type_error("hook: it returned %s; None is needed, what is given may be written",
                         Py_TYPE(result.get())->tp_name);
    }
  }
  bool any() const noexcept override {
    const auto& anchor = *reinterpret_cast<Anchor*>(anchor_);
    return !anchor.hooks.empty() || !anchor.after.empty();
  }

  PyObject* anchor() const noexcept { return anchor_; }
  /// The first alias takes over the reference that the tensor kept; each other one gets its own.
  void lend() noexcept {
    if (std::exchange(is_owner_, false)) {
      --orphan_count;
    } else {
      Py_INCREF(anchor_);
    }
    ++alias_count_;
  }
  bool is_owner() const noexcept { return is_owner_; }
  /// An alias ends: the last one leaves its reference to the tensor.
  void take_back() noexcept {
    if (--alias_count_ == 0) {
      is_owner_ = true;
      ++orphan_count;
    } else {
      Py_DECREF(anchor_);
    }
  }

 private:
  PyObject* anchor_;
  int alias_count_ = 0;
  bool is_owner_ = true;
};

PythonHooks& of(TensorObject& object) noexcept { return static_cast<PythonHooks&>(*object.hooks); }

GradientHooks* hooks_of(const Tensor& tensor) noexcept {
  TensorBody& body = *tensor.body();
  if (body.grad_node && body.grad_node->hooks()) return body.grad_node->hooks();
  return body.grad_state ? body.grad_state->hooks.get() : nullptr;
}

int anchor_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  for (const Hook& hook : reinterpret_cast<Anchor*>(self)->hooks) Py_VISIT(hook.function);
  for (const HookAfter& hook : reinterpret_cast<Anchor*>(self)->after) {
    Py_VISIT(hook.function);
    Py_VISIT(hook.tensor);
  }
  return 0;
}

int clear(PyObject* self) {
  const std::vector<Hook> hooks = std::exchange(reinterpret_cast<Anchor*>(self)->hooks, {});
  const std::vector<HookAfter> after = std::exchange(reinterpret_cast<Anchor*>(self)->after, {});
  for (const Hook& hook : hooks) Py_DECREF(hook.function);
  for (const HookAfter& hook : after) {
    Py_DECREF(hook.function);
    Py_DECREF(hook.tensor);
  }
  return 0;
}

void anchor_dealloc(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  if (reinterpret_cast<Anchor*>(self)->weak_references) PyObject_ClearWeakRefs(self);
  clear(self);
  std::destroy_at(&reinterpret_cast<Anchor*>(self)->hooks);
  std::destroy_at(&reinterpret_cast<Anchor*>(self)->after);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

/// `anchor.remove(number)`: forgets a hook, if it is still there.
PyObject* anchor_remove(PyObject* self, PyObject* number) {
  const unsigned long long wanted = PyLong_AsUnsignedLongLong(number);
  if (PyErr_Occurred()) return nullptr;
  auto& hooks = reinterpret_cast<Anchor*>(self)->hooks;
  const auto it = std::ranges::find(hooks, std::uint64_t{wanted}, &Hook::number);
  if (it != hooks.end()) {
    const Ref function(it->function);  // goes last: its end may run anything
    hooks.erase(it);
  }
  auto& after = reinterpret_cast<Anchor*>(self)->after;
  const auto at = std::ranges::find(after, std::uint64_t{wanted}, &HookAfter::number);
  if (at != after.end()) {
    const Ref function(at->function), tensor(at->tensor);
    after.erase(at);
  }
  Py_RETURN_NONE;
}

PyObject* new_anchor() {
  Anchor* const anchor = PyObject_GC_New(Anchor, anchor_type);
  if (!anchor) throw PythonErrorSet();
  anchor->weak_references = nullptr;
  new (&anchor->hooks) std::vector<Hook>;
  new (&anchor->after) std::vector<HookAfter>;
  PyObject_GC_Track(reinterpret_cast<PyObject*>(anchor));
  return reinterpret_cast<PyObject*>(anchor);
}

void track(TensorObject& object) noexcept {
  auto* const self = reinterpret_cast<PyObject*>(&object);
  if (!PyObject_GC_IsTracked(self)) PyObject_GC_Track(self);
}

}  // namespace

bool start_anchors() {
#pragma GCC diagnostic ignored "-Winvalid-offsetof"  // as for Tensor: C's layout in all but name
  static PyMemberDef members[] = {
      {"__weaklistoffset__", T_PYSSIZET, offsetof(Anchor, weak_references), READONLY, nullptr}, {}};
  static PyMethodDef methods[] = {{"remove", anchor_remove, METH_O, nullptr}, {}};
  static PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(anchor_dealloc)},
                                {Py_tp_traverse, reinterpret_cast<void*>(anchor_traverse)},
                                {Py_tp_clear, reinterpret_cast<void*>(clear)},
                                {Py_tp_members, members},
                                {Py_tp_methods, methods},
                                {0, nullptr}};
  static PyType_Spec spec = {
      "garboard._engine.Hooks", sizeof(Anchor), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  anchor_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return anchor_type != nullptr;
}

void detail::hold_hooks(TensorObject& object) noexcept {
  GradientHooks* const hooks = hooks_of(object.alias.tensor());
  if (!hooks) return;
  object.hooks = Counted<GradientHooks>(hooks);
  of(object).lend();
  track(object);
}

void detail::release_hooks(TensorObject& object) noexcept {
  leave_mirror(object);
  of(object).take_back();
  object.hooks.reset();
}

int traverse_anchor(TensorObject& object, visitproc visit, void* arg) {
  if (!object.hooks) return 0;
  Py_VISIT(of(object).anchor());
  return traverse_mirror(object, visit, arg);
}

void clear_anchor(TensorObject& object) noexcept {
  // The cycle goes through a hook: dropping the hooks cuts it. The anchor itself stays in order.
  if (object.hooks) clear(of(object).anchor());
}

PyObject* anchor_of(const GradientHooks& hooks) noexcept {
  return static_cast<const PythonHooks&>(hooks).anchor();
}

int orphan_count() noexcept { return PythonHooks::orphan_count; }

PyObject* orphaned_anchor(const GradientHooks& hooks) noexcept {
  const auto& held = static_cast<const PythonHooks&>(hooks);
  return held.is_owner() && held.any() ? held.anchor() : nullptr;
}

void watch_alias(TensorObject& object) {
  if (object.hooks) return;
  auto* const hooks = new PythonHooks(new_anchor());
  hooks->is_stand_in = true;
  object.hooks = Counted<GradientHooks>(hooks);
  hooks->lend();
  track(object);
}

void stop_watching_alias(TensorObject& object) noexcept {
  if (!object.hooks || !of(object).is_stand_in) return;
  detail::release_hooks(object);
  if (Py_TYPE(&object) == tensor_type && !object.alias.has_attributes) PyObject_GC_UnTrack(&object);
}

namespace {

/// Where the hooks of a tensor are; made on first use.
Anchor& anchor_of(PyObject* object, const Tensor& tensor) {
  Ref fresh(new_anchor());  // now: it may collect garbage, whose code may add a hook, or a node
  Counted<GradientHooks>& place = tensor.body()->grad_node
                                      ? tensor.body()->grad_node->make_seldom().hooks
                                      : grad_state_of(tensor).hooks;
  if (!place) place = Counted<GradientHooks>(new PythonHooks(fresh.release()));
  auto& handle = *reinterpret_cast<TensorObject*>(object);
  if (handle.hooks != place) {
    release_anchor(handle);
    hold_anchor(handle);
  }
  return *reinterpret_cast<Anchor*>(static_cast<PythonHooks&>(*place).anchor());
}

void check_callable(PyObject* function, const char* op) {
  if (!PyCallable_Check(function))
    throw_type_error("%s: the hook is of type %s; a callable is needed", op,
                     Py_TYPE(function)->tp_name);
}

}  // namespace

AddedHook add_hook(PyObject* object, PyObject* function) {
  const Tensor tensor = tensor_of(object, "register_hook");
  if (!tensor.requires_grad())
    throw GradientError(
        "register_hook: a tensor that does not require grad; only those get gradients");
  check_callable(function, "register_hook");
  edge_of(tensor);  // a view's history may have to be brought up to date first
  Anchor& anchor = anchor_of(object, tensor);
  Ref kept = Ref::borrow(function);
  anchor.hooks.push_back({++last_number, kept.get()});
  kept.release();
  return {reinterpret_cast<PyObject*>(&anchor), last_number};
}

AddedHook add_hook_after(PyObject* object, PyObject* function) {
  constexpr const char* op = "register_post_accumulate_grad_hook";
  const Tensor tensor = tensor_of(object, op);
  if (!tensor.requires_grad() || !tensor.is_leaf())
    throw GradientError(text(op,
                             ": a tensor that is no leaf, or does not require grad; only the "
                             ".grad of those is added to, use register_hook()"));
  check_callable(function, op);
  Ref reference(checked(PyWeakref_NewRef(object, nullptr)));
  Anchor& anchor = anchor_of(object, tensor);
  Ref kept = Ref::borrow(function);
  anchor.after.push_back({++last_number, kept.get(), reference.get()});
  kept.release();
  reference.release();
  return {reinterpret_cast<PyObject*>(&anchor), last_number};
}

}  // namespace garboard::python
