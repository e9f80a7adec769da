// The dtypes of what is made without one.
#pragma once

#include "csrc/core/dtype.h"

namespace garboard {

/// Of new floats, and of what functions of real numbers make of integers: float32 until
/// `set_default_floating` says otherwise, for all threads.
DType default_floating() noexcept;

/// `dtype` is a floating one.
void set_default_floating(DType dtype) noexcept;

/// What a lone Python number of a category becomes.
inline DType default_dtype(Category category) noexcept {
  if (category == Category::floating) return default_floating();
  if (category == Category::complex) return complex_of(default_floating());
  return category == Category::boolean ? DType::boolean : DType::int64;
}

}  // namespace garboard
