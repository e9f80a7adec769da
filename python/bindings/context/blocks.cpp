#include "python/bindings/context/blocks.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "python/bindings/context/context_cell.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/ref.h"

namespace garboard::python {
namespace {

/// What Python raised is put aside, while it lives.
class RaisedAside {
 public:
  RaisedAside() { PyErr_Fetch(&type_, &value_, &traceback_); }
  ~RaisedAside() { PyErr_Restore(type_, value_, traceback_); }

 private:
  PyObject *type_, *value_, *traceback_;
};

/// ModeBits of the grad mode, as a class or an object has them.
struct ModeBits {
  std::uint8_t mask, bits;
};

std::uint8_t bits_of(PyObject* block, const char* name) {
  const Ref value(checked(PyObject_GetAttrString(block, name)));
  const long number = PyLong_AsLong(value.get());
  if (PyErr_Occurred()) throw PythonErrorSet();
  return static_cast<std::uint8_t>(number);
}

ModeBits bits_of(PyObject* block) {
  const std::uint8_t mask = bits_of(block, "_mask");
  return {mask, static_cast<std::uint8_t>(mask ? bits_of(block, "_bits") & mask : 0)};
}

ContextCell& own_cell_here() {
  ContextCell* const cell = make_own_cell();
  if (!cell) throw PythonErrorSet();
  return *cell;
}

/// Has a number of its own from its first entry on. An address would be another's after its end,
/// which blocks that nobody left outlive.
struct GradBlock {
  PyObject_HEAD std::uint64_t number;  // 0 before
};

// Guarded by the GIL.
std::uint64_t numbers_given = 0;

void enter(PyObject* self, ModeBits set) {
  std::uint64_t& number = reinterpret_cast<GradBlock*>(self)->number;
  if (number == 0) number = ++numbers_given;
  own_cell_here().grad.enter(number, set.mask, set.bits);
}

void leave(PyObject* self) {
  const std::uint64_t number = reinterpret_cast<GradBlock*>(self)->number;
  if (number != 0) own_cell_here().grad.leave(number);
}

PyObject* enter_block(PyObject* self, PyObject*) noexcept try {
  enter(self, bits_of(self));
  Py_RETURN_NONE;
} catch (...) {
  return raise_current();
}

/// What a copy is made with: nothing, so that its number is not its original's.
PyObject* copied_with(PyObject*, PyObject*) noexcept { return PyTuple_New(0); }

PyObject* leave_block(PyObject* self, PyObject*) noexcept try {
  leave(self);
  Py_RETURN_NONE;
} catch (...) {
  return raise_current();
}

/// Sets bits where it is made, and takes that back where it begins a block, or decorates.
struct SettingBlock {
  GradBlock block;
  std::size_t depth;  // of blocks, when it was made
  ModeBits before;    // of that time, until it is taken back
};

void take_back(PyObject* self) {
  auto& block = *reinterpret_cast<SettingBlock*>(self);
  GradModes& grad = own_cell_here().grad;
  const ModeBits before = std::exchange(block.before, {});
  if (before.mask && grad.depth(before.mask) == block.depth) grad.set(before.mask, before.bits);
}

int init_setting(PyObject* self, PyObject*, PyObject*) noexcept try {
  auto& block = *reinterpret_cast<SettingBlock*>(self);
  const ModeBits set = bits_of(self);
  GradModes& grad = own_cell_here().grad;
  block.depth = grad.depth(set.mask);
  block.before = {set.mask, grad.set(set.mask, set.bits)};
  return 0;
} catch (...) {
  raise_current();
  return -1;
}

PyObject* enter_setting(PyObject* self, PyObject*) noexcept try {
  const ModeBits set = bits_of(self);
  take_back(self);
  enter(self, set);
  Py_RETURN_NONE;
} catch (...) {
  return raise_current();
}

PyObject* call_setting(PyObject* self, PyObject* given, PyObject* named) noexcept try {
  take_back(self);
  const Ref decorate(checked(PyObject_GetAttrString(self, "_decorate")));
  return PyObject_Call(decorate.get(), given, named);
} catch (...) {
  return raise_current();
}

/// Calls `undo(self)` for an object that ends because of Ctrl-C, and that nobody else has had: it
/// came between the call that made it and the block or, from Python 3.14 on, between `__enter__`
/// and the block.
template <auto undo>
void finalize_after_interrupt(PyObject* self) noexcept try {
  if (!ends_by_interrupt()) return;
  const RaisedAside aside;
  undo(self);
} catch (...) {
  raise_current();
  PyErr_WriteUnraisable(nullptr);
}

void undo_setting(PyObject* self) {
  take_back(self);
  leave(self);
}

/// The entries of a stack that a context variable holds: a tuple, the innermost last.
Ref stack_of(PyObject* variable) {
  if (!PyContextVar_CheckExact(variable))
    throw_type_error("_StackBlock: a stack of type %s; a ContextVar is needed",
                     Py_TYPE(variable)->tp_name);
  PyObject* found = nullptr;
  if (PyContextVar_Get(variable, nullptr, &found) < 0) throw PythonErrorSet();
  Ref stack(found ? found : checked(PyTuple_New(0)));
  if (!PyTuple_Check(stack.get()))
    throw_type_error("_StackBlock: a stack of type %s; a tuple is needed",
                     Py_TYPE(stack.get())->tp_name);
  return stack;
}

void set_stack(PyObject* variable, PyObject* stack) {
  const Ref token(checked(PyContextVar_Set(variable, stack)));
}

// Guarded by the GIL.
PyObject* watched = nullptr;
StackWatcher watcher = nullptr;

void tell(PyObject* variable, int more) noexcept {
  if (variable == watched) watcher(more);
}

void push(PyObject* variable, PyObject* entry) {
  const Ref before = stack_of(variable);
  const Py_ssize_t count = PyTuple_GET_SIZE(before.get());
  const Ref stack(checked(PyTuple_New(count + 1)));
  for (Py_ssize_t i = 0; i < count; ++i)
    PyTuple_SET_ITEM(stack.get(), i, Py_NewRef(PyTuple_GET_ITEM(before.get(), i)));
  PyTuple_SET_ITEM(stack.get(), count, Py_NewRef(entry));
  set_stack(variable, stack.get());
  tell(variable, +1);
}

bool is_of(PyObject* entry, PyObject* owner) {
  return entry == owner || (PyTuple_Check(entry) && PyTuple_GET_SIZE(entry) > 0 &&
                            PyTuple_GET_ITEM(entry, 0) == owner);
}

/// Empties the dict that ends an entry, if one does: tasks may hold the stack they were born with.
void forget(PyObject* entry) {
  if (!PyTuple_Check(entry) || PyTuple_GET_SIZE(entry) == 0) return;
  PyObject* const last = PyTuple_GET_ITEM(entry, PyTuple_GET_SIZE(entry) - 1);
  if (PyDict_CheckExact(last)) PyDict_Clear(last);
}

/// Takes the innermost entry of `owner` away; null where there is none.
Ref pop(PyObject* variable, PyObject* owner) {
  const Ref before = stack_of(variable);
  const Py_ssize_t count = PyTuple_GET_SIZE(before.get());
  Py_ssize_t place = count;
  while (place-- > 0)
    if (is_of(PyTuple_GET_ITEM(before.get(), place), owner)) break;
  if (place < 0) return Ref();
  const Ref stack(checked(PyTuple_New(count - 1)));
  for (Py_ssize_t i = 0; i < count - 1; ++i)
    PyTuple_SET_ITEM(stack.get(), i,
                     Py_NewRef(PyTuple_GET_ITEM(before.get(), i < place ? i : i + 1)));
  Ref entry = Ref::borrow(PyTuple_GET_ITEM(before.get(), place));
  set_stack(variable, stack.get());
  tell(variable, -1);
  if (count == 1) forget(entry.get());
  return entry;
}

PyObject* enter_stack(PyObject* self, PyObject*) noexcept try {
  const Ref variable(checked(PyObject_GetAttrString(self, "_stack")));
  const Ref entry(checked(PyObject_CallMethod(self, "_entry", nullptr)));
  const ModeBits set = bits_of(self);
  if (set.mask) enter(self, set);
  try {
    push(variable.get(), entry.get());
  } catch (...) {
    const RaisedAside aside;
    if (set.mask) leave(self);
    throw;
  }
  return Py_NewRef(self);
} catch (...) {
  return raise_current();
}

void undo_stack(PyObject* self) {
  if (bits_of(self).mask) leave(self);
  const Ref variable(checked(PyObject_GetAttrString(self, "_stack")));
  const Ref gone = pop(variable.get(), self);
}

PyObject* leave_stack(PyObject* self, PyObject*) noexcept try {
  undo_stack(self);
  Py_RETURN_NONE;
} catch (...) {
  return raise_current();
}

PyObject* own_entry(PyObject* self, PyObject*) noexcept { return Py_NewRef(self); }

PyObject* call_push(PyObject*, PyObject* const* given, Py_ssize_t count) noexcept try {
  if (count != 2) throw_type_error("_push_entry: %zd arguments; 2 are needed", count);
  push(given[0], given[1]);
  Py_RETURN_NONE;
} catch (...) {
  return raise_current();
}

PyObject* call_pop(PyObject*, PyObject* const* given, Py_ssize_t count) noexcept try {
  if (count != 2) throw_type_error("_pop_entry: %zd arguments; 2 are needed", count);
  const Ref gone = pop(given[0], given[1]);
  Py_RETURN_NONE;
} catch (...) {
  return raise_current();
}

/// The most times that Ctrl-C may meet one end of a block.
constexpr int most_tries = 1000;

/// Calls what puts something back until nothing keeps it from its end; raises what it raised first.
Ref put_back(PyObject* call, PyObject* const* given, std::size_t count) {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  Ref result;
  bool is_over = false;
  for (int i = 0; i < most_tries && !is_over; ++i) {
    result = Ref(PyObject_Vectorcall(call, given, count, nullptr));
    // An error of the program's own may be a handler's: what had begun is told once more to end.
    is_over = result.get() || (type && !PyErr_ExceptionMatches(PyExc_KeyboardInterrupt));
    if (!result && !type)
      PyErr_Fetch(&type, &value, &traceback);
    else
      PyErr_Clear();
  }
  if (!type) return result;
  PyErr_Restore(type, value, traceback);
  throw PythonErrorSet();
}

Ref end_entry(PyObject* self, PyObject* entry, PyObject* const* raised) {
  const Ref leave(checked(PyObject_GetAttrString(self, "_leave")));
  PyObject* const given[] = {entry, raised[0], raised[1], raised[2]};
  return put_back(leave.get(), given, std::size(given));
}

/// The list of what the blocks of this object have kept that are open.
Ref entries_of(PyObject* self) {
  if (Ref found = Ref(PyObject_GetAttrString(self, "_entries"))) {
    if (!PyList_Check(found.get()))
      throw_type_error("_EndingBlock: entries of type %s; a list is needed",
                       Py_TYPE(found.get())->tp_name);
    return found;
  }
  if (!PyErr_ExceptionMatches(PyExc_AttributeError)) throw PythonErrorSet();
  PyErr_Clear();
  Ref made(checked(PyList_New(0)));
  if (PyObject_SetAttrString(self, "_entries", made.get()) < 0) throw PythonErrorSet();
  return made;
}

PyObject* enter_ending(PyObject* self, PyObject*) noexcept try {
  const Ref entries = entries_of(self), entry(checked(PyList_New(0)));
  Ref result(PyObject_CallMethod(self, "_enter", "O", entry.get()));
  if (result && PyList_Append(entries.get(), entry.get()) == 0) return result.release();
  const RaisedAside aside;
  try {
    PyObject* const none[] = {Py_None, Py_None, Py_None};
    end_entry(self, entry.get(), none);
  } catch (...) {
    raise_current();
    PyErr_Clear();
  }
  return nullptr;
} catch (...) {
  return raise_current();
}

void undo_ending(PyObject* self) {
  const Ref entries = entries_of(self);
  PyObject* const none[] = {Py_None, Py_None, Py_None};
  while (PyObject_Size(entries.get()) > 0) {
    const Ref entry(checked(PyObject_CallMethod(entries.get(), "pop", nullptr)));
    end_entry(self, entry.get(), none);
  }
}

PyObject* leave_ending(PyObject* self, PyObject* const* given, Py_ssize_t count) noexcept try {
  if (count != 3) throw_type_error("__exit__: %zd arguments; 3 are needed", count);
  const Ref entries = entries_of(self);
  Ref entry(PyObject_CallMethod(entries.get(), "pop", nullptr));
  if (!entry) {
    if (!PyErr_ExceptionMatches(PyExc_IndexError)) throw PythonErrorSet();
    PyErr_Clear();
    entry = Ref::borrow(Py_None);
  }
  return end_entry(self, entry.get(), given).release();
} catch (...) {
  return raise_current();
}

PyObject* call_put_back(PyObject*, PyObject* const* given, Py_ssize_t count) noexcept try {
  if (count == 0) throw_type_error("_put_back: no arguments; one that can be called is needed");
  return put_back(given[0], given + 1, static_cast<std::size_t>(count - 1)).release();
} catch (...) {
  return raise_current();
}

bool add_type(PyObject* module, PyType_Spec& spec, const char* name, PyObject* base) {
  const Ref type(PyType_FromSpecWithBases(&spec, base));
  return type && PyModule_AddObjectRef(module, name, type.get()) == 0;
}

bool add_grad_block(PyObject* module) {
  static PyMethodDef methods[] = {
      {"__enter__", enter_block, METH_NOARGS, "Set the bits `_bits` of `_mask` in this context."},
      {"__exit__", leave_block, METH_VARARGS, "Leave the innermost block of this object, if any."},
      {"__getnewargs__", copied_with, METH_NOARGS, "What a copy is made with: nothing."},
      {}};
  static PyType_Slot slots[] = {
      {Py_tp_methods, methods},
      {Py_tp_finalize, reinterpret_cast<void*>(&finalize_after_interrupt<leave>)},
      {Py_tp_doc, const_cast<char*>("A block with bits of the grad mode of its own.")},
      {}};
  static PyType_Spec spec{"garboard._engine._GradBlock", sizeof(GradBlock), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  return add_type(module, spec, "_GradBlock", nullptr);
}

bool add_setting_block(PyObject* module, PyObject* base) {
  static PyMethodDef methods[] = {
      {"__enter__", enter_setting, METH_NOARGS, "Take back what the call set, and enter a block."},
      {}};
  static PyType_Slot slots[] = {
      {Py_tp_methods, methods},
      {Py_tp_init, reinterpret_cast<void*>(&init_setting)},
      {Py_tp_call, reinterpret_cast<void*>(&call_setting)},
      {Py_tp_finalize, reinterpret_cast<void*>(&finalize_after_interrupt<undo_setting>)},
      {Py_tp_doc, const_cast<char*>("One that sets the bits at once; called, it decorates.")},
      {}};
  static PyType_Spec spec{"garboard._engine._SettingBlock", sizeof(SettingBlock), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  return add_type(module, spec, "_SettingBlock", base);
}

bool add_stack_block(PyObject* module, PyObject* base) {
  static PyMethodDef methods[] = {
      {"__enter__", enter_stack, METH_NOARGS, "Push `_entry()` on the stack that `_stack` holds."},
      {"__exit__", leave_stack, METH_VARARGS, "Take its innermost entry away, if any."},
      {"_entry", own_entry, METH_NOARGS, "What stands for it: itself, or a tuple that begins so."},
      {}};
  static PyType_Slot slots[] = {
      {Py_tp_methods, methods},
      {Py_tp_finalize, reinterpret_cast<void*>(&finalize_after_interrupt<undo_stack>)},
      {Py_tp_doc, const_cast<char*>("One that a context variable knows about, too.")},
      {}};
  static PyType_Spec spec{"garboard._engine._StackBlock", sizeof(GradBlock), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  return add_type(module, spec, "_StackBlock", base);
}

bool add_ending_block(PyObject* module) {
  static PyMethodDef methods[] = {
      {"__enter__", enter_ending, METH_NOARGS, "What `_enter` returns, told a list to keep."},
      {"__exit__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&leave_ending)),
       METH_FASTCALL, "What `_leave` returns, told that list, or None, and what was raised."},
      {}};
  static PyType_Slot slots[] = {
      {Py_tp_methods, methods},
      {Py_tp_finalize, reinterpret_cast<void*>(&finalize_after_interrupt<undo_ending>)},
      {Py_tp_doc, const_cast<char*>("A block whose end Ctrl-C may meet, and does not undo.")},
      {}};
  static PyType_Spec spec{"garboard._engine._EndingBlock", sizeof(PyObject), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  return add_type(module, spec, "_EndingBlock", nullptr);
}

}  // namespace

bool ends_by_interrupt() noexcept {
  PyObject* const raised = PyErr_Occurred();
  return raised && PyErr_GivenExceptionMatches(raised, PyExc_KeyboardInterrupt);
}

void watch_stack(PyObject* variable, StackWatcher call) noexcept {
  const Ref before(std::exchange(watched, Py_NewRef(variable)));
  watcher = call;
}

bool add_blocks(PyObject* module) {
  static PyMethodDef functions[] = {
      {"_push_entry", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&call_push)),
       METH_FASTCALL, "Push an entry on the stack that a context variable holds."},
      {"_pop_entry", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&call_pop)),
       METH_FASTCALL, "Take the innermost entry of an owner off that stack, if there is one."},
      {"_put_back", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&call_put_back)),
       METH_FASTCALL,
       "Call a function until Ctrl-C has not kept it from its end; raise what it raised first."},
      {}};
  if (PyModule_AddFunctions(module, functions) < 0 || !add_ending_block(module) ||
      !add_grad_block(module))
    return false;
  const Ref base(PyObject_GetAttrString(module, "_GradBlock"));
  return base && add_setting_block(module, base.get()) && add_stack_block(module, base.get());
}

}  // namespace garboard::python
