// The mode lies in the context's cell, where blocks enter and leave; every op brings it from there
// to the thread it runs on, for its own length.
#include "python/bindings/context/grad_mode.h"

#include <new>

#include "csrc/tensor/grad_node.h"
#include "python/bindings/context/context_cell.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/ref.h"

namespace garboard::python {
namespace {

constexpr std::uint64_t of_op = 0;  // the number of a block that Python enters is its address

bool is_enabled_here() noexcept {
  const ContextCell* const cell = current_cell();
  return !cell || cell->grad.is_enabled();
}

PyObject* call_is_grad_enabled(PyObject*, PyObject*) noexcept {
  return PyBool_FromLong(is_enabled_here());
}

PyObject* call_set_grad_enabled(PyObject*, PyObject* given) noexcept {
  const int enabled = PyObject_IsTrue(given);
  if (enabled < 0) return nullptr;
  const bool before = is_enabled_here();
  if (before != static_cast<bool>(enabled)) {
    ContextCell* const cell = make_own_cell();
    if (!cell) return nullptr;
    cell->grad.set(enabled);
  }
  return PyBool_FromLong(before);
}

PyObject* call_enter(PyObject*, PyObject* const* given, Py_ssize_t count) noexcept try {
  if (count != 3) throw_type_error("_enter_grad_mode: %zd arguments; 3 are needed", count);
  const unsigned long long block = PyLong_AsUnsignedLongLong(given[0]);
  if (PyErr_Occurred()) return nullptr;
  const long mask = PyLong_AsLong(given[1]), bits = PyLong_AsLong(given[2]);
  if (PyErr_Occurred()) return nullptr;
  ContextCell* const cell = make_own_cell();
  if (!cell) return nullptr;
  cell->grad.enter(block, static_cast<std::uint8_t>(mask), static_cast<std::uint8_t>(bits & mask));
  Py_RETURN_NONE;
} catch (...) {
  return raise_current();
}

PyObject* call_leave(PyObject*, PyObject* given) noexcept {
  const unsigned long long block = PyLong_AsUnsignedLongLong(given);
  if (PyErr_Occurred()) return nullptr;
  ContextCell* const cell = make_own_cell();
  if (!cell) return nullptr;
  cell->grad.leave(block);
  Py_RETURN_NONE;
}

/// A class's attribute, as a number; -1 with an error set.
long number_of(PyObject* block, const char* name) {
  const Ref value(PyObject_GetAttrString(block, name));
  return value ? PyLong_AsLong(value.get()) : -1;
}

// Methods in C, because Python raises a KeyboardInterrupt where a function of its own begins: one
// at the end of a block would never leave it, and all that follows would not be recorded.
PyObject* enter_block(PyObject* self, PyObject*) noexcept try {
  const long mask = number_of(self, "_mask"), bits = number_of(self, "_bits");
  if (PyErr_Occurred()) return nullptr;
  ContextCell* const cell = make_own_cell();
  if (!cell) return nullptr;
  cell->grad.enter(reinterpret_cast<std::uintptr_t>(self), static_cast<std::uint8_t>(mask),
                   static_cast<std::uint8_t>(bits & mask));
  Py_RETURN_NONE;
} catch (...) {
  return raise_current();
}

PyObject* leave_block(PyObject* self, PyObject*) noexcept {
  ContextCell* const cell = make_own_cell();
  if (!cell) return nullptr;
  cell->grad.leave(reinterpret_cast<std::uintptr_t>(self));
  Py_RETURN_NONE;
}

bool add_block_type(PyObject* module) {
  static PyMethodDef methods[] = {
      {"__enter__", enter_block, METH_NOARGS, "Set the bits `_bits` of `_mask` in this context."},
      {"__exit__", leave_block, METH_VARARGS, "Leave the innermost block of this object, if any."},
      {}};
  static PyType_Slot slots[] = {
      {Py_tp_methods, methods},
      {Py_tp_doc, const_cast<char*>("A block with bits of the grad mode of its own.")},
      {}};
  static PyType_Spec spec{"garboard._engine._GradBlock", sizeof(PyObject), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  const Ref type(PyType_FromSpec(&spec));
  return type && PyModule_AddObjectRef(module, "_GradBlock", type.get()) == 0;
}

PyObject* call_mode(PyObject*, PyObject*) noexcept {
  const ContextCell* const cell = current_cell();
  return PyLong_FromLong(cell ? cell->grad.bits() : mode::records);
}

PyObject* call_is_inference(PyObject*, PyObject*) noexcept {
  const ContextCell* const cell = current_cell();
  return PyBool_FromLong(cell && cell->grad.bits() & mode::inference);
}

PyObject* call_depth(PyObject*, PyObject*) noexcept {
  const ContextCell* const cell = current_cell();
  return PyLong_FromSize_t(cell ? cell->grad.depth() : 0);
}

}  // namespace

bool add_grad_mode(PyObject* module) {
  static PyMethodDef functions[] = {
      {"is_grad_enabled", call_is_grad_enabled, METH_NOARGS,
       R"(is_grad_enabled()
--

Tell whether ops are recorded in this thread and asyncio task.

Returns:
    A bool: True at first, False inside `no_grad`.

>>> with gb.no_grad():
...     gb.is_grad_enabled()
False
)"},
      {"is_inference_mode_enabled", call_is_inference, METH_NOARGS,
       R"(is_inference_mode_enabled()
--

Tell whether `inference_mode` is on in this thread and asyncio task.

Returns:
    A bool: False, except inside `inference_mode`.

>>> with gb.inference_mode():
...     gb.is_inference_mode_enabled()
True
)"},
      {"_grad_mode", call_mode, METH_NOARGS, "The bits of csrc/tensor/grad_mode.h, here and now."},
      {"_set_grad_enabled", call_set_grad_enabled, METH_O,
       "Set grad mode of the innermost block here, or outside of all; returns what it was."},
      {"_enter_grad_mode", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&call_enter)),
       METH_FASTCALL,
       "Enter a block of this number in this context, which sets the bits of a mask."},
      {"_leave_grad_mode", call_leave, METH_O,
       "Leave the innermost block of this number, if one is open in this context."},
      {"_grad_mode_depth", call_depth, METH_NOARGS, "How many blocks are open in this context."},
      {}};
  return PyModule_AddFunctions(module, functions) == 0 && add_block_type(module);
}

GradModeOfOp::GradModeOfOp() {
  if (is_enabled_here() == garboard::is_grad_enabled()) return;
  ContextCell* const cell = make_own_cell();
  if (!cell) throw PythonErrorSet();
  cell->grad.enter(of_op, mode::records, grad_mode & mode::records);
  is_entered_ = true;
}

GradModeOfOp::~GradModeOfOp() {
  if (!is_entered_) return;
  PyObject *type, *value, *traceback;  // what Python raised, maybe
  PyErr_Fetch(&type, &value, &traceback);
  if (ContextCell* const cell = make_own_cell()) {
    cell->grad.leave(of_op);
  } else {
    PyErr_WriteUnraisable(nullptr);
  }
  PyErr_Restore(type, value, traceback);
}

}  // namespace garboard::python
