// Transforms of as many signals at once as a vector has lanes (Stockham's form, by factors of the
// size): every step reads one buffer and writes the other, in order.
#pragma once

#include <cstdint>

#include "kernels/cpu/wide/wide_vector.h"
#include "kernels/fourier_plan.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

template <class T>
using LaneVector = typename WideVector<T>::Type;

/// A complex number of each lane.
template <class T>
struct ComplexLanes {
  LaneVector<T> re, im;
};

template <class T>
__attribute__((always_inline)) inline ComplexLanes<T> operator+(const ComplexLanes<T>& a,
                                                                const ComplexLanes<T>& b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
__attribute__((always_inline)) inline ComplexLanes<T> operator-(const ComplexLanes<T>& a,
                                                                const ComplexLanes<T>& b) {
  return {a.re - b.re, a.im - b.im};
}
template <class T>
__attribute__((always_inline)) inline ComplexLanes<T> operator*(const ComplexLanes<T>& a,
                                                                T factor) {
  return {a.re * factor, a.im * factor};
}
/// Times a number that all lanes share.
template <class T>
__attribute__((always_inline)) inline ComplexLanes<T> times(const ComplexLanes<T>& a, T re, T im) {
  return {a.re * re - a.im * im, a.re * im + a.im * re};
}
/// Times -i.
template <class T>
__attribute__((always_inline)) inline ComplexLanes<T> turned_back(const ComplexLanes<T>& a) {
  return {a.im, -a.re};
}

/// The transform of `radix` numbers, in place.
template <class T, int radix>
struct Butterfly;

template <class T>
struct Butterfly<T, 2> {
  __attribute__((always_inline)) static void run(ComplexLanes<T> (&x)[2]) {
    const ComplexLanes<T> a = x[0];
    x[0] = a + x[1];
    x[1] = a - x[1];
  }
};

template <class T>
struct Butterfly<T, 3> {
  __attribute__((always_inline)) static void run(ComplexLanes<T> (&x)[3]) {
    constexpr T sine = T(0.866025403784438646763723170752936183);
    const ComplexLanes<T> sum = x[1] + x[2], half = x[0] - sum * T(0.5);
    const ComplexLanes<T> side = turned_back((x[1] - x[2]) * sine);
    x[0] = x[0] + sum;
    x[1] = half + side;
    x[2] = half - side;
  }
};

template <class T>
struct Butterfly<T, 4> {
  __attribute__((always_inline)) static void run(ComplexLanes<T> (&x)[4]) {
    const ComplexLanes<T> a = x[0] + x[2], b = x[0] - x[2];
    const ComplexLanes<T> c = x[1] + x[3], d = turned_back(x[1] - x[3]);
    x[0] = a + c;
    x[1] = b + d;
    x[2] = a - c;
    x[3] = b - d;
  }
};

template <class T>
struct Butterfly<T, 5> {
  __attribute__((always_inline)) static void run(ComplexLanes<T> (&x)[5]) {
    constexpr T cosine1 = T(0.309016994374947424102293417182819059);
    constexpr T cosine2 = T(-0.809016994374947424102293417182819059);
    constexpr T sine1 = T(0.951056516295153572116439333379382143);
    constexpr T sine2 = T(0.587785252292473129168705954639072769);
    const ComplexLanes<T> a = x[1] + x[4], b = x[2] + x[3], c = x[1] - x[4], d = x[2] - x[3];
    const ComplexLanes<T> even1 = x[0] + a * cosine1 + b * cosine2;
    const ComplexLanes<T> even2 = x[0] + a * cosine2 + b * cosine1;
    const ComplexLanes<T> odd1 = turned_back(c * sine1 + d * sine2);
    const ComplexLanes<T> odd2 = turned_back(c * sine2 - d * sine1);
    x[0] = x[0] + a + b;
    x[1] = even1 + odd1;
    x[2] = even2 + odd2;
    x[3] = even2 - odd2;
    x[4] = even1 - odd1;
  }
};

template <class T>
struct Butterfly<T, 8> {
  __attribute__((always_inline)) static void run(ComplexLanes<T> (&x)[8]) {
    constexpr T root = T(0.707106781186547524400844362104849039);
    ComplexLanes<T> even[4] = {x[0], x[2], x[4], x[6]}, odd[4] = {x[1], x[3], x[5], x[7]};
    Butterfly<T, 4>::run(even);
    Butterfly<T, 4>::run(odd);
    odd[1] = (odd[1] + turned_back(odd[1])) * root;
    odd[2] = turned_back(odd[2]);
    odd[3] = (turned_back(odd[3]) - odd[3]) * root;
    for (int k = 0; k < 4; ++k) {
      x[k] = even[k] + odd[k];
      x[k + 4] = even[k] - odd[k];
    }
  }
};

/// to[q + s (radix p + k)] = result k of from[q + s (p + places k)], turned by root p k, or where
/// one place is left, at the last step, scaled.
template <class T, int radix>
void step(ComplexLanes<T>* to, const ComplexLanes<T>* from, std::int64_t places, std::int64_t s,
          const T* turns, T scale) {
  if (places == 1) {
    for (std::int64_t q = 0; q < s; ++q) {
      ComplexLanes<T> x[radix];
#pragma GCC unroll 8
      for (int k = 0; k < radix; ++k) x[k] = from[q + s * k];
      Butterfly<T, radix>::run(x);
#pragma GCC unroll 8
      for (int k = 0; k < radix; ++k) to[q + s * k] = x[k] * scale;
    }
    return;
  }
  for (std::int64_t p = 0; p < places; ++p, turns += 2 * (radix - 1)) {
    const ComplexLanes<T>* const column = from + s * p;
    ComplexLanes<T>* const row = to + s * radix * p;
    for (std::int64_t q = 0; q < s; ++q) {
      ComplexLanes<T> x[radix];
#pragma GCC unroll 8
      for (int k = 0; k < radix; ++k) x[k] = column[q + s * places * k];
      Butterfly<T, radix>::run(x);
      row[q] = x[0];
#pragma GCC unroll 8
      for (int k = 1; k < radix; ++k)
        row[q + s * k] = times(x[k], turns[2 * k - 2], turns[2 * k - 1]);
    }
  }
}

/// Of an odd factor without a formula of its own: sums and differences of what stands opposite each
/// other, each pair times a cosine and a sine.
template <class T>
void step_by_roots(ComplexLanes<T>* to, const ComplexLanes<T>* from, int radix, std::int64_t places,
                   std::int64_t s, const T* turns, const T* roots, T scale) {
  constexpr int most = largest_fourier_factor / 2;
  ComplexLanes<T> sums[most], differences[most];
  const int half = radix / 2;
  for (std::int64_t p = 0; p < places; ++p, turns += 2 * (radix - 1)) {
    for (std::int64_t q = 0; q < s; ++q) {
      const auto given = [&](int k) { return from[q + s * (p + places * k)]; };
      const auto give = [&](int k, ComplexLanes<T> x) {
        if (places == 1)
          x = x * scale;
        else if (k)
          x = times(x, turns[2 * k - 2], turns[2 * k - 1]);
        to[q + s * (radix * p + k)] = x;
      };
      const ComplexLanes<T> first = given(0);
      ComplexLanes<T> all = first;
      for (int j = 1; j <= half; ++j) {
        const ComplexLanes<T> a = given(j), b = given(radix - j);
        sums[j - 1] = a + b;
        differences[j - 1] = a - b;
        all = all + sums[j - 1];
      }
      give(0, all);
      for (int k = 1; k <= half; ++k) {
        ComplexLanes<T> even = first, odd{};
        for (int j = 1, at = k; j <= half; ++j, at += k, at -= at >= radix ? radix : 0) {
          even = even + sums[j - 1] * roots[2 * at];
          odd = odd - differences[j - 1] * roots[2 * at + 1];
        }
        const ComplexLanes<T> side = turned_back(odd);
        give(k, even + side);
        give(radix - k, even - side);
      }
    }
  }
}

/// What is in `x` is transformed by way of `y`, both of the plan's size; returns the one of them
/// that holds the results.
template <class T>
ComplexLanes<T>* run_steps(const FourierPlan<T>& plan, ComplexLanes<T>* x, ComplexLanes<T>* y,
                           T scale) {
  if (plan.step_count == 0) {
    x[0] = x[0] * scale;
    return x;
  }
  std::int64_t left = plan.size, s = 1;
  const T* turns = plan.turns;
  const T* roots = plan.roots_of_factors;
  for (int i = 0; i < plan.step_count; ++i) {
    const std::int32_t radix = plan.factors[i];
    const std::int64_t places = left / radix;
    switch (radix) {
      case 2:
        step<T, 2>(y, x, places, s, turns, scale);
        break;
      case 3:
        step<T, 3>(y, x, places, s, turns, scale);
        break;
      case 4:
        step<T, 4>(y, x, places, s, turns, scale);
        break;
      case 5:
        step<T, 5>(y, x, places, s, turns, scale);
        break;
      case 8:
        step<T, 8>(y, x, places, s, turns, scale);
        break;
      default:
        step_by_roots(y, x, radix, places, s, turns, roots, scale);
        roots += 2 * radix;
    }
    turns += 2 * (radix - 1) * places;
    left = places;
    s *= radix;
    ComplexLanes<T>* const made = y;
    y = x;
    x = made;
  }
  return x;
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
