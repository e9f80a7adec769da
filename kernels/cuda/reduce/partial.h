// What some elements have come to, on the way to the result of all.
#pragma once

#include "kernels/functors/reduce.h"

namespace garboard::kernels::cuda {

/// By a functor that brings two together.
template <class F, class R>
struct Partial {
  R value;

  GARBOARD_HD static Partial none() { return {F::template identity<R>}; }
  GARBOARD_HD void add(R x) { value = F{}(value, x); }
  template <class T>
  GARBOARD_HD void take(T x, std::int64_t) {
    add(functors::counted_as<R>(x));
  }
  GARBOARD_HD void merge(const Partial& other) { add(other.value); }
  GARBOARD_HD R result() const { return value; }
};

/// Memory sets the pace, so digits are free.
template <>
struct Partial<functors::SumOf, float> {
  double value;

  GARBOARD_HD static Partial none() { return {0}; }
  GARBOARD_HD void add(float x) { value += x; }
  template <class T>
  GARBOARD_HD void take(T x, std::int64_t) {
    add(static_cast<float>(x));
  }
  GARBOARD_HD void merge(const Partial& other) { value += other.value; }
  GARBOARD_HD float result() const { return static_cast<float>(value); }
};

/// A sum and what rounding took from it (Knuth's two-sum).
template <>
struct Partial<functors::SumOf, double> {
  double value, lost;

  GARBOARD_HD static Partial none() { return {0, 0}; }
  GARBOARD_HD void add(double x) {
    const double sum = value + x;
    const double added = sum - value;
    lost += (value - (sum - added)) + (x - added);
    value = sum;
  }
  template <class T>
  GARBOARD_HD void take(T x, std::int64_t) {
    add(static_cast<double>(x));
  }
  GARBOARD_HD void merge(const Partial& other) {
    add(other.value);
    lost += other.lost;
  }
  GARBOARD_HD double result() const {  // past infinity nothing sensible was lost
    return functors::abs(value) < functors::infinity<double> ? value + lost : value;
  }
};

template <class R>
struct Partial<functors::SumOfSquares, R> : Partial<functors::SumOf, R> {
  using Sum = Partial<functors::SumOf, R>;

  GARBOARD_HD static Partial none() { return {Sum::none()}; }
  template <class T>
  GARBOARD_HD void take(T x, std::int64_t) {
    Sum::add(functors::taken_by<functors::SumOfSquares, R>(x));
  }
  GARBOARD_HD void merge(const Partial& other) { Sum::merge(other); }
};

}  // namespace garboard::kernels::cuda
