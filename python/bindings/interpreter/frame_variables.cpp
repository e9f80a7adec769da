#include "python/bindings/interpreter/frame_variables.h"

#define Py_BUILD_CORE 1
#include <internal/pycore_code.h>
#undef Py_BUILD_CORE

#include <utility>
#include <vector>

#include "python/bindings/interpreter/interpreter_frame.h"
#include "python/bindings/interpreter/ref.h"

namespace garboard::python {
namespace {

InterpreterFrame* inside(PyObject* frame) {
  return reinterpret_cast<PyFrameObject*>(frame)->f_frame;
}

bool is_cell(const PyCodeObject* code, int i) {
  return _PyLocals_GetKind(code->co_localspluskinds, i) & (CO_FAST_CELL | CO_FAST_FREE);
}

}  // namespace

int visit_frame_variables(PyObject* object, visitproc visit, void* arg) {
  const InterpreterFrame* const frame = inside(object);
  const PyCodeObject* const code = frame ? code_of(frame) : nullptr;
  if (!code || frame->owner == FRAME_OWNED_BY_FRAME_OBJECT) return 0;
  Py_VISIT(frame->f_locals);  // of a module or a class body
  const int count = places_of(frame, code);
  for (int i = 0; i < count; ++i) Py_VISIT(object_in(frame->localsplus[i]));
  return 0;
}

PyObject* frame_variables(PyObject* object) {
  // References first: making the list may collect garbage, and while that runs code another thread
  // may go on and leave the frame.
  std::vector<std::pair<Ref, Ref>> found;
  const InterpreterFrame* const frame = inside(object);
  const PyCodeObject* const code = frame ? code_of(frame) : nullptr;
  for (int i = 0; code && i < code->co_nlocalsplus; ++i) {
    PyObject* value = object_in(frame->localsplus[i]);
    // Until its MAKE_CELL has run, the place of a cell holds the bare argument.
    if (value && is_cell(code, i) && PyCell_Check(value)) value = PyCell_GET(value);
    if (!value) continue;
    PyObject* const name = PyTuple_GET_ITEM(code->co_localsplusnames, i);
    found.emplace_back(Ref::borrow(name), Ref::borrow(value));
  }
  Ref list(PyList_New(static_cast<Py_ssize_t>(found.size())));
  for (std::size_t i = 0; list && i < found.size(); ++i) {
    PyObject* const pair = PyTuple_Pack(2, found[i].first.get(), found[i].second.get());
    if (!pair) return nullptr;
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), pair);
  }
  return list.release();
}

}  // namespace garboard::python
