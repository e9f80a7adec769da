// Complex numbers: two floats side by side, as C, Fortran, NumPy and PyTorch have them. A type of
// our own, for std::complex is not for a GPU, and its products look for NaN.
#pragma once

#include <type_traits>

#include "csrc/core/host_device.h"

namespace garboard {

template <class R>
struct Complex {
  R real, imaginary;

  Complex() = default;
  GARBOARD_HD constexpr Complex(R real, R imaginary = R(0)) : real(real), imaginary(imaginary) {}
  template <class N>
  requires(std::is_arithmetic_v<N> && !std::is_same_v<N, R>) GARBOARD_HD
      explicit constexpr Complex(N x)
      : real(static_cast<R>(x)), imaginary(0) {}
  template <class S>
  requires(!std::is_same_v<S, R>) GARBOARD_HD explicit constexpr Complex(Complex<S> x)
      : real(static_cast<R>(x.real)), imaginary(static_cast<R>(x.imaginary)) {}

  GARBOARD_HD constexpr Complex& operator+=(Complex b) { return *this = *this + b; }
  GARBOARD_HD constexpr Complex& operator*=(Complex b) { return *this = *this * b; }

  GARBOARD_HD friend constexpr bool operator==(Complex a, Complex b) {
    return (a.real == b.real) & (a.imaginary == b.imaginary);
  }
  GARBOARD_HD friend constexpr bool operator!=(Complex a, Complex b) {
    return (a.real != b.real) | (a.imaginary != b.imaginary);
  }
  GARBOARD_HD friend constexpr Complex operator-(Complex a) { return {-a.real, -a.imaginary}; }
  GARBOARD_HD friend constexpr Complex operator+(Complex a, Complex b) {
    return {a.real + b.real, a.imaginary + b.imaginary};
  }
  GARBOARD_HD friend constexpr Complex operator-(Complex a, Complex b) {
    return {a.real - b.real, a.imaginary - b.imaginary};
  }
  GARBOARD_HD friend constexpr Complex operator*(Complex a, Complex b) {
    return {a.real * b.real - a.imaginary * b.imaginary,
            a.real * b.imaginary + a.imaginary * b.real};
  }
  /// By the larger part of the divisor (Smith 1962), so that its square neither overflows nor
  /// vanishes. By zero each part is divided.
  GARBOARD_HD friend constexpr Complex operator/(Complex a, Complex b) {
    const R across = b.real < 0 ? -b.real : b.real;
    const R up = b.imaginary < 0 ? -b.imaginary : b.imaginary;
    if (across >= up) {
      if (across == 0 && up == 0) return {a.real / across, a.imaginary / across};
      const R ratio = b.imaginary / b.real, scale = R(1) / (b.real + b.imaginary * ratio);
      return {(a.real + a.imaginary * ratio) * scale, (a.imaginary - a.real * ratio) * scale};
    }
    const R ratio = b.real / b.imaginary, scale = R(1) / (b.real * ratio + b.imaginary);
    return {(a.real * ratio + a.imaginary) * scale, (a.imaginary * ratio - a.real) * scale};
  }
};

template <class T>
inline constexpr bool is_complex_type = false;
template <class R>
inline constexpr bool is_complex_type<Complex<R>> = true;

namespace detail {

template <class T>
struct ComponentOf {
  using Type = T;
};
template <class R>
struct ComponentOf<Complex<R>> {
  using Type = R;
};

}  // namespace detail

/// What T has two of; of a T that is not complex, T.
template <class T>
using Component = typename detail::ComponentOf<T>::Type;

}  // namespace garboard
