// What sizes come to in memory, and the most they may: the one bound that counts, strides, offsets
// and bytes are computed under.
#pragma once

#include <algorithm>

#include "csrc/core/dims.h"
#include "csrc/core/dtype.h"

namespace garboard {

/// Raises ShapeError for a negative size.
void check_not_negative(const char* op, const Dims& sizes);

[[noreturn]] void refuse_bytes(const char* op, const Dims& sizes, DType dtype);

/// The elements of a tensor of `sizes`, none of them negative. Raises ShapeError where they need
/// 2^63 bytes or more. A size of 0 counts as 1 there, as it does in strides: so what is a part of
/// the sizes, or reduces them, stays within the bound too.
inline std::int64_t checked_count(const char* op, const Dims& sizes, DType dtype) {
  auto bytes = static_cast<std::int64_t>(item_size(dtype));
  std::uint64_t count = 1;
  bool overflows = false;
  for (const std::int64_t size : sizes) {
    overflows |= __builtin_mul_overflow(bytes, std::max<std::int64_t>(size, 1), &bytes);
    count *= static_cast<std::uint64_t>(size);
  }
  if (overflows) [[unlikely]]
    refuse_bytes(op, sizes, dtype);
  return static_cast<std::int64_t>(count);
}

}  // namespace garboard
