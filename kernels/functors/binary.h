// Two numbers of one type in, one out. Integers wrap; what gives a bool says so.
#pragma once

#include "csrc/core/type_list.h"
#include "kernels/functors/activations.h"
#include "kernels/functors/complex_math.h"
#include "kernels/functors/effort.h"
#include "kernels/functors/gamma_integrals.h"
#include "kernels/functors/gelu.h"
#include "kernels/functors/power.h"
#include "kernels/functors/special.h"
#include "kernels/functors/transcendental.h"

namespace garboard::functors {

/// Of bools: or.
struct Add {
  static constexpr Effort effort = Effort::least;
  static constexpr bool gives_bool = false;
  template <AnyElement T>
  GARBOARD_HD T operator()(T a, T b) const {
    if constexpr (Analytic<T>) return a + b;
    if constexpr (Boolean<T>) return a | b;
    if constexpr (Integer<T>) return T(Unsigned<T>(a) + Unsigned<T>(b));
  }
};

struct Subtract {
  static constexpr Effort effort = Effort::least;
  static constexpr bool gives_bool = false;
  template <Arithmetic T>
  GARBOARD_HD T operator()(T a, T b) const {
    if constexpr (Analytic<T>) return a - b;
    if constexpr (Integer<T>) return T(Unsigned<T>(a) - Unsigned<T>(b));
  }
};

/// Of bools: and.
struct Multiply {
  static constexpr Effort effort = Effort::least;
  static constexpr bool gives_bool = false;
  template <AnyElement T>
  GARBOARD_HD T operator()(T a, T b) const {
    if constexpr (Analytic<T>) return a * b;
    if constexpr (Boolean<T>) return a & b;
    if constexpr (Integer<T>) return T(Unsigned<T>(a) * Unsigned<T>(b));
  }
};

struct Divide {
  static constexpr bool gives_bool = false;
  template <Analytic T>
  GARBOARD_HD T operator()(T a, T b) const {
    return a / b;
  }
};

/// a / b, rounded towards 0.
struct TruncatedQuotient {
  static constexpr bool gives_bool = false;
  template <Real T>
  GARBOARD_HD T operator()(T a, T b) const {
    const T quotient = a / b;
    return quotient < T(0) ? ceil(quotient) : floor(quotient);
  }
};

/// a - b * floor(a / b), exactly: it has b's sign, as in Python. Of an integer by zero: 0, for a
/// kernel cannot refuse one element; of a float by zero: NaN.
struct Remainder {
  static constexpr bool gives_bool = false;
  template <Number T>
  GARBOARD_HD T operator()(T a, T b) const {
    if constexpr (Real<T>) {
      return of_rest(fmod(a, b), b);
    } else if constexpr (std::is_unsigned_v<T>) {
      return b == 0 ? T(0) : T(a % (b == 0 ? T(1) : b));
    } else {
      const bool trivial = (b == 0) | (b == -1);  // the machine traps on both
      const T rest = a % (trivial ? T(1) : b);
      return ((rest != 0) & ((rest < 0) != (b < 0))) ? rest + b : rest;
    }
  }
  template <Real T>
  GARBOARD_HD static bool is_easy(T a, T b) {
    return has_small_quotient(a, b);
  }
  template <Real T>
  GARBOARD_HD static T easy(T a, T b) {
    return of_rest(rest_of_small(a, b), b);
  }

 private:
  template <Real T>
  GARBOARD_HD static T of_rest(T rest, T b) {
    const bool other_sign = (rest != 0) & ((rest < 0) != (b < 0));
    return rest + chosen(other_sign, b, T(-0.0));
  }
};

/// floor(a / b), as in Python. Of an integer by zero: 0, for a kernel cannot refuse one element; of
/// a float: a / b. The smallest integer by -1 wraps to itself.
struct FloorDivide {
  static constexpr bool gives_bool = false;
  template <Number T>
  GARBOARD_HD T operator()(T a, T b) const {
    if constexpr (Real<T>) {
      // Not floor(a / b): rounding may lift a / b onto the next integer. a - rest is a multiple of
      // b, but not always a float: in double the quotient is right up to 2^51.
      const T rest = fmod(a, b);
      const double toward_zero = round_to_even((double(a) - double(rest)) / double(b));
      const T floored = T(toward_zero - double((rest != 0) & ((rest < 0) != (b < 0))));
      const T quotient = a / b;
      return b == 0 ? quotient : copy_sign(floored, quotient);
    } else if constexpr (std::is_unsigned_v<T>) {
      return b == 0 ? T(0) : T(a / (b == 0 ? T(1) : b));
    } else {
      const T divisor = ((b == 0) | (b == -1)) ? T(1) : b;
      const T quotient = a / divisor;
      const T rest = a % divisor;
      const T floored = quotient - ((rest != 0) & ((rest < 0) != (divisor < 0)));
      return b == 0 ? T(0) : b == -1 ? T(Unsigned<T>(0) - Unsigned<T>(a)) : floored;
    }
  }
  template <Real T>
  GARBOARD_HD static bool is_easy(T a, T b) {
    return has_small_quotient(a, b);
  }
  template <Real T>
  GARBOARD_HD static T easy(T a, T b) {
    return floor_of_small(a, b);
  }
};

/// Floats as C's pow, within 1.1 ULP; complex numbers on the principal branch; integers wrap, and a
/// negative exponent gives 0 unless a is 1 or -1.
struct Power {
  static constexpr Effort effort = Effort::many;
  static constexpr bool wants_vectors = true;  // one exponent for all becomes branches, else
  static constexpr bool gives_bool = false;
  template <Arithmetic T>
  GARBOARD_HD T operator()(T a, T b) const {
    return pow(a, b);
  }
};

/// NaN if either is.
struct Maximum {
  static constexpr bool gives_bool = false;
  template <Element T>
  GARBOARD_HD T operator()(T a, T b) const {
    return max(a, b);
  }
};

/// NaN if either is.
struct Minimum {
  static constexpr bool gives_bool = false;
  template <Element T>
  GARBOARD_HD T operator()(T a, T b) const {
    return min(a, b);
  }
};

struct Equal {
  static constexpr bool gives_bool = true;
  template <AnyElement T>
  GARBOARD_HD bool operator()(T a, T b) const {
    return a == b;
  }
};

struct NotEqual {
  static constexpr bool gives_bool = true;
  template <AnyElement T>
  GARBOARD_HD bool operator()(T a, T b) const {
    return a != b;
  }
};

struct Less {
  static constexpr bool gives_bool = true;
  template <Element T>
  GARBOARD_HD bool operator()(T a, T b) const {
    return a < b;
  }
};

struct LessEqual {
  static constexpr bool gives_bool = true;
  template <Element T>
  GARBOARD_HD bool operator()(T a, T b) const {
    return a <= b;
  }
};

struct Greater {
  static constexpr bool gives_bool = true;
  template <Element T>
  GARBOARD_HD bool operator()(T a, T b) const {
    return a > b;
  }
};

struct GreaterEqual {
  static constexpr bool gives_bool = true;
  template <Element T>
  GARBOARD_HD bool operator()(T a, T b) const {
    return a >= b;
  }
};

struct BitwiseAnd {
  static constexpr bool gives_bool = false;
  template <Bitwise T>
  GARBOARD_HD T operator()(T a, T b) const {
    return T(a & b);
  }
};

struct BitwiseOr {
  static constexpr bool gives_bool = false;
  template <Bitwise T>
  GARBOARD_HD T operator()(T a, T b) const {
    return T(a | b);
  }
};

struct BitwiseXor {
  static constexpr bool gives_bool = false;
  template <Bitwise T>
  GARBOARD_HD T operator()(T a, T b) const {
    return T(a ^ b);
  }
};

struct LogicalAnd {
  static constexpr bool gives_bool = true;
  template <AnyElement T>
  GARBOARD_HD bool operator()(T a, T b) const {
    return (a != T(0)) & (b != T(0));
  }
};

struct LogicalOr {
  static constexpr bool gives_bool = true;
  template <AnyElement T>
  GARBOARD_HD bool operator()(T a, T b) const {
    return (a != T(0)) | (b != T(0));
  }
};

struct LogicalXor {
  static constexpr bool gives_bool = true;
  template <AnyElement T>
  GARBOARD_HD bool operator()(T a, T b) const {
    return (a != T(0)) != (b != T(0));
  }
};

/// The gradient of gelu from its input.
struct GeluGradient {
  static constexpr bool gives_bool = false;
  template <Real T>
  GARBOARD_HD T operator()(T gradient, T input) const {
    return gradient * gelu_slope(input);
  }
};

/// The gradient of gelu's approximation from its input.
struct GeluTanhGradient {
  static constexpr bool gives_bool = false;
  template <Real T>
  GARBOARD_HD T operator()(T gradient, T input) const {
    return gradient * gelu_tanh_slope(input);
  }
};

/// The gradient of relu from its output: at 0 it is 0, at NaN it passes.
struct ReluGradient {
  static constexpr bool gives_bool = false;
  template <Real T>
  GARBOARD_HD T operator()(T gradient, T output) const {
    return output <= 0 ? T(0) : gradient;
  }
};

/// The gradient of sigmoid from its output.
struct SigmoidGradient {
  static constexpr bool gives_bool = false;
  template <Analytic T>
  GARBOARD_HD T operator()(T gradient, T output) const {
    return gradient * (output * (T(1) - output));
  }
};

/// The gradient of tanh from its output; 1 - y^2 as a product, which keeps its digits near y = 1.
struct TanhGradient {
  static constexpr bool gives_bool = false;
  template <Analytic T>
  GARBOARD_HD T operator()(T gradient, T output) const {
    return gradient * ((T(1) - output) * (T(1) + output));
  }
};

/// The roll call: what is compiled for every device. The op of a missing functor does not compile.
using BinaryFunctors =
    TypeList<Add, Subtract, Multiply, Divide, FloorDivide, Remainder, Power, Maximum, Minimum,
             Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, BitwiseAnd, BitwiseOr,
             BitwiseXor, LogicalAnd, LogicalOr, LogicalXor, GeluGradient, GeluTanhGradient,
             ReluGradient, SigmoidGradient, TanhGradient, Atan2, LogAddExp, Hypotenuse, CopySign,
             Fmod, SiluGradient, TimesLog, LogAddExp2, LargerNumber, SmallerNumber, Heaviside,
             CommonDivisor, ShiftLeft, ShiftRight, GammaLower, GammaUpper, Zeta, LeakyRelu, Huber,
             HardSwishGradient, HardShrink, SoftShrink, TruncatedQuotient, Elu, MishGradient,
             SoftplusGradient, Gated>;

}  // namespace garboard::functors
