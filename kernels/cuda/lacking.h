// Kernels that CUDA has not got: in their places stand functions that say so.
#pragma once

#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "kernels/entries.h"

namespace garboard::kernels::cuda {

template <Name op, class Kernel>
struct Lacking;
template <Name op, class Result, class... Arguments>
struct Lacking<op, Result (*)(Arguments...)> {
  static Result kernel(Arguments...) {
    throw DeviceError(text(op.letters,
                           ": tensors on a CUDA device; it has a kernel for the CPU alone, move "
                           "them with to(\"cpu\")"));
  }
};

/// A table that raises DeviceError, in the name of the op, whatever is called.
inline Table lacking_table() {
  Table table{};
  for_each_entry(table,
                 []<Name op, class Kernel>(Kernel& entry) { entry = Lacking<op, Kernel>::kernel; });
  return table;
}

}  // namespace garboard::kernels::cuda
