// Python callbacks behind a tensor (its gradient hooks), kept so that the cycle collector sees each
// of them exactly once, however many aliases the tensor has.
#pragma once

#include <Python.h>

#include "csrc/tensor/grad_node.h"
#include "python/bindings/tensor/tensor_object.h"

namespace garboard::python {

/// What `anchor.remove(number)` takes off again; borrows the anchor.
struct AddedHook {
  PyObject* anchor;
  std::uint64_t number;
};

/// Makes the anchor type. False with an exception set.
bool start_anchors();

/// Gives a new alias its share of the tensor's anchor, where there is one, and lets the collector
/// track the alias from then on.
inline void hold_anchor(TensorObject& object) noexcept;
inline void release_anchor(TensorObject& object) noexcept;
/// For tp_traverse and tp_clear of a tensor.
int traverse_anchor(TensorObject& object, visitproc visit, void* arg);
void clear_anchor(TensorObject& object) noexcept;

/// Calls `hook(gradient)` with each gradient of the tensor; what it returns, unless None, takes the
/// gradient's place. Raises GradientError.
AddedHook add_hook(PyObject* tensor, PyObject* hook);

/// Calls `hook(tensor)` once a backward pass has added to the `.grad` of the tensor, a leaf; with
/// the object itself, or another handle where that has gone. Raises GradientError.
AddedHook add_hook_after(PyObject* tensor, PyObject* hook);

/// The anchor of hooks, borrowed.
PyObject* anchor_of(const GradientHooks& hooks) noexcept;

/// How many tensors have hooks that no alias of theirs looks after: only a graph reaches them.
int orphan_count() noexcept;
/// The anchor of such hooks, if there are any; null where an alias has it.
PyObject* orphaned_anchor(const GradientHooks& hooks) noexcept;
/// Has the collector look at an alias that has no hooks, until `stop_watching_alias`. Throws
/// PythonErrorSet, std::bad_alloc.
void watch_alias(TensorObject& object);
void stop_watching_alias(TensorObject& object) noexcept;

namespace detail {
void hold_hooks(TensorObject& object) noexcept;
void release_hooks(TensorObject& object) noexcept;
}  // namespace detail

void hold_anchor(TensorObject& object) noexcept {
  const TensorBody& body = *object.alias.tensor().body();
  if (body.grad_state || (body.grad_node && body.grad_node->hooks())) detail::hold_hooks(object);
}
void release_anchor(TensorObject& object) noexcept {
  if (object.hooks) detail::release_hooks(object);
}

}  // namespace garboard::python
