#include "python/bindings/context/scope_stack.h"

#include <utility>

#include "csrc/tensor/grad_node.h"
#include "python/bindings/context/context_cell.h"
#include "python/bindings/interpreter/birth_site.h"
#include "python/bindings/interpreter/errors.h"

namespace garboard::python {

DisposeScope* current_scope() noexcept {
  const ContextCell* const cell = current_cell();
  return cell ? cell->open_scope() : nullptr;
}

bool push_scope(DisposeScope* scope) noexcept {
  ContextCell* const cell = make_own_cell();
  if (!cell) return false;
  cell->innermost = Counted<DisposeScope>(scope);
  return true;
}

void forget_closed_scopes() noexcept {
  ContextCell* const cell = own_cell();
  if (cell && cell->innermost && cell->innermost->is_closed())
    cell->innermost = Counted<DisposeScope>(cell->open_scope());
}

OutsideScopes::OutsideScopes() {
  if (!current_scope()) return;
  ContextCell* const cell = make_own_cell();
  if (!cell) throw PythonErrorSet();
  before_ = std::exchange(cell->innermost, Counted<DisposeScope>());
}

OutsideScopes::~OutsideScopes() {
  if (!before_) return;
  PyObject *type, *value, *traceback;  // of what the code raised
  PyErr_Fetch(&type, &value, &traceback);
  // A new one, where the code had the context copied. Without memory for it nothing is adopted.
  if (ContextCell* const cell = make_own_cell())
    cell->innermost = std::move(before_);
  else
    PyErr_Clear();
  PyErr_Restore(type, value, traceback);
}

BirthStamp::BirthStamp() noexcept : scope_(birth.scope), site_(birth.site), mode_(grad_mode) {
  PyThreadState* const thread = PyThreadState_Get();
  const ContextCell* const cell = current_cell(thread);
  birth.scope = cell ? cell->open_scope() : nullptr;
  grad_mode = cell ? cell->grad.bits() : mode::records;
  birth.site = current_site(thread);
}

}  // namespace garboard::python
