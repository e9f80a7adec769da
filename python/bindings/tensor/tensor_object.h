// The Python object `Tensor`: one alias of a tensor, in a C struct of its own.
#pragma once

#include <Python.h>

#include "csrc/lifetime/disposable.h"
#include "csrc/tensor/tensor.h"

namespace garboard::python {

class Alias;

/// Drops what a deferred alias was to hold; see deferred.h.
void forget_deferred(const Alias& alias) noexcept;

/// One handle on a tensor, or, before `hold` and after `let_go`, a blank one. Guarded by the GIL.
class Alias final : public Disposable {
 public:
  Alias() noexcept : Disposable(Kind::tensor) {}
  ~Alias() {}  // blank

  /// As `be_born` returns.
  [[gnu::always_inline]] bool hold(Tensor&& tensor, bool in_scope) noexcept {
    new (&tensor_) Tensor(std::move(tensor));
    return be_born(in_scope);
  }
  /// The same of a tensor that `settle` brings later: until then `is_deferred`, and there is none.
  bool hold_deferred() noexcept {
    new (&tensor_) Tensor();
    const bool is_usual = be_born(true);
    defer();
    return is_usual;
  }
  void settle(Tensor&& tensor) noexcept {
    const LifetimeLock lock;
    tensor_ = std::move(tensor);
    Disposable::settle();
  }
  [[gnu::always_inline]] void let_go() noexcept {
    owner = OwnerKind::python;
    if (!finalize()) return;
    stop_being_grad();
    if (!tensor_) [[unlikely]]
      return forget_deferred(*this);
    tensor_.~Tensor();
  }

  /// Owned until disposed; readable for as long as a Borrowing that began before puts that off.
  const Tensor& tensor() const noexcept { return tensor_; }
  /// True for the alias that `.grad` gives at each read.
  bool is_grad_alias = false;
  bool has_attributes = false;  // that a program set; see attributes.h
  /// The next read of `.grad` makes another alias.
  void stop_being_grad() noexcept {
    if (std::exchange(is_grad_alias, false)) tensor_.body()->grad_state->grad_alias = nullptr;
  }

 protected:
  Share take_share() noexcept override;

 private:
  union {  // never destroyed here: `take_share` gives the share away and leaves the pointer
    Tensor tensor_;
  };
};

/// What Python sees. Subclasses written in Python add a `__dict__` behind it.
struct TensorObject {
  PyObject_HEAD PyObject* weak_references;
  Counted<GradientHooks> hooks;  // Python callbacks behind the tensor; see anchors.h
  Alias alias;
};

extern PyTypeObject* tensor_type;

/// The object of an alias or a packed sequence, with a reference; null while it is being
/// deallocated, when its last reference has gone and Python code that this runs could still find it
/// in a list.
PyObject* object_of(const Disposable& alias) noexcept;

inline bool is_tensor(PyObject* object) noexcept {
  PyTypeObject* const type = Py_TYPE(object);
  if (type == tensor_type) return true;
  // A subclass is no smaller; numbers are, and need no walk through their bases.
  return type->tp_basicsize >= tensor_type->tp_basicsize && PyType_IsSubtype(type, tensor_type);
}
inline Alias& alias_of(PyObject* object) noexcept {
  return reinterpret_cast<TensorObject*>(object)->alias;
}

[[noreturn]] void throw_disposed(const Alias& alias, const char* op, const char* argument);
/// The tensor of an alias that is empty: of a deferred one it is computed now.
const Tensor& tensor_of_empty(Alias& alias, const char* op, const char* argument);

/// The tensor of a Python `Tensor`. Raises DisposedError, naming `op` and the argument.
inline const Tensor& tensor_of(PyObject* object, const char* op, const char* argument = "input") {
  Alias& alias = alias_of(object);
  if (alias.is_empty()) [[unlikely]]
    return tensor_of_empty(alias, op, argument);
  return alias.tensor();
}

/// A new alias of `tensor`, adopted by the open scope; returns null with an exception set.
PyObject* wrap(Tensor tensor) noexcept;
/// The same, in no scope and in no statistics: `.grad` and what optimizers own.
PyObject* wrap_outside_scopes(Tensor tensor, OwnerKind owner) noexcept;
/// An alias that is an instance of a Python subclass.
PyObject* wrap_as(PyTypeObject* type, Tensor tensor) noexcept;

/// tp_dealloc: the last handles are kept for the next tensors.
void dealloc_tensor(PyObject* self);

/// Makes the type and adds it to `module`. Returns false with an exception set.
bool add_tensor_type(PyObject* module);

}  // namespace garboard::python
