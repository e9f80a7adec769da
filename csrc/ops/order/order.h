// Elements in order, and some of them by their rank. NaN comes after every number; of equal
// elements the one that stands first comes first. Values have a gradient, which goes to where they
// stood.
#pragma once

#include "csrc/ops/reduce/reduce.h"

namespace garboard {

enum class Direction : std::uint8_t { ascending, descending };

ValuesAndIndices sort(const Tensor& input, std::int64_t dim, Direction direction);
/// The values alone, ascending, without a gradient.
Tensor in_order(const Tensor& input, std::int64_t dim);
/// The indices alone.
Tensor argsort(const Tensor& input, std::int64_t dim, Direction direction);
/// The first `k` of the sorted elements. Raises ShapeError unless 0 <= k <= the size of `dim`.
ValuesAndIndices topk(const Tensor& input, std::int64_t k, std::int64_t dim, Direction direction);

/// The k-th smallest, counted from 1.
ValuesAndIndices kthvalue(const Tensor& input, std::int64_t k, std::int64_t dim, bool keepdim);
/// The element with `rank` others before it, of [0, the size of `dim`), and NaN where there is one.
ValuesAndIndices element_of_rank(const char* op, const Tensor& input, std::int64_t rank,
                                 std::int64_t dim, bool keepdim);
/// The lower one of two in the middle; NaN where there is one.
ValuesAndIndices median(const Tensor& input, std::int64_t dim, bool keepdim);
/// The same of the numbers alone.
ValuesAndIndices nanmedian(const Tensor& input, std::int64_t dim, bool keepdim);
/// The same of all elements; of no floating one NaN, as their mean is. The gradient is shared
/// evenly among equals.
Tensor median_of_all(const Tensor& input);
Tensor nanmedian_of_all(const Tensor& input);
/// The most frequent, the least of several, and where it stands last.
ValuesAndIndices most_frequent(const Tensor& input, std::int64_t dim, bool keepdim);

/// The extremum so far along `dim`, and where it last stood.
ValuesAndIndices cummax(const Tensor& input, std::int64_t dim);
ValuesAndIndices cummin(const Tensor& input, std::int64_t dim);

/// How many elements of each row of `sorted`, its last dim, come before those of `values`, or, with
/// `right`, no later; int64. The other sizes agree, or `sorted` has one dim.
Tensor searchsorted(const char* op, const Tensor& sorted, const Tensor& values, bool right);

}  // namespace garboard
