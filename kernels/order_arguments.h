// What kernels are given that put elements in order. The rules of kernels/arguments.h hold. NaN
// comes after every number, 0 and -0 are equal, and of equal elements the one that stands first
// comes first, in either direction.
#pragma once

#include <cstdint>

#include "csrc/core/view.h"

namespace garboard::kernels {

/// Along `dim`, where `values` and `indices` (int64) may be shorter than `x`: then only the first
/// in order are wanted. Either may have no data.
struct Sort {
  static constexpr const char* name = "sort";
  const View& values;
  const View& indices;
  const View& x;
  int dim;
  bool descending;
};

/// What becomes of NaN: it comes last, or is chosen where there is one, or is passed over as long
/// as there is a number.
enum class NaNs : std::uint8_t { last, win, passed_over };

/// The element with `rank` others before it along `dim`, in [0, size), and its place. Where NaN is
/// passed over, `rank` counts for nothing: it is half of what numbers there are, rounded down.
struct Select {
  static constexpr const char* name = "kthvalue";
  const View& values;
  const View& indices;
  const View& x;
  int dim;
  std::int64_t rank;
  NaNs nans;
};

/// The most frequent element along `dim`, the least of several, and its last place.
struct Mode {
  static constexpr const char* name = "mode";
  const View& values;
  const View& indices;
  const View& x;
  int dim;
};

/// out[.., i], int64: how many of sorted[.., :] come before values[.., i], or with `right` no
/// later. `sorted` has out's sizes but for the last dim, or that dim alone.
struct SearchSorted {
  static constexpr const char* name = "searchsorted";
  const View& out;
  const View& sorted;
  const View& values;
  bool right;
};

}  // namespace garboard::kernels
