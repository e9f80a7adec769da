#include "python/bindings/tensor/tensor_object.h"

#include <algorithm>
#include <string_view>

#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/tensor/anchors.h"
#include "python/bindings/tensor/attributes.h"
#include "python/bindings/tensor/deferred.h"
#include "python/bindings/tensor/packed_sequence.h"

namespace garboard::python {

PyTypeObject* tensor_type = nullptr;

Share Alias::take_share() noexcept {
  stop_being_grad();
  if (!tensor_) return deferred_share(*this);
  return {tensor_.body(), [](void* given) noexcept {
            Counted<TensorBody>::adopt(static_cast<TensorBody*>(given)).reset();
          }};
}

namespace {

// Handles are made and dropped all the time: the last ones are kept, most recent first. A kept one
// is blank, not unmade: of this type, which it still refers to, with no weak references, attributes
// or hooks, untracked. CPython keeps its floats so; it tells tracemalloc of each, we do not.
constexpr int most_kept = 1024;
TensorObject* kept[most_kept];
int kept_count = 0;

[[gnu::always_inline]] inline TensorObject* new_handle(PyTypeObject* type) noexcept {
  if (type == tensor_type && kept_count > 0) {
    TensorObject* const object = kept[--kept_count];
#ifdef Py_REF_DEBUG
    _Py_NewReference(reinterpret_cast<PyObject*>(object));
#else
    Py_SET_REFCNT(reinterpret_cast<PyObject*>(object), 1);
#endif
    return object;
  }
  auto* const object = type == tensor_type
                           ? PyObject_GC_New(TensorObject, type)
                           : reinterpret_cast<TensorObject*>(type->tp_alloc(type, 0));
  if (!object) return nullptr;
  object->weak_references = nullptr;
  new (&object->hooks) Counted<GradientHooks>;
  new (&object->alias) Alias;
  return object;
}

/// Tells the observer of the scope, if there is one, which may set an exception.
[[gnu::noinline, gnu::cold]] PyObject* told(TensorObject* object) noexcept {
  auto* const made = reinterpret_cast<PyObject*>(object);
  const Counted<DisposeScope> scope(object->alias.scope());
  const Counted<BirthObserver> observer = scope ? scope->observer() : nullptr;
  try {
    if (observer) observer->after_birth(*scope);
    return made;
  } catch (...) {
    Py_DECREF(made);
    return raise_current();
  }
}

[[gnu::always_inline]] inline PyObject* make(PyTypeObject* type, Tensor&& tensor,
                                             bool in_scope) noexcept {
  TensorObject* const object = new_handle(type);
  if (!object) return nullptr;
  const bool is_usual = object->alias.hold(std::move(tensor), in_scope);
  hold_anchor(*object);
  if (!is_usual) [[unlikely]]
    return told(object);
  return reinterpret_cast<PyObject*>(object);
}

/// Of a subclass, or where Python code has to do with it.
void dealloc_slowly(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  auto* const object = reinterpret_cast<TensorObject*>(self);
  if (PyObject_GC_IsTracked(self)) PyObject_GC_UnTrack(self);
  // Callbacks of weak references run Python, which must not find this object any more.
  object->alias.stop_being_grad();
  if (object->weak_references) PyObject_ClearWeakRefs(self);
  clear_attributes(*object);
  release_anchor(*object);
  object->hooks.~Counted();
  object->alias.let_go();
  type->tp_free(self);
  Py_DECREF(type);
}

}  // namespace

void dealloc_tensor(PyObject* self) {
  auto* const object = reinterpret_cast<TensorObject*>(self);
  if (Py_TYPE(self) != tensor_type || object->weak_references || object->alias.has_attributes ||
      object->hooks) [[unlikely]]
    return dealloc_slowly(self);
  object->alias.let_go();
  if (kept_count == most_kept) [[unlikely]] {
    PyObject_GC_Del(self);
    Py_DECREF(tensor_type);
    return;
  }
  kept[kept_count++] = object;
}

PyObject* object_of(const Disposable& disposable) noexcept {
  if (disposable.kind() == Disposable::Kind::packed_sequence) return sequence_object_of(disposable);
#pragma GCC diagnostic ignored "-Winvalid-offsetof"  // GCC supports it for such a struct
  const auto* const alias = static_cast<const Alias*>(&disposable);
  const char* const start = reinterpret_cast<const char*>(alias) - offsetof(TensorObject, alias);
  auto* const object = reinterpret_cast<PyObject*>(const_cast<char*>(start));
  return Py_REFCNT(object) == 0 ? nullptr : Py_NewRef(object);
}

namespace {

/// What would have helped, by what was asked of a disposed tensor.
struct Advice {
  std::string_view ops;  // each between spaces; the last row is for all others
  const char* of_scope;  // a scope disposed it
  const char* of_call;   // dispose() did, or a with block
};
constexpr Advice advices[] = {
    {" item tolist numpy buffer bool float int index len iter size stride dim numel element_size "
     "storage_offset data_ptr is_contiguous is_floating_point shape dtype device is_cuda ndim "
     "nbytes itemsize requires_grad is_leaf grad grad_fn storage untyped_storage "
     "format copy deepcopy pickle __dlpack__ ",
     "ask before the scope closes, or move it out first (scope.move_to_outer)",
     "ask before it is disposed"},
    {" backward ",
     "call it before the scope closes, or move the loss out first (scope.move_to_outer)",
     "call it before the loss is disposed"},
    {" scope.move_to_outer scope.move_to_other scope.attach scope.detach "
     "move_to_outer_dispose_scope move_to_other_dispose_scope "
     "detach_from_dispose_scope ",
     "move it before the scope closes", "move it before it is disposed"},
    {"", "move it out first (scope.move_to_outer), detach it, or keep .item() instead",
     "dispose it after its last use, or keep an alias() of it"},
};

const Advice& advice_for(std::string_view op) {
  const std::string word = text(" ", op, " ");
  return *std::ranges::find_if(advices, [&](const Advice& it) {
    return it.ops.empty() || it.ops.find(word) != it.ops.npos;
  });
}

}  // namespace

void throw_disposed(const Alias& alias, const char* op, const char* argument) {
  const Advice& advice = advice_for(op);
  throw DisposedError(text(op, ": ", argument, " is a disposed tensor, ", alias.describe_end(),
                           "; ", alias.ended_by() ? advice.of_scope : advice.of_call));
}

PyObject* wrap(Tensor tensor) noexcept { return make(tensor_type, std::move(tensor), true); }

PyObject* wrap_later(Counted<ChainStep> step) {
  TensorObject* const object = new_handle(tensor_type);
  if (!object) return nullptr;
  const bool is_usual = object->alias.hold_deferred();
  put_off(object->alias, std::move(step));
  return is_usual ? reinterpret_cast<PyObject*>(object) : told(object);
}

PyObject* wrap_outside_scopes(Tensor tensor, OwnerKind owner) noexcept {
  PyObject* const object = make(tensor_type, std::move(tensor), false);
  if (object) alias_of(object).owner = owner;
  return object;
}

PyObject* wrap_as(PyTypeObject* type, Tensor tensor) noexcept {
  return make(type, std::move(tensor), true);
}

}  // namespace garboard::python
