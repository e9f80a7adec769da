// A context's variables are kept in a tree that never changes: copying the context shares it,
// setting a variable in one of the two makes a new tree with a new root. CPython tells nobody that
// a context was copied, but its own headers show what is shared.
#include "python/bindings/context/context_cell.h"

#define Py_BUILD_CORE 1
#include <internal/pycore_hamt.h>
#undef Py_BUILD_CORE

#include <new>
#include <utility>

#include "python/bindings/interpreter/ref.h"

namespace garboard::python {

PyObject* detail::cell_variable = nullptr;

namespace {

PyTypeObject* cell_type = nullptr;

void dealloc_cell(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  auto* const cell = reinterpret_cast<ContextCell*>(self);
  cell->innermost.~Counted();
  cell->grad.~GradModes();
  cell->made_on.~DefaultDevices();
  PyObject_Free(self);
  Py_DECREF(type);
}

/// True where no other context can see the running context's cell: the tree, its root and the cell
/// have one holder each. A cell below the root counts as shared, since what lies between may be;
/// that takes a context with a dozen variables.
bool is_private(ContextCell* cell) noexcept {
  auto* const context = reinterpret_cast<PyContext*>(PyThreadState_Get()->context);
  auto* const sought = reinterpret_cast<PyObject*>(cell);
  if (!context || Py_REFCNT(sought) != 1) return false;
  auto* const tree = reinterpret_cast<PyObject*>(context->ctx_vars);
  auto* const root = reinterpret_cast<PyObject*>(context->ctx_vars->h_root);
  if (Py_REFCNT(tree) != 1 || Py_REFCNT(root) != 1) return false;
  if (context->ctx_vars->h_count == 1) return true;
  return Py_TYPE(root)->tp_traverse(
      root, [](PyObject* child, void* cell) -> int { return child == cell; }, sought);
}

}  // namespace

bool start_context_cells() {
  static PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(dealloc_cell)},
                                {0, nullptr}};
  static PyType_Spec spec = {"garboard._engine.ContextCell", sizeof(ContextCell), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  cell_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  detail::cell_variable = PyContextVar_New("garboard", nullptr);
  return cell_type && detail::cell_variable;
}

ContextCell* detail::find_cell() noexcept {
  PyObject* found = nullptr;
  if (PyContextVar_Get(cell_variable, nullptr, &found) < 0) {
    PyErr_Clear();
    return nullptr;
  }
  Py_XDECREF(found);  // the context keeps it
  return reinterpret_cast<ContextCell*>(found);
}

ContextCell* own_cell() noexcept {
  ContextCell* const cell = current_cell();
  return cell && is_private(cell) ? cell : nullptr;
}

ContextCell* make_own_cell() noexcept try {
  ContextCell* const inherited = current_cell();
  if (inherited && is_private(inherited)) return inherited;
  GradModes grad = inherited ? inherited->grad : GradModes();
  DefaultDevices made_on = inherited ? inherited->made_on : DefaultDevices();
  Counted<DisposeScope> innermost(inherited ? inherited->open_scope() : nullptr);
  ContextCell* const cell = PyObject_New(ContextCell, cell_type);
  if (!cell) return nullptr;
  const Ref owned(reinterpret_cast<PyObject*>(cell));
  new (&cell->innermost) Counted<DisposeScope>(std::move(innermost));
  new (&cell->grad) GradModes(std::move(grad));
  new (&cell->made_on) DefaultDevices(std::move(made_on));
  const Ref token(PyContextVar_Set(detail::cell_variable, owned.get()));
  return token ? cell : nullptr;  // the context keeps it
} catch (const std::bad_alloc&) {
  PyErr_NoMemory();
  return nullptr;
}

}  // namespace garboard::python
