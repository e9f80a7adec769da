// A Python number on its way into an op: keeps its category, because promotion asks for it.
#pragma once

#include <cstdint>

#include "csrc/core/dtype.h"

namespace garboard {

struct Scalar {
  Category category = Category::floating;
  double real = 0;           // the value, for every category but complex: of that, its real part
  std::int64_t integer = 0;  // exact for booleans and integers
  double imaginary = 0;

  static constexpr Scalar of(bool value) { return {Category::boolean, double(value), value}; }
  static constexpr Scalar of(std::int64_t value) {
    return {Category::integer, static_cast<double>(value), value};
  }
  static constexpr Scalar of(double value) { return {Category::floating, value, 0}; }
  static constexpr Scalar of(Complex<double> value) {
    return {Category::complex, value.real, 0, value.imaginary};
  }

  constexpr bool is(double number) const { return real == number && imaginary == 0; }
  /// Of a real number, NaN being nowhere.
  constexpr bool is_within(double low, double high) const {
    return category != Category::complex && real >= low && real <= high;
  }
  constexpr bool is_whole() const { return category < Category::floating; }

  /// Converted as C++ converts, except that a bool is `value != 0`. Of a complex number what is not
  /// complex takes the real part.
  template <class T>
  constexpr T to() const {
    if constexpr (is_complex_type<T>) {
      return T(Complex<double>(real, imaginary));
    } else {
      return is_whole() ? static_cast<T>(integer) : static_cast<T>(real);
    }
  }
};

}  // namespace garboard
