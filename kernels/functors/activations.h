// What layers do to each element, and losses to each difference: pieces of lines, mostly.
#pragma once

#include "kernels/functors/effort.h"
#include "kernels/functors/logarithm.h"
#include "kernels/functors/scalar_math.h"

namespace garboard::functors {

/// min(max(x + 3, 0), 6), which hard sigmoid and hard swish are made of.
template <Real T>
GARBOARD_HD T six_steps(T x) {
  const T above = x + T(3) < T(0) ? T(0) : x + T(3);
  return above > T(6) ? T(6) : above;
}
struct HardSigmoid {
  template <Real T>
  GARBOARD_HD T operator()(T x) const {
    return six_steps(x) / T(6);
  }
};
struct HardSwish {
  template <Real T>
  GARBOARD_HD T operator()(T x) const {
    return x * six_steps(x) / T(6);
  }
};

/// The gradient of hard swish from its input: x / 3 + 1 / 2 of it between -3 and 3.
struct HardSwishGradient {
  static constexpr bool gives_bool = false;
  template <Real T>
  GARBOARD_HD T operator()(T gradient, T x) const {
    const T inside = x * T(1.0 / 3) + T(0.5);
    const T slope = x >= T(3) ? T(1) : inside;
    return x <= T(-3) ? T(0) : gradient * slope;
  }
};

/// x tanh(ln(1 + e^x)), within 4 ULP: with n = e^x (e^x + 2) it is x n / (n + 2). -0 at minus
/// infinity, its limit.
struct Mish {
  static constexpr Effort effort = Effort::many;
  template <Real T>
  GARBOARD_HD T operator()(T x) const {
    const T inside = x > T(20) ? T(20) : x;  // from where on it is x
    const T power = exp(inside);
    const T n = power * (power + T(2));
    const T y = x * (n / (n + T(2)));
    return x == -infinity<T> ? T(-0.0) : y;
  }
};

/// The gradient of mish from its input: times t + x (1 - t^2) / (1 + e^-x), where t, the tanh, is
/// n / (n + 2). Beyond the bounds that is 0 or 1 to the last digit.
struct MishGradient {
  static constexpr Effort effort = Effort::many;
  static constexpr bool gives_bool = false;
  template <Real T>
  GARBOARD_HD T operator()(T gradient, T x) const {
    const T above = x < T(-100) ? T(-100) : x;
    const T inside = above > T(20) ? T(20) : above;
    const T power = exp(inside);
    const T n = power * (power + T(2));
    const T t = n / (n + T(2));
    return gradient * (t + inside * (T(1) - t * t) * (power / (power + T(1))));
  }
};

/// x times the logistic function of `gate`, which lets it through or not.
struct Gated {
  static constexpr Effort effort = Effort::many;
  static constexpr bool gives_bool = false;
  template <Real T>
  GARBOARD_HD T operator()(T x, T gate) const {
    return x * sigmoid(gate);
  }
};
/// The gradient of the gate.
struct GateGradient {
  static constexpr Effort effort = Effort::many;
  template <Real T>
  GARBOARD_HD T operator()(T gradient, T x, T gate) const {
    const T share = sigmoid(gate);
    return gradient * x * (share * (T(1) - share));
  }
};

/// alpha (e^x - 1) up to 0, else x; NaN is x.
struct Elu {
  static constexpr Effort effort = Effort::many;
  static constexpr bool gives_bool = false;
  template <Real T>
  GARBOARD_HD T operator()(T x, T alpha) const {
    const T below = x <= T(0) ? x : T(0);
    return x <= T(0) ? alpha * expm1(below) : x;
  }
};
/// Its gradient from its input.
struct EluGradient {
  static constexpr Effort effort = Effort::many;
  template <Real T>
  GARBOARD_HD T operator()(T gradient, T x, T alpha) const {
    const T below = x <= T(0) ? x : T(0);
    return x <= T(0) ? gradient * alpha * exp(below) : gradient;
  }
};

/// x, times `slope` where it is not above 0.
struct LeakyRelu {
  static constexpr bool gives_bool = false;
  template <Real T>
  GARBOARD_HD T operator()(T x, T slope) const {
    return x > T(0) ? x : x * slope;
  }
};

/// 0 within `bound` of it, else x.
struct HardShrink {
  static constexpr bool gives_bool = false;
  template <Real T>
  GARBOARD_HD T operator()(T x, T bound) const {
    return x >= -bound && x <= bound ? T(0) : x;
  }
};
/// `value` up to `bound`, else x; NaN is x.
struct Threshold {
  template <Real T>
  GARBOARD_HD T operator()(T x, T bound, T value) const {
    return x <= bound ? value : x;
  }
};
/// x, moved towards 0 by `way` and no further.
struct SoftShrink {
  static constexpr bool gives_bool = false;
  template <Real T>
  GARBOARD_HD T operator()(T x, T way) const {
    const T rest = x > way ? x - way : x + way;
    return x >= -way && x <= way ? T(0) : rest;
  }
};

/// x^2 / 2 up to `turn`, and its tangent from there on (Huber, "Robust estimation of a location
/// parameter", 1964).
struct Huber {
  static constexpr bool gives_bool = false;
  template <Real T>
  GARBOARD_HD T operator()(T x, T turn) const {
    const T size = abs(x);
    return size < turn ? x * x * T(0.5) : turn * (size - turn * T(0.5));
  }
};

/// x, but `nan` for NaN, and within [-most, most].
struct FiniteNumber {
  template <Real T>
  GARBOARD_HD T operator()(T x, T nan, T most) const {
    const T above = x < -most ? -most : x;
    const T within = above > most ? most : above;
    return x != x ? nan : within;
  }
};

}  // namespace garboard::functors
