// A Python number on its way into an op: keeps its category, because promotion asks for it.
#pragma once

#include <cstdint>

#include "csrc/core/dtype.h"

namespace garboard {

struct Scalar {
  Category category = Category::floating;
  double real = 0;           // the value, for every category
  std::int64_t integer = 0;  // exact for booleans and integers

  static constexpr Scalar of(bool value) { return {Category::boolean, double(value), value}; }
  static constexpr Scalar of(std::int64_t value) {
    return {Category::integer, static_cast<double>(value), value};
  }
  static constexpr Scalar of(double value) { return {Category::floating, value, 0}; }

  /// Converted as C++ converts, except that a bool is `value != 0`.
  template <class T>
  constexpr T to() const {
    if (category != Category::floating) return static_cast<T>(integer);
    return static_cast<T>(real);
  }
};

}  // namespace garboard
