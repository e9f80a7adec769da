#include "csrc/core/dtype.h"

#include "csrc/core/error.h"
#include "csrc/core/text.h"

namespace garboard {

void refuse_complex(const char* op, DType dtype) {
  throw DTypeError(
      text(op, ": dtype ", name_of(dtype), "; a real one is needed, as of x.real or x.abs()"));
}

}  // namespace garboard
