// Functors of exponentials, logarithms and angles.
#pragma once

#include "csrc/core/type_list.h"
#include "kernels/functors/angle.h"
#include "kernels/functors/complex_math.h"
#include "kernels/functors/effort.h"
#include "kernels/functors/logarithm.h"
#include "kernels/functors/normal.h"

namespace garboard::functors {

/// Within 2 ULP.
struct Acos {
  static constexpr Effort effort = Effort::many;
  template <Analytic T>
  GARBOARD_HD T operator()(T x) const {
    return acos(x);
  }
};
/// Within 3 ULP.
struct Acosh {
  static constexpr Effort effort = Effort::many;
  template <Analytic T>
  GARBOARD_HD T operator()(T x) const {
    return acosh(x);
  }
};
/// Within 3 ULP.
struct Asin {
  static constexpr Effort effort = Effort::many;
  template <Analytic T>
  GARBOARD_HD T operator()(T x) const {
    return asin(x);
  }
};
/// Within 3 ULP.
struct Asinh {
  static constexpr Effort effort = Effort::many;
  template <Analytic T>
  GARBOARD_HD T operator()(T x) const {
    return asinh(x);
  }
};
/// Within 3 ULP.
struct Atan {
  static constexpr Effort effort = Effort::many;
  template <Analytic T>
  GARBOARD_HD T operator()(T x) const {
    return atan(x);
  }
};
/// Within 3 ULP.
struct Atanh {
  static constexpr Effort effort = Effort::many;
  template <Analytic T>
  GARBOARD_HD T operator()(T x) const {
    return atanh(x);
  }
};
/// Within 2 ULP.
struct Cosh {
  static constexpr Effort effort = Effort::many;
  template <Analytic T>
  GARBOARD_HD T operator()(T x) const {
    return cosh(x);
  }
};
/// 1 - erf(x), within 4 ULP.
struct Erfc {
  static constexpr Effort effort = Effort::many;
  template <Real T>
  GARBOARD_HD T operator()(T x) const {
    return erfc(x);
  }
};
/// Within 1.5 ULP.
struct Exp2 {
  static constexpr Effort effort = Effort::many;
  template <Analytic T>
  GARBOARD_HD T operator()(T x) const {
    return exp2(x);
  }
};
/// Within 2 ULP.
struct Expm1 {
  static constexpr Effort effort = Effort::many;
  template <Analytic T>
  GARBOARD_HD T operator()(T x) const {
    return expm1(x);
  }
};
/// Within 2 ULP.
struct Log10 {
  static constexpr Effort effort = Effort::many;
  template <Analytic T>
  GARBOARD_HD T operator()(T x) const {
    return log10(x);
  }
};
/// Within 2 ULP.
struct Log1p {
  static constexpr Effort effort = Effort::many;
  template <Analytic T>
  GARBOARD_HD T operator()(T x) const {
    return log1p(x);
  }
};
/// Within 2 ULP.
struct Log2 {
  static constexpr Effort effort = Effort::many;
  template <Analytic T>
  GARBOARD_HD T operator()(T x) const {
    return log2(x);
  }
};
/// ln(1 / (1 + e^-x)), within 3 ULP: no power of e exceeds 1 on the way.
struct LogSigmoid {
  static constexpr Effort effort = Effort::many;
  template <Real T>
  GARBOARD_HD T operator()(T x) const {
    return min(x, T(0)) - log1p_of_share(exp(-abs(x)));
  }
};
/// ln(1 + e^x), within 3 ULP, likewise.
struct Softplus {
  static constexpr Effort effort = Effort::many;
  template <Real T>
  GARBOARD_HD T operator()(T x) const {
    return max(x, T(0)) + log1p_of_share(exp(-abs(x)));
  }
};
/// x / (1 + e^-x), within 4 ULP; -0 at minus infinity, its limit.
struct Silu {
  static constexpr Effort effort = Effort::many;
  template <Analytic T>
  GARBOARD_HD T operator()(T x) const {
    const T y = x * sigmoid(x);
    if constexpr (ComplexNumber<T>)
      return y;
    else
      return x == -infinity<T> ? T(-0.0) : y;
  }
};
/// Within 2 ULP.
struct Sinh {
  static constexpr Effort effort = Effort::many;
  template <Analytic T>
  GARBOARD_HD T operator()(T x) const {
    return sinh(x);
  }
};
/// Within 4 ULP.
struct Tan {
  static constexpr Effort effort = Effort::many;
  template <Real T>
  GARBOARD_HD static bool is_easy(T x) {
    return abs(x) <= sine_limit<T>;
  }
  template <Real T>
  GARBOARD_HD static T easy(T x) {
    return tan_within(x);
  }
  template <Analytic T>
  GARBOARD_HD T operator()(T x) const {
    if constexpr (ComplexNumber<T>)
      return tan(x);
    else
      return is_easy(x) ? easy(x) : sin(x) / cos(x);
  }
};

/// The angle of the point (b, a), within 4 ULP.
struct Atan2 {
  static constexpr Effort effort = Effort::many;
  static constexpr bool gives_bool = false;
  template <Real T>
  GARBOARD_HD T operator()(T a, T b) const {
    return atan2(a, b);
  }
};
/// ln(e^a + e^b), within 3 ULP of the larger of it and 1.
struct LogAddExp {
  static constexpr Effort effort = Effort::many;
  static constexpr bool gives_bool = false;
  template <Analytic T>
  GARBOARD_HD T operator()(T a, T b) const {
    if constexpr (ComplexNumber<T>) {
      const bool is_turned = a.real < b.real;
      const T larger = is_turned ? b : a, other = is_turned ? a : b;
      T apart = other - larger;
      if (other.real == larger.real) apart.real = 0;  // of two infinities, too
      return larger + log1p(exp(apart));
    } else {
      return log_of_sum(a, b);
    }
  }
};
/// sqrt(a^2 + b^2), within 2 ULP: no square overflows or is lost.
struct Hypotenuse {
  static constexpr bool gives_bool = false;
  template <Real T>
  GARBOARD_HD T operator()(T a, T b) const {
    return hypot(a, b);
  }
};
/// The size of a with the sign of b.
struct CopySign {
  static constexpr bool gives_bool = false;
  template <Real T>
  GARBOARD_HD T operator()(T a, T b) const {
    return copy_sign(a, b);
  }
};
/// The remainder of a / b, with the sign of a, exactly; of an integer by zero 0, of a float NaN.
struct Fmod {
  static constexpr bool gives_bool = false;
  template <Number T>
  GARBOARD_HD T operator()(T a, T b) const {
    if constexpr (Real<T>) {
      return fmod(a, b);
    } else if constexpr (std::is_unsigned_v<T>) {
      return b == 0 ? T(0) : T(a % (b == 0 ? T(1) : b));
    } else {
      return a % (((b == 0) | (b == -1)) ? T(1) : b);  // the machine traps on both
    }
  }
  template <Real T>
  GARBOARD_HD static bool is_easy(T a, T b) {
    return has_small_quotient(a, b);
  }
  template <Real T>
  GARBOARD_HD static T easy(T a, T b) {
    return rest_of_small(a, b);
  }
};
/// The gradient of silu from its input.
struct SiluGradient {
  static constexpr Effort effort = Effort::many;
  static constexpr bool gives_bool = false;
  template <Analytic T>
  GARBOARD_HD T operator()(T gradient, T x) const {
    T inside = x;
    if constexpr (Real<T>) inside = x < T(-200) ? T(-200) : x;
    const T share = sigmoid(inside);
    return gradient * (share * (T(1) + inside * (T(1) - share)));
  }
};

/// The gradient of softplus from its input: times the logistic function of that.
struct SoftplusGradient {
  static constexpr Effort effort = Effort::many;
  static constexpr bool gives_bool = false;
  template <Real T>
  GARBOARD_HD T operator()(T gradient, T x) const {
    return gradient * sigmoid(x);
  }
};

}  // namespace garboard::functors
