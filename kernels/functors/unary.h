// One number in, one out. Where nothing else is said, NaN stays NaN.
//
// Where a rare number would keep a loop from being vectorised, a functor has an easy case beside
// the whole function: `is_easy(x)` and, where that is true, `easy(x)`, which is what operator()
// gives.
#pragma once

#include "csrc/core/type_list.h"
#include "kernels/functors/activations.h"
#include "kernels/functors/bessel.h"
#include "kernels/functors/complex_math.h"
#include "kernels/functors/effort.h"
#include "kernels/functors/gamma_integrals.h"
#include "kernels/functors/gelu.h"
#include "kernels/functors/sine.h"
#include "kernels/functors/special.h"
#include "kernels/functors/transcendental.h"

namespace garboard::functors {

/// The smallest integer wraps to itself.
struct Absolute {
  /// Of the bits of a half type, which need not be a float for that.
  GARBOARD_HD static std::uint16_t of_half_bits(std::uint16_t x) { return x & 0x7fff; }
  template <AnyElement T>
  GARBOARD_HD Component<T> operator()(T x) const {
    if constexpr (Analytic<T>) return abs(x);
    if constexpr (std::is_unsigned_v<T>) return x;  // bool too
    if constexpr (Integer<T> && std::is_signed_v<T>)
      return x < 0 ? T(Unsigned<T>(0) - Unsigned<T>(x)) : x;
  }
};

/// The bits turned over; of bool, not.
struct BitwiseNot {
  template <Bitwise T>
  GARBOARD_HD T operator()(T x) const {
    if constexpr (Boolean<T>) return !x;
    if constexpr (Integer<T>) return T(~x);
  }
};

/// Where a complex number points to, in radians; of a real number 0 or pi. NaN of NaN.
struct Angle {
  static constexpr Effort effort = Effort::many;
  template <Analytic T>
  GARBOARD_HD Component<T> operator()(T x) const {
    if constexpr (ComplexNumber<T>) return atan2(x.imaginary, x.real);
    if constexpr (Real<T>) return x < T(0) ? T(3.14159265358979323846) : x != x ? x : T(0);
  }
};

struct Ceil {
  template <Element T>
  GARBOARD_HD T operator()(T x) const {
    if constexpr (Real<T>) return ceil(x);
    return x;
  }
};

/// Within 2 ULP; in double within 1.
struct Cos {
  static constexpr Effort effort = Effort::many;
  template <Real T>
  GARBOARD_HD static bool is_easy(T x) {
    return abs(x) <= sine_limit<T>;
  }
  template <Real T>
  GARBOARD_HD static T easy(T x) {
    return sin_of_quarters(x, 1);
  }
  template <Analytic T>
  GARBOARD_HD T operator()(T x) const {
    if constexpr (ComplexNumber<T>)
      return cos(x);
    else
      return is_easy(x) ? easy(x) : cos(x);
  }
};

struct Conjugate {
  static constexpr Effort effort = Effort::least;
  template <ComplexNumber T>
  GARBOARD_HD T operator()(T x) const {
    return {x.real, -x.imaginary};
  }
};

/// The error function, within 2 ULP.
struct Erf {
  static constexpr Effort effort = Effort::many;
  template <Real T>
  GARBOARD_HD T operator()(T x) const {
    return erf(x);
  }
};

struct Exp {
  static constexpr Effort effort = Effort::many;
  template <Analytic T>
  GARBOARD_HD T operator()(T x) const {
    return exp(x);
  }
};

struct Floor {
  template <Element T>
  GARBOARD_HD T operator()(T x) const {
    if constexpr (Real<T>) return floor(x);
    return x;
  }
};

/// Within 5 ULP.
struct Gelu {
  static constexpr Effort effort = Effort::many;
  template <Real T>
  GARBOARD_HD T operator()(T x) const {
    return gelu(x);
  }
};

/// Within 4 ULP; gelu.h says more of double.
struct GeluTanh {
  static constexpr Effort effort = Effort::many;
  template <Real T>
  GARBOARD_HD T operator()(T x) const {
    return gelu_tanh(x);
  }
};

struct IsFinite {
  template <AnyElement T>
  GARBOARD_HD bool operator()(T x) const {
    if constexpr (Real<T>) return abs(x) < infinity<T>;
    if constexpr (ComplexNumber<T>)
      return (abs(x.real) < infinity<Component<T>>)&(abs(x.imaginary) < infinity<Component<T>>);
    return true;
  }
};

struct IsInf {
  template <AnyElement T>
  GARBOARD_HD bool operator()(T x) const {
    if constexpr (Real<T>) return is_inf(x);
    if constexpr (ComplexNumber<T>) return is_inf(x.real) | is_inf(x.imaginary);
    return false;
  }
};

struct IsNan {
  template <AnyElement T>
  GARBOARD_HD bool operator()(T x) const {
    return x != x;
  }
};

struct Log {
  static constexpr Effort effort = Effort::many;
  template <Analytic T>
  GARBOARD_HD T operator()(T x) const {
    return log(x);
  }
};

/// True for zero alone: NaN is true in itself.
struct LogicalNot {
  template <AnyElement T>
  GARBOARD_HD bool operator()(T x) const {
    return x == T(0);
  }
};

struct Negate {
  GARBOARD_HD static std::uint16_t of_half_bits(std::uint16_t x) { return x ^ 0x8000; }
  template <Arithmetic T>
  GARBOARD_HD T operator()(T x) const {
    if constexpr (Analytic<T>) return -x;
    if constexpr (Integer<T>) return T(Unsigned<T>(0) - Unsigned<T>(x));
  }
};

struct Reciprocal {
  template <Analytic T>
  GARBOARD_HD T operator()(T x) const {
    return T(1) / x;
  }
};

struct Relu {
  static constexpr Effort effort = Effort::least;
  template <Number T>
  GARBOARD_HD T operator()(T x) const {
    if constexpr (std::is_unsigned_v<T>) return x;
    if constexpr (std::is_signed_v<T>) return x < T(0) ? T(0) : x;
  }
};

/// Halves go to the even neighbour.
struct Round {
  template <Element T>
  GARBOARD_HD T operator()(T x) const {
    if constexpr (Real<T>) return round_to_even(x);
    return x;
  }
};

/// 1 / sqrt(x), within 1.5 ULP.
struct Rsqrt {
  template <Analytic T>
  GARBOARD_HD T operator()(T x) const {
    return T(1) / sqrt(x);
  }
};

struct Sigmoid {
  static constexpr Effort effort = Effort::many;
  template <Analytic T>
  GARBOARD_HD T operator()(T x) const {
    return sigmoid(x);
  }
};

/// -1, 0 or 1; 0 for NaN, as in PyTorch.
struct Sign {
  template <Element T>
  GARBOARD_HD T operator()(T x) const {
    if constexpr (std::is_unsigned_v<T>) return x != T(0);  // bool too
    if constexpr (std::is_signed_v<T>) return T((x > T(0)) - (x < T(0)));
  }
};

/// Within 2 ULP; in double within 1.
struct Sin {
  static constexpr Effort effort = Effort::many;
  template <Real T>
  GARBOARD_HD static bool is_easy(T x) {
    return abs(x) <= sine_limit<T>;
  }
  template <Real T>
  GARBOARD_HD static T easy(T x) {
    return x == 0 ? x : sin_of_quarters(x, 0);  // -0 stays -0
  }
  template <Analytic T>
  GARBOARD_HD T operator()(T x) const {
    if constexpr (ComplexNumber<T>)
      return sin(x);
    else
      return is_easy(x) ? easy(x) : sin(x);
  }
};

struct Sqrt {
  template <Analytic T>
  GARBOARD_HD T operator()(T x) const {
    return sqrt(x);
  }
};

struct Square {
  template <Arithmetic T>
  GARBOARD_HD T operator()(T x) const {
    if constexpr (Analytic<T>) return x * x;
    if constexpr (Integer<T>) return T(Unsigned<T>(x) * Unsigned<T>(x));
  }
};

struct Tanh {
  static constexpr Effort effort = Effort::many;
  template <Analytic T>
  GARBOARD_HD T operator()(T x) const {
    return tanh(x);
  }
};

struct Truncate {
  template <Element T>
  GARBOARD_HD T operator()(T x) const {
    if constexpr (Real<T>) return x < T(0) ? ceil(x) : floor(x);
    return x;
  }
};

/// What is left of a number without its integer part, with its sign; NaN of an infinite one.
struct Fraction {
  template <Real T>
  GARBOARD_HD T operator()(T x) const {
    return x - Truncate{}(x);
  }
};

/// The roll call: what is compiled for every device. The op of a missing functor does not compile.
using UnaryFunctors =
    TypeList<Absolute, BitwiseNot, Ceil, Cos, Erf, Exp, Floor, Gelu, GeluTanh, IsFinite, IsInf,
             IsNan, Log, LogicalNot, Negate, Reciprocal, Relu, Round, Rsqrt, Sigmoid, Sign, Sin,
             Sqrt, Square, Tanh, Truncate, Acos, Acosh, Asin, Asinh, Atan, Atanh, Cosh, Erfc, Exp2,
             Expm1, Log10, Log1p, Log2, LogSigmoid, Silu, Sinh, Tan, Digamma, ErfInv, LogGamma,
             SignBit, Trigamma, BesselI0, BesselI0e, BesselI1, BesselI1e, BesselJ0, BesselJ1,
             BesselY0, BesselY1, Erfcx, Angle, Conjugate, HardSigmoid, HardSwish, Mish, Fraction,
             Softplus>;

}  // namespace garboard::functors
