// The mode lies in the context's cell, where blocks enter and leave; every op brings it from there
// to the thread it runs on, for its own length.
#include "python/bindings/context/grad_mode.h"

#include <new>

#include "csrc/tensor/grad_node.h"
#include "python/bindings/context/blocks.h"
#include "python/bindings/context/context_cell.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/ref.h"

namespace garboard::python {
namespace {

constexpr std::uint64_t of_op = 0;  // what Python enters is numbered from 1 on

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
    cell->grad.set(mode::records, enabled ? mode::records : 0);
  }
  return PyBool_FromLong(before);
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
  return PyLong_FromSize_t(cell ? cell->grad.depth(mode::records) : 0);
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
      {"_grad_mode_depth", call_depth, METH_NOARGS, "How many blocks are open in this context."},
      {}};
  return PyModule_AddFunctions(module, functions) == 0 && add_blocks(module);
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
