// Which elements there are, and how many of each.
#pragma once

#include <optional>

#include "csrc/tensor/tensor.h"

namespace garboard {

/// Each element once; `inverse` says which one stands where, `counts` how often. Both int64, and
/// empty where they are not asked for.
struct Unique {
  Tensor values, inverse, counts;
};
struct UniqueParts {
  bool inverse = false, counts = false;
};

/// In ascending order; slices along `dim` instead of elements where one is named, in the order of
/// their elements.
Unique unique(const Tensor& input, std::optional<std::int64_t> dim, UniqueParts wanted);
/// Of equal ones side by side, the first; the others stay.
Unique unique_consecutive(const Tensor& input, std::optional<std::int64_t> dim, UniqueParts wanted);

/// How often each number from 0 on occurs in `input`, of one dim and integers, or what its
/// `weights` add up to; at least `minlength` of them.
Tensor bincount(const Tensor& input, const Tensor& weights, std::int64_t minlength);
/// How many elements lie in each of `bins` equal parts of [low, high], or, where both are equal, of
/// what the elements reach.
Tensor histc(const Tensor& input, std::int64_t bins, double low, double high);
/// Whether each of `elements` is among `tests`.
Tensor isin(const Tensor& elements, const Tensor& tests, bool invert);

}  // namespace garboard
