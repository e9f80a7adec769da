#include "python/bindings/interpreter/gil.h"

#include <unistd.h>

#include <cassert>
#include <new>

#include "csrc/core/forks.h"
#include "csrc/core/outer_lock.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/ref.h"

namespace garboard::python {
namespace {

// A thread that wants the GIL of an interpreter which is leaving is unwound by CPython, frame by
// frame, and C++ calls std::terminate at the first that may not throw. It waits here for the end:
// in a function that may throw, since others clean nothing up on that way.
template <class Take>
[[gnu::noinline]] auto take_or_wait(Take take) {
  struct Wait {
    bool has_come_back = false;
    ~Wait() {
      while (!has_come_back) pause();
    }
  } wait;
  const auto taken = take();
  wait.has_come_back = true;
  return taken;
}

void* leave() noexcept {
  return has_gil() && Py_IsInitialized() ? new (std::nothrow) WithoutGil : nullptr;
}

void come_back(void* left) { delete static_cast<WithoutGil*>(left); }

/// Python runs signal handlers in its main thread alone, which none but `threading` knows. Until
/// that was asked, a thread may be the one.
enum class Hears : char { perhaps, yes, no };
thread_local Hears hears = Hears::perhaps;

/// Throws what a signal handler raised meanwhile: Python code hears signals too.
bool is_main_thread() {
  const Ref threading(PyImport_ImportModule("threading"));
  const Ref main(threading ? PyObject_CallMethod(threading.get(), "main_thread", nullptr)
                           : nullptr);
  const Ref number(main ? PyObject_GetAttrString(main.get(), "ident") : nullptr);
  const unsigned long ident = number ? PyLong_AsUnsignedLong(number.get()) : 0;
  if (!PyErr_Occurred()) return ident == PyThread_get_thread_ident();
  if (!PyErr_ExceptionMatches(PyExc_AttributeError) && !PyErr_ExceptionMatches(PyExc_ImportError))
    throw PythonErrorSet();
  PyErr_Clear();  // half an interpreter: signals are looked at in vain
  return true;
}

bool can_be_ended() noexcept { return hears != Hears::no; }

void end_if_asked() {
  if (PyErr_CheckSignals() < 0) throw PythonErrorSet();
  if (hears == Hears::perhaps) hears = is_main_thread() ? Hears::yes : Hears::no;
}

}  // namespace

bool has_gil() noexcept {
  if (!Py_IsInitialized()) return true;
  PyThreadState* const own = PyGILState_GetThisThreadState();  // null in a worker thread
  return own && own == _PyThreadState_UncheckedGet();
}

WithoutGil::WithoutGil() noexcept {
  assert(has_gil());
  thread_ = PyEval_SaveThread();
}

WithoutGil::~WithoutGil() {
  take_or_wait([this] { return PyEval_RestoreThread(thread_), true; });
}

WithGil::WithGil() noexcept : is_held_(Py_IsInitialized()) {
  if (is_held_) before_ = take_or_wait([] { return PyGILState_Ensure(); });
}

WithGil::~WithGil() {
  if (is_held_) PyGILState_Release(before_);
}

namespace {

// Whoever was outside is not in the child, and who forks is the main thread there.
void begin_child() {
  hears = Hears::perhaps;
  Exclusive::declare(has_gil);
  Borrowing::forget_others();
}

}  // namespace

void declare_gil() noexcept {
  Exclusive::declare(has_gil);
  OuterLock::declare({leave, come_back, can_be_ended, end_if_asked});
  watch_forks<begin_child>();
}

}  // namespace garboard::python
