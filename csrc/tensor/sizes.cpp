#include "csrc/tensor/sizes.h"

#include "csrc/core/error.h"

namespace garboard {

void check_not_negative(const char* op, const Dims& sizes) {
  for (const std::int64_t size : sizes) {
    if (size < 0) throw ShapeError(text(op, ": sizes ", sizes, "; no size may be negative"));
  }
}

void refuse_bytes(const char* op, const Dims& sizes, DType dtype) {
  const bool is_empty = std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
  throw ShapeError(text(op, ": sizes ", sizes, " of ", name_of(dtype), " need at least 2^63 bytes",
                        is_empty ? ", a 0 taken as 1 as in strides" : "",
                        "; no device holds them"));
}

}  // namespace garboard
