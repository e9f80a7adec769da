// The interpreter's own frames: its headers tell where they are. CPython gives 3.11 no other way
// that does not make a frame object, which costs ten times as much.
#pragma once

#ifndef Py_BUILD_CORE
#define Py_BUILD_CORE 1
#endif
#include <Python.h>
#include <internal/pycore_frame.h>
#undef Py_BUILD_CORE

namespace garboard::python {

using InterpreterFrame = _PyInterpreterFrame;

#if PY_VERSION_HEX >= 0x030d0000
inline InterpreterFrame* innermost_frame(PyThreadState* thread) { return thread->current_frame; }
inline PyCodeObject* code_of(const InterpreterFrame* frame) {
  return PyCode_Check(frame->f_executable) ? reinterpret_cast<PyCodeObject*>(frame->f_executable)
                                           : nullptr;
}
/// Where in its code a frame is: an address that lies inside one code object.
inline const void* position_of(const InterpreterFrame* frame) { return frame->instr_ptr; }
#else
inline InterpreterFrame* innermost_frame(PyThreadState* thread) {
  return thread->cframe->current_frame;
}
inline PyCodeObject* code_of(const InterpreterFrame* frame) { return frame->f_code; }
/// Where in its code a frame is: an address that lies inside one code object.
inline const void* position_of(const InterpreterFrame* frame) { return frame->prev_instr; }
#endif

/// False for what the interpreter does itself: its entry frames, and those that only clean up,
/// whose code lies in memory that cannot be written.
inline bool runs_python(const InterpreterFrame* frame) {
#if PY_VERSION_HEX >= 0x030c0000
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
