// What a scan has come to, and how that is written.
#pragma once

#include <type_traits>

#include "kernels/cuda/launch/packs.h"
#include "kernels/functors/reduce.h"
#include "kernels/functors/scalar_math.h"

namespace garboard::kernels::cuda {

// What elements have come to: begins as `none()`, which changes nothing it is merged with; merges
// with what comes later.

template <class T>
struct RunningSum {
  functors::Gathered<T> value;

  GARBOARD_HD static RunningSum none() { return {0}; }
  GARBOARD_HD static RunningSum of(T x, std::int64_t) {
    return {static_cast<functors::Gathered<T>>(x)};
  }
  GARBOARD_HD void merge(const RunningSum& later) { value += later.value; }
};

template <class T>
struct RunningProduct {
  functors::Gathered<T> value;

  GARBOARD_HD static RunningProduct none() { return {1}; }
  GARBOARD_HD static RunningProduct of(T x, std::int64_t) {
    return {static_cast<functors::Gathered<T>>(x)};
  }
  GARBOARD_HD void merge(const RunningProduct& later) { value *= later.value; }
};

/// The largest x, and the sum of e^(x - largest).
template <class T>
struct RunningExponentials {
  double largest, sum;

  GARBOARD_HD static RunningExponentials none() { return {-functors::infinity<double>, 0}; }
  GARBOARD_HD static RunningExponentials of(T x, std::int64_t) {
    return {static_cast<double>(x), 1};
  }
  GARBOARD_HD void merge(const RunningExponentials& later) {
    if (later.largest == largest) {  // both may be infinite
      sum += later.sum;
    } else if (later.largest < largest || largest != largest) {
      sum += later.sum * functors::exp(later.largest - largest);
    } else {  // larger, or NaN
      sum = sum * functors::exp(largest - later.largest) + later.sum;
      largest = later.largest;
    }
  }
  GARBOARD_HD double result() const {
    return largest == -functors::infinity<double> ? largest : largest + functors::log(sum);
  }
};

/// The extremum and its last place; NaN is beyond everything.
template <class F, class T>
struct RunningExtremum {
  functors::Widened<T> value;
  std::int64_t place;  // -1: of nothing

  GARBOARD_HD static RunningExtremum none() { return {{}, -1}; }
  GARBOARD_HD static RunningExtremum of(T x, std::int64_t place) {
    return {functors::widened(x), place};
  }
  GARBOARD_HD void merge(const RunningExtremum& later) {
    if (later.place < 0) return;
    const bool is_beyond =
        std::is_same_v<F, functors::MaximumOf> ? later.value >= value : later.value <= value;
    if (place < 0 || is_beyond || later.value != later.value) *this = later;
  }
};

/// What is written of a running result: to the operands before the last, which is x.
template <class T>
struct RunningResult {
  T* data;

  template <class Running>
  GARBOARD_HD void write(const std::int64_t* at, const Running& so_far) const {
    if constexpr (requires { so_far.result(); })
      data[at[0]] = static_cast<T>(so_far.result());
    else
      data[at[0]] = static_cast<T>(so_far.value);
  }
  template <int pack, class Running>
  GARBOARD_HD void write_pack(const std::int64_t* at, const Running (&so_far)[pack],
                              std::int64_t left) const {
    ElementPack<T, pack> items;
    for (int i = 0; i < pack; ++i) {
      if constexpr (requires { so_far[i].result(); })
        items.item[i] = static_cast<T>(so_far[i].result());
      else
        items.item[i] = static_cast<T>(so_far[i].value);
    }
    store_part(data + at[0], items, left, suits_packs<T, pack>(data + at[0]));
  }
  RunningResult moved(const std::int64_t* starts) const { return {data + starts[0]}; }
};

template <class T>
struct RunningPlace {
  T* values;
  std::int64_t* places;

  template <class Running>
  GARBOARD_HD void write(const std::int64_t* at, const Running& so_far) const {
    values[at[0]] = static_cast<T>(so_far.value);
    places[at[1]] = so_far.place;
  }
  template <int pack, class Running>
  GARBOARD_HD void write_pack(const std::int64_t* at, const Running (&so_far)[pack],
                              std::int64_t left) const {
    constexpr int half = pack < 2 ? 1 : 2;
    ElementPack<T, pack> found;
    for (int i = 0; i < pack; ++i) found.item[i] = static_cast<T>(so_far[i].value);
    store_part(values + at[0], found, left, suits_packs<T, pack>(values + at[0]));
    const bool is_aligned = suits_packs<std::int64_t, half>(places + at[1]);
    for (int i = 0; i < pack; i += half) {
      ElementPack<std::int64_t, half> stood;
      for (int k = 0; k < half; ++k) stood.item[k] = so_far[i + k].place;
      store_part(places + at[1] + i, stood, left - i, is_aligned);
    }
  }
  RunningPlace moved(const std::int64_t* starts) const {
    return {values + starts[0], places + starts[1]};
  }
};

}  // namespace garboard::kernels::cuda
