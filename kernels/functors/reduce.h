// Many numbers in, one out. A functor says what an element of type T is counted as (`Result<T>`,
// which is out's dtype; of a half type out may be that too), what none of them give, and how two
// results make one.
#pragma once

#include "csrc/core/type_list.h"
#include "kernels/functors/scalar_math.h"

namespace garboard::functors {

/// How a loop may regroup: by `operator()` alone, in any order that is fixed. Where a functor
/// `is_idempotent`, an element may count twice.
struct SumOf {
  template <Stored T>
  using Result = Summed<T>;
  template <class R>
  static constexpr R identity = R(0);

  template <class R>
  GARBOARD_HD R operator()(R a, R b) const {
    if constexpr (Analytic<R>) return a + b;
    if constexpr (Integer<R>) return R(Unsigned<R>(a) + Unsigned<R>(b));
  }
};

/// Of floats: Euclid's norm, squared.
struct SumOfSquares : SumOf {
  template <Stored T>
  requires Floating<T>
  using Result = Summed<T>;

  template <class R>
  GARBOARD_HD static R of_element(R x) {
    return x * x;
  }
};

struct ProductOf {
  template <Stored T>
  using Result = Summed<T>;
  template <class R>
  static constexpr R identity = R(1);

  template <class R>
  GARBOARD_HD R operator()(R a, R b) const {
    if constexpr (Analytic<R>) return a * b;
    if constexpr (Integer<R>) return R(Unsigned<R>(a) * Unsigned<R>(b));
  }
};

/// The least value of T, and the greatest.
template <Element T>
inline constexpr T lowest = [] {
  if constexpr (Real<T>) return -infinity<T>;
  if constexpr (std::is_unsigned_v<T>) return T(0);
  if constexpr (Integer<T> && std::is_signed_v<T>) return T(Unsigned<T>(1) << (sizeof(T) * 8 - 1));
}();
template <Element T>
inline constexpr T highest = [] {
  if constexpr (Real<T>) return infinity<T>;
  if constexpr (!Real<T>) return T(~lowest<T>);
}();
template <>
inline constexpr bool highest<bool> = true;

/// NaN if any is.
struct MaximumOf {
  static constexpr bool is_idempotent = true;
  template <Stored T>
  requires(!ComplexNumber<T>) using Result = Widened<T>;
  template <class R>
  static constexpr R identity = lowest<R>;

  template <class R>
  GARBOARD_HD R operator()(R a, R b) const {
    return max(a, b);
  }
};

/// NaN if any is.
struct MinimumOf {
  static constexpr bool is_idempotent = true;
  template <Stored T>
  requires(!ComplexNumber<T>) using Result = Widened<T>;
  template <class R>
  static constexpr R identity = highest<R>;

  template <class R>
  GARBOARD_HD R operator()(R a, R b) const {
    return min(a, b);
  }
};

/// True unless an element is zero.
struct AllOf {
  static constexpr bool is_idempotent = true;
  template <Stored T>
  using Result = bool;
  template <class R>
  static constexpr R identity = true;

  /// Of truths, or of bits that stand for as many.
  template <class R>
  GARBOARD_HD R operator()(R a, R b) const {
    return R(a & b);
  }
};

/// True if an element is not zero; NaN is not.
struct AnyOf {
  static constexpr bool is_idempotent = true;
  template <Stored T>
  using Result = bool;
  template <class R>
  static constexpr R identity = false;

  template <class R>
  GARBOARD_HD R operator()(R a, R b) const {
    return R(a | b);
  }
};

/// An element on its way into a result: to bool by `x != 0`, else as C++ converts.
template <class R, Stored T>
GARBOARD_HD R counted_as(T x) {
  if constexpr (Boolean<R>) return widened(x) != Widened<T>(0);
  if constexpr (!Boolean<R>) return static_cast<R>(x);
}

/// What an element adds to a result of `F`.
template <class F, class R, Stored T>
GARBOARD_HD R taken_by(T x) {
  const R counted = counted_as<R>(x);
  if constexpr (requires { F::of_element(counted); }) return F::of_element(counted);
  if constexpr (!requires { F::of_element(counted); }) return counted;
}

/// The roll call: what is compiled for every device. The op of a missing functor does not compile.
using ReduceFunctors = TypeList<SumOf, SumOfSquares, ProductOf, MaximumOf, MinimumOf, AllOf, AnyOf>;

}  // namespace garboard::functors
