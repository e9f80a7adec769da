// A context's variables are kept in a tree that never changes: copying the context shares it,
// setting a variable in one of the two makes a new tree with a new root. CPython tells nobody that
// a context was copied, but its own headers show what is shared.
#define Py_BUILD_CORE 1
#include <Python.h>
#include <internal/pycore_context.h>
#include <internal/pycore_hamt.h>
#undef Py_BUILD_CORE

#include "python/bindings/birth_site.h"
#include "python/bindings/ref.h"
#include "python/bindings/scope_stack.h"

namespace garboard::python {
namespace {

struct Cell {
  PyObject_HEAD Counted<DisposeScope> innermost;
};

PyTypeObject* cell_type = nullptr;
PyObject* variable = nullptr;

void dealloc_cell(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  reinterpret_cast<Cell*>(self)->innermost.~Counted();
  PyObject_Free(self);
  Py_DECREF(type);
}

/// Looks first where PyContextVar_Get looks first, without its two calls.
Cell* current_cell(PyThreadState* thread = PyThreadState_Get()) noexcept {
  auto* const cache = reinterpret_cast<PyContextVar*>(variable);
  if (cache->var_cached && cache->var_cached_tsid == thread->id &&
      cache->var_cached_tsver == thread->context_ver) [[likely]]
    return reinterpret_cast<Cell*>(cache->var_cached);
  PyObject* found = nullptr;
  if (PyContextVar_Get(variable, nullptr, &found) < 0) {
    PyErr_Clear();
    return nullptr;
  }
  Py_XDECREF(found);  // the context keeps it
  return reinterpret_cast<Cell*>(found);
}

/// True where no other context can see the running context's cell: the tree, its root and the cell
/// have one holder each. A cell below the root counts as shared, since what lies between may be;
/// that takes a context with a dozen variables.
bool is_private(Cell* cell) noexcept {
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

DisposeScope* open_scope(const Cell* cell) noexcept {
  if (!cell) return nullptr;
  DisposeScope* const scope = cell->innermost.get();
  return scope && scope->is_closed() ? scope->outer() : scope;
}

Counted<DisposeScope> first_open(DisposeScope* scope) noexcept {
  return Counted<DisposeScope>(scope && scope->is_closed() ? scope->outer() : scope);
}

}  // namespace

bool start_scope_stack() {
  static PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(dealloc_cell)},
                                {0, nullptr}};
  static PyType_Spec spec = {"garboard._engine.ScopeStack", sizeof(Cell), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  cell_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  variable = PyContextVar_New("garboard_dispose_scope", nullptr);
  return cell_type && variable;
}

DisposeScope* current_scope() noexcept { return open_scope(current_cell()); }

bool push_scope(DisposeScope* scope) noexcept {
  if (Cell* const cell = current_cell(); cell && is_private(cell)) {
    cell->innermost = Counted<DisposeScope>(scope);
    return true;
  }
  Cell* const cell = PyObject_New(Cell, cell_type);
  if (!cell) return false;
  const Ref owned(reinterpret_cast<PyObject*>(cell));
  new (&cell->innermost) Counted<DisposeScope>(scope);
  const Ref token(PyContextVar_Set(variable, owned.get()));
  return static_cast<bool>(token);
}

void forget_closed_scopes() noexcept {
  Cell* const cell = current_cell();
  if (cell && cell->innermost && cell->innermost->is_closed() && is_private(cell))
    cell->innermost = first_open(cell->innermost.get());
}

BirthStamp::BirthStamp() noexcept : scope_(birth.scope), site_(birth.site) {
  PyThreadState* const thread = PyThreadState_Get();
  birth.scope = open_scope(current_cell(thread));
  birth.site = current_site(thread);
}

}  // namespace garboard::python
