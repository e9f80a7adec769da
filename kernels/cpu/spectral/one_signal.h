// The transform of one long signal: as a matrix, whose columns and rows fill the lanes of vectors
// (Gentleman and Sande, 1966), or as a convolution (Bluestein, 1970).
#pragma once

#include "csrc/core/complex.h"
#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/spectral/lanes.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// Threads share the work, which can be interrupted; or one does it at once.
struct InParts {
  template <class Run>
  void operator()(std::int64_t count, std::int64_t grain, double cost_ns, Run run) const {
    for_each_part(count, grain, cost_ns, run);
  }
};
struct AtOnce {
  template <class Run>
  void operator()(std::int64_t count, std::int64_t, double, Run run) const {
    run(std::int64_t{0}, count);
  }
};

/// Complex numbers, `step` of T apart.
template <class T>
struct Signal {
  T* at;
  std::int64_t step;
  bool is_swapped;  // the real and the imaginary part for each other
};

template <class T>
Complex<T> number_at(const Signal<const T>& x, std::int64_t i) {
  const T* const at = x.at + i * x.step;
  return {at[x.is_swapped], at[!x.is_swapped]};
}
template <class T>
void put_number(const Signal<T>& x, std::int64_t i, Complex<T> z) {
  T* const at = x.at + i * x.step;
  at[x.is_swapped] = z.real;
  at[!x.is_swapped] = z.imaginary;
}

template <class T>
Complex<T> root_at(const RootsOfUnity<T>& roots, std::int64_t k) {
  const T* const coarse = roots.coarse + 2 * (k >> roots.shift);
  const T* const fine = roots.fine + 2 * (k & ((std::int64_t{1} << roots.shift) - 1));
  return Complex<T>{coarse[0], coarse[1]} * Complex<T>{fine[0], fine[1]};
}

/// Times root k j, of every k below `count`, for lane after lane of j from `first` on: a root of
/// each sixteenth k times one of what is left of it.
template <class T>
void turn_columns(ComplexLanes<T>* x, std::int64_t count, std::int64_t first, int live,
                  const RootsOfUnity<T>& roots) {
  constexpr int at_once = 16;
  ComplexLanes<T> few[at_once];
  const auto root_of = [&](std::int64_t k) {
    ComplexLanes<T> z{};
    for (int l = 0; l < live; ++l) {
      const Complex<T> root = root_at(roots, k * (first + l));
      z.re[l] = root.real;
      z.im[l] = root.imaginary;
    }
    return z;
  };
  const auto times_lanes = [](const ComplexLanes<T>& a,
                              const ComplexLanes<T>& b) -> ComplexLanes<T> {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  };
  for (int k = 0; k < at_once && k < count; ++k) few[k] = root_of(k);
  for (std::int64_t begin = 0; begin < count; begin += at_once) {
    const ComplexLanes<T> shared = root_of(begin);
    for (std::int64_t k = begin; k < count && k < begin + at_once; ++k)
      x[k] = times_lanes(x[k], k == begin ? shared : times_lanes(shared, few[k - begin]));
  }
}

/// `signal_at(i)` is where signal i begins, of as many as a vector has lanes or are left.
template <class T, class SignalAt>
SignalGroup<T> signals(std::int64_t first, std::int64_t end, const Signal<T>& of,
                       SignalAt signal_at) {
  constexpr int lanes = WideVector<std::remove_const_t<T>>::lanes;
  SignalGroup<T> found;
  found.live = static_cast<int>(end - first < lanes ? end - first : lanes);
  found.in_pairs = true;
  found.is_swapped = of.is_swapped;
  found.step = of.step;
  for (int l = 0; l < lanes; ++l) found.at[l] = signal_at(l < found.live ? first + l : first);
  return found;
}

template <class T, class Each>
void transform_apart(const FourierPlan<T>& plan, const Signal<T>& out, const Signal<const T>& x,
                     T scale, Each each) {
  constexpr int lanes = WideVector<T>::lanes;
  const std::int64_t rows = plan.column->size, columns = plan.row->size;
  const Scratch matrix(2 * plan.size, sizeof(T));
  T* const between = matrix.as<T>();
  const double cost_ns = tuning::transformed_ns * static_cast<double>(plan.size);
  each(columns, lanes, cost_ns, [&](std::int64_t begin, std::int64_t end) {
    const Scratch both(2 * rows, sizeof(ComplexLanes<T>));
    for (std::int64_t j = begin; j < end; j += lanes) {
      const Signal<const T> column{x.at, columns * x.step, x.is_swapped};
      const auto given = signals(j, end, column, [&](std::int64_t i) { return x.at + i * x.step; });
      ComplexLanes<T>* const read = both.as<ComplexLanes<T>>();
      read_signals(&read->re, given, 2 * rows);
      ComplexLanes<T>* const done = run_steps(*plan.column, read, read + rows, T(1));
      turn_columns(done, rows, j, given.live, plan.roots);
      write_signals(signals(j, end, Signal<T>{between, 2 * columns, false},
                            [&](std::int64_t i) { return between + 2 * i; }),
                    &done->re, 2 * rows);
    }
  });
  each(rows, lanes, cost_ns, [&](std::int64_t begin, std::int64_t end) {
    const Scratch both(2 * columns, sizeof(ComplexLanes<T>));
    for (std::int64_t k = begin; k < end; k += lanes) {
      ComplexLanes<T>* const read = both.as<ComplexLanes<T>>();
      read_signals(&read->re,
                   signals(k, end, Signal<const T>{between, 2, false},
                           [&](std::int64_t i) -> const T* { return between + 2 * columns * i; }),
                   2 * columns);
      ComplexLanes<T>* const done = run_steps(*plan.row, read, read + columns, scale);
      write_signals(signals(k, end, Signal<T>{out.at, rows * out.step, out.is_swapped},
                            [&](std::int64_t i) { return out.at + i * out.step; }),
                    &done->re, 2 * columns);
    }
  });
}

template <class T, class Each>
void transform_one(const FourierPlan<T>& plan, const Signal<T>& out, const Signal<const T>& x,
                   T scale, Each each);

template <class T, class Each>
void transform_by_chirp(const FourierPlan<T>& plan, const Signal<T>& out, const Signal<const T>& x,
                        T scale, Each each) {
  const std::int64_t count = plan.inner->size;
  const Scratch turned(2 * count, sizeof(T));
  const Signal<T> whole{turned.as<T>(), 2, false}, swapped{turned.as<T>(), 2, true};
  const Signal<const T> given{whole.at, 2, false}, given_swapped{whole.at, 2, true};
  const Signal<const T> chirp{plan.chirp, 2, false}, spectrum{plan.spectrum, 2, false};
  const double cost_ns = tuning::transformed_ns * static_cast<double>(count);
  constexpr std::int64_t grain = tuning::convolved_part;
  each(count, grain, cost_ns, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t k = first; k < last; ++k)
      put_number(whole, k, k < plan.size ? number_at(x, k) * number_at(chirp, k) : Complex<T>{});
  });
  transform_one(*plan.inner, whole, given, T(1), each);
  each(count, grain, cost_ns, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t k = first; k < last; ++k)
      put_number(whole, k, number_at(given, k) * number_at(spectrum, k));
  });
  transform_one(*plan.inner, swapped, given_swapped, scale, each);
  each(plan.size, grain, cost_ns, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t k = first; k < last; ++k)
      put_number(out, k, number_at(given, k) * number_at(chirp, k));
  });
}

/// `out` may be `x`.
template <class T, class Each>
void transform_one(const FourierPlan<T>& plan, const Signal<T>& out, const Signal<const T>& x,
                   T scale, Each each) {
  if (plan.way == FourierWay::apart) return transform_apart(plan, out, x, scale, each);
  if (plan.way == FourierWay::chirp) return transform_by_chirp(plan, out, x, scale, each);
  const Scratch both(2 * plan.size, sizeof(ComplexLanes<T>));
  ComplexLanes<T>* const read = both.as<ComplexLanes<T>>();
  const auto begin = [](auto* at) { return [at](std::int64_t) { return at; }; };
  read_signals(&read->re, signals(0, 1, x, begin(x.at)), 2 * plan.size);
  const ComplexLanes<T>* const done = run_steps(plan, read, read + plan.size, scale);
  write_signals(signals(0, 1, out, begin(out.at)), &done->re, 2 * plan.size);
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
