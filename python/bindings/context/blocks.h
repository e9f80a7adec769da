// Blocks of Python's `with` that change how ops run here, whose two ends are C.
//
// Python raises a KeyboardInterrupt where a function of its own begins, and where a call has
// returned: an end of a block that was such a function would be left undone by Ctrl-C. From 3.14 on
// it raises one between the return of `__enter__` and the block as well, and no `__exit__` is
// called: what was entered is left where its object ends by that.
#pragma once

#include <Python.h>

namespace garboard::python {

/// Is told of each entry that is pushed, +1, and of each that is taken away, -1.
using StackWatcher = void (*)(int more) noexcept;
/// Has the stack of a context variable watched, instead of the one before.
void watch_stack(PyObject* variable, StackWatcher call) noexcept;

/// Whether an object that is ending now does so because of Ctrl-C.
bool ends_by_interrupt() noexcept;

/// Adds `_EndingBlock`; `_GradBlock` and the kinds of it: `_SettingBlock`, `_StackBlock`;
/// `_push_entry` and `_pop_entry`.
bool add_blocks(PyObject* module);

}  // namespace garboard::python
