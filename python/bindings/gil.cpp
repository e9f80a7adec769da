#include "python/bindings/gil.h"

#include <Python.h>
#include <pthread.h>
#include <unistd.h>

#include "csrc/core/exclusive.h"
#include "csrc/core/outer_lock.h"
#include "csrc/lifetime/borrowing.h"

namespace garboard::python {
namespace {

/// A thread's way without the GIL. What others count from now on, they count atomically.
struct Outside {
  Exclusive::Leave counting;
  Borrowing::Absence borrowing;
  PyThreadState* thread;
};

// A thread that wants the GIL of an interpreter which is leaving is unwound by CPython, frame by
// frame, and C++ calls std::terminate at the first that may not throw. It waits here for the end.
struct Wait {
  bool has_come_back = false;
  ~Wait() {
    while (!has_come_back) pause();
  }
};

bool has_gil() noexcept {
  PyThreadState* const own = PyGILState_GetThisThreadState();  // null in a worker thread
  return own && own == _PyThreadState_UncheckedGet();
}

void* leave() noexcept try {
  if (!has_gil()) return nullptr;
  auto* const outside = new Outside;
  outside->thread = PyEval_SaveThread();
  return outside;
} catch (...) {  // no memory for it: then with the GIL
  return nullptr;
}

void come_back(void* left) {
  auto* const outside = static_cast<Outside*>(left);
  Wait wait;
  PyEval_RestoreThread(outside->thread);
  wait.has_come_back = true;
  delete outside;
}

}  // namespace

void declare_gil() noexcept {
  Exclusive::declare();
  OuterLock::declare({leave, come_back});
  pthread_atfork(nullptr, nullptr, [] {  // whoever was outside is not in the child
    Exclusive::declare();
    Borrowing::forget_others();
  });
}

}  // namespace garboard::python
