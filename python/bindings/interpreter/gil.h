// Python's GIL. Here alone it is given up and taken: while nobody has given it up, counts and short
// locks are plain (csrc/core/exclusive.h), so whoever goes on without it must be counted first.
#pragma once

#include <Python.h>

#include "csrc/core/exclusive.h"
#include "csrc/lifetime/borrowing.h"
#include "csrc/ops/op/destination.h"

namespace garboard::python {

/// Tells the core that there is a GIL, which the calling thread holds.
void declare_gil() noexcept;

/// Whether the calling thread holds it; true for all once the interpreter has ended.
bool has_gil() noexcept;

/// Lets other threads have the GIL while it exists. Made with it, and ended with it again. What the
/// thread reads meanwhile must be kept alive by shares, or by a Borrowing.
class WithoutGil {
 public:
  WithoutGil() noexcept;
  ~WithoutGil();
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  Exclusive::Leave counting_;
  Borrowing::Absence borrowing_;
  PyThreadState* thread_;
};

/// Holds the GIL while it exists, on a thread that may have it, have given it up, or never have had
/// it. False once the interpreter has ended: then there is no Python to call.
class WithGil {
 public:
  WithGil() noexcept;
  ~WithGil();
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;
  explicit operator bool() const noexcept { return is_held_; }

 private:
  bool is_held_;
  PyGILState_STATE before_{};
  Destination none_{nullptr};  // for what Python calls meanwhile
};

}  // namespace garboard::python
