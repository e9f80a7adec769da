// The interpreter's own frames: its headers tell where they are. CPython gives 3.11 no other way
// that does not make a frame object, which costs ten times as much.
#pragma once

#ifndef Py_BUILD_CORE
#define Py_BUILD_CORE 1
#endif
#include <Python.h>
#if PY_VERSION_HEX >= 0x030e0000
#include <internal/pycore_frame.h>
#include <internal/pycore_genobject.h>
#include <internal/pycore_interpframe.h>
#else
#include <internal/pycore_frame.h>
#endif
#undef Py_BUILD_CORE

#include <cstddef>

namespace garboard::python {

using InterpreterFrame = _PyInterpreterFrame;

#if PY_VERSION_HEX >= 0x030d0000
inline InterpreterFrame* innermost_frame(PyThreadState* thread) { return thread->current_frame; }
/// Where in its code a frame is: an address that lies inside one code object.
inline const void* position_of(const InterpreterFrame* frame) { return frame->instr_ptr; }
#else
inline InterpreterFrame* innermost_frame(PyThreadState* thread) {
  return thread->cframe->current_frame;
}
inline const void* position_of(const InterpreterFrame* frame) { return frame->prev_instr; }
#endif

/// What a place of a frame holds; null for nothing, and for numbers that are no objects.
#if PY_VERSION_HEX >= 0x030e0000
inline PyObject* object_in(_PyStackRef place) {
  return PyStackRef_IsNullOrInt(place) ? nullptr : PyStackRef_AsPyObjectBorrow(place);
}
#else
inline PyObject* object_in(PyObject* place) { return place; }
#endif

#if PY_VERSION_HEX >= 0x030d0000
inline PyCodeObject* code_of(const InterpreterFrame* frame) {
  PyObject* const executable = object_in(frame->f_executable);
  return executable && PyCode_Check(executable) ? reinterpret_cast<PyCodeObject*>(executable)
                                                : nullptr;
}
#else
inline PyCodeObject* code_of(const InterpreterFrame* frame) { return frame->f_code; }
#endif

/// How many places of a frame are filled: its variables, and what it computes with, whose height
/// is written when it calls Python or is suspended.
inline int places_of(const InterpreterFrame* frame, const PyCodeObject* code) {
#if PY_VERSION_HEX >= 0x030e0000
  const std::ptrdiff_t top = frame->stackpointer ? frame->stackpointer - frame->localsplus : 0;
#else
  const std::ptrdiff_t top = frame->stacktop;  // -1 while it runs
#endif
  return top > code->co_nlocalsplus ? static_cast<int>(top) : code->co_nlocalsplus;
}

/// The generator or coroutine that a frame lies in.
inline PyObject* generator_around(InterpreterFrame* frame) {
#if PY_VERSION_HEX >= 0x030e0000
  return reinterpret_cast<PyObject*>(_PyGen_GetGeneratorFromFrame(frame));
#else
  return reinterpret_cast<PyObject*>(_PyFrame_GetGenerator(frame));
#endif
}

/// False for what the interpreter does itself: its entry frames, and those that only clean up,
/// whose code lies in memory that cannot be written.
inline bool runs_python(const InterpreterFrame* frame) {
#if PY_VERSION_HEX >= 0x030e0000
  if (frame->owner >= FRAME_OWNED_BY_INTERPRETER) return false;
#elif PY_VERSION_HEX >= 0x030c0000
  if (frame->owner == FRAME_OWNED_BY_CSTACK) return false;
#endif
  return code_of(frame) && !_PyFrame_IsIncomplete(const_cast<InterpreterFrame*>(frame));
}

/// The line of a position in `code`; the first of all for an instruction that has none.
inline int line_at(PyCodeObject* code, const void* position) {
  const auto offset =
      static_cast<const char*>(position) - reinterpret_cast<const char*>(_PyCode_CODE(code));
  const int line = PyCode_Addr2Line(code, static_cast<int>(offset));
  return line >= 0 ? line : code->co_firstlineno;
}

}  // namespace garboard::python
