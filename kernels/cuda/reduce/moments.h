// Mean and variance of elements that are read once: distances from one of them are summed up, and
// what that comes to meets as Chan, Golub and LeVeque say ("Algorithms for computing the sample
// variance", 1983).
#pragma once

#include <cstdint>

#include "csrc/core/host_device.h"

namespace garboard::kernels::cuda {

/// The sums of the distances from one element, and of their squares. Nothing of weight cancels
/// where they become moments: the element is as far from the mean as the squares are large.
struct Distances {
  double count, from, sum, squares;

  GARBOARD_HD static Distances none() { return {0, 0, 0, 0}; }
  template <class T>
  GARBOARD_HD void begin(T first) {
    from = static_cast<double>(first);
  }
  template <class T>
  GARBOARD_HD void take(T element, std::int64_t) {
    const double distance = static_cast<double>(element) - from;
    count += 1;
    sum += distance;
    squares += distance * distance;
  }
  /// Of the same element.
  GARBOARD_HD void merge(const Distances& other) {
    count += other.count;
    sum += other.sum;
    squares += other.squares;
  }
};

/// How many elements, their mean, and the sum of the squared distances from it.
struct Moments {
  using TakenElements = Distances;

  double count, mean, squares;

  GARBOARD_HD static Moments none() { return {0, 0, 0}; }
  GARBOARD_HD static Moments of(const Distances& all, std::int64_t) {
    if (all.count == 0) return none();
    const double mean = all.sum / all.count;
    const double squares = all.squares - mean * all.sum;
    return {all.count, all.from + mean, squares < 0 ? 0 : squares};
  }
  GARBOARD_HD void merge(const Moments& other) {
    if (other.count == 0) return;
    const double total = count + other.count, share = other.count / total;
    const double distance = other.mean - mean;
    mean = count > 0 ? mean + distance * share : other.mean;
    squares += other.squares + distance * distance * (count * share);
    count = total;
  }
  GARBOARD_HD double result() const { return squares / count; }
};

}  // namespace garboard::kernels::cuda
