// Three numbers in, one out.
#pragma once

#include "csrc/core/type_list.h"
#include "kernels/functors/activations.h"
#include "kernels/functors/scalar_math.h"

namespace garboard::functors {

/// F can be called with elements of T, or with a condition before two of them.
template <class F, class T>
concept TakesThree = std::is_invocable_v<F, T, T, T> || std::is_invocable_v<F, bool, T, T>;

/// a + alpha * b. Integers wrap.
struct AddScaled {
  template <Arithmetic T>
  GARBOARD_HD T operator()(T a, T b, T alpha) const {
    if constexpr (Analytic<T>) return a + alpha * b;
    if constexpr (Integer<T>)
      return T(Unsigned<T>(a) + Unsigned<T>(Unsigned<T>(alpha) * Unsigned<T>(b)));
  }
};

/// min(max(x, low), high), so `high` where low > high. NaN if any is.
struct Clamp {
  template <Number T>
  GARBOARD_HD T operator()(T x, T low, T high) const {
    return min(max(x, low), high);
  }
};

/// a + w * (b - a), from b's side where w >= 1/2, so that w = 1 gives b exactly.
struct Lerp {
  template <Analytic T>
  GARBOARD_HD T operator()(T a, T b, T w) const {
    const T way = b - a;
    return abs(w) < Component<T>(0.5) ? a + w * way : b - way * (T(1) - w);
  }
};

/// condition ? a : b. The first view is of dtype bool, whatever the others are.
struct Where {
  template <AnyElement T>
  GARBOARD_HD T operator()(bool condition, T a, T b) const {
    return condition ? a : b;
  }
};

/// Dropout: x times `scale` where it is kept, and times 0 where not, so that NaN stays NaN. The
/// first view is of dtype bool.
struct Retain {
  template <Real T>
  GARBOARD_HD T operator()(bool is_kept, T x, T scale) const {
    return x * (is_kept ? scale : T(0));
  }
};

/// Whether the first view is a condition, whatever the others are.
template <class F>
inline constexpr bool takes_condition = std::is_same_v<F, Where> || std::is_same_v<F, Retain>;

/// The roll call: what is compiled for every device. The op of a missing functor does not compile.
using TernaryFunctors = TypeList<AddScaled, Clamp, Lerp, Where, FiniteNumber, Retain, Threshold,
                                 EluGradient, GateGradient>;

}  // namespace garboard::functors
