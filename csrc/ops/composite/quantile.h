// Quantiles, made of elements of slices by their rank, or of sorted slices.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/index/gather.h"
#include "csrc/ops/op/operators.h"
#include "csrc/ops/order/order.h"
#include "csrc/ops/reduce/reduce.h"
#include "csrc/ops/shape/join.h"
#include "csrc/ops/shape/views.h"

namespace garboard::composite {

/// Between two elements: which one, or what between them.
enum class Interpolation : std::uint8_t { linear, lower, higher, midpoint, nearest };

/// Raises ShapeError unless each element of `q`, on the CPU, is in [0, 1].
inline void check_quantiles(const char* op, const Tensor& q) {
  const Tensor plain = contiguous(to(detach(q), DType::float64));
  const auto* const first = plain.view().as<const double>();
  for (std::int64_t i = 0; i < plain.count(); ++i) {
    if (!(first[i] >= 0 && first[i] <= 1))
      throw ShapeError(text(op, ": q ", first[i], "; 0 to 1 is needed"));
  }
}

/// So few elements of a slice are found one by one before it would have been sorted.
inline bool are_few(std::int64_t ranks, std::int64_t size) {
  constexpr std::int64_t least = 128, long_slice = 1 << 16;
  return size > least && ranks <= (size < long_slice ? 2 : 4);
}

/// The elements at whole `ranks` of the slices along `dim`, which trades places with the last.
inline Tensor elements_of_ranks(const char* op, const Tensor& input, int dim, const Tensor& ranks,
                                std::map<std::int64_t, Tensor>& found) {
  const Tensor whole = to(ranks, DType::int64);
  const auto* const first = whole.view().as<const std::int64_t>();
  std::vector<Tensor> elements;
  for (std::int64_t i = 0; i < whole.count(); ++i) {
    const auto [at, is_new] = found.try_emplace(first[i]);
    if (is_new) at->second = element_of_rank(op, input, first[i], dim, false).values;
    elements.push_back(at->second);
  }
  return transpose(stack(elements, dim), dim, input.ndim() - 1);
}

/// The elements at `q` of the way through each sorted slice along `dim`, or through all, for each
/// of `q`, of at most one dim, each in [0, 1]. NaN where there is one, unless it `skips_nan`. The
/// dim of `q` comes first.
inline Tensor quantile(const char* op, const Tensor& input, const Tensor& q,
                       std::optional<std::int64_t> given_dim, bool keepdim,
                       Interpolation interpolation, bool skips_nan) {
  if (!is_floating(input.dtype()) || q.dtype() != input.dtype())
    throw DTypeError(text(op, ": dtypes ", name_of(input.dtype()), " and ", name_of(q.dtype()),
                          " of q; one floating dtype is needed"));
  if (q.ndim() > 1)
    throw ShapeError(text(op, ": q of sizes ", q.sizes(), "; at most one dim is needed"));
  const int dim = given_dim ? checked_dim(op, *given_dim, input.ndim()) : 0;
  const Tensor flat = given_dim && input.ndim() ? input : reshape(input, {-1});
  const int last = flat.ndim() - 1;
  const std::int64_t size = flat.size(dim);
  if (size == 0)
    throw ShapeError(
        text(op, ": no elements, of sizes ", input.sizes(), "; at least one is needed"));
  const Operand one = Scalar::of(std::int64_t{1}), zero = Scalar::of(std::int64_t{0});
  const bool can_read = q.device().is_cpu() && input.device().is_cpu();
  if (can_read) check_quantiles(op, q);
  const Tensor ranks = reshape(q, {-1});
  const Operand highest = Scalar::of(static_cast<double>(size - 1));
  const bool is_picked = can_read && !skips_nan && are_few(ranks.count(), size);
  Tensor ordered, rank;
  if (is_picked) {
    rank = ranks * highest;
  } else {
    ordered = sort(transpose(flat, dim, last), last, Direction::ascending).values;
    const Tensor plain = detach(ordered);
    if (skips_nan) {
      const Tensor numbers = to(sum(logical_not(isnan(plain)), {Dims{last}, true}), plain.dtype());
      rank = maximum((numbers - one) * ranks, zero);
    } else {
      rank = where(isnan(narrow(plain, last, size - 1, 1)), highest, ranks * highest);
    }
  }
  if (interpolation == Interpolation::lower) rank = floor(rank);
  if (interpolation == Interpolation::higher) rank = ceil(rank);
  if (interpolation == Interpolation::nearest) rank = round(rank);
  std::map<std::int64_t, Tensor> found;
  const auto elements_at = [&](const Tensor& whole) {
    return is_picked ? elements_of_ranks(op, flat, dim, whole, found)
                     : gather(ordered, last, to(whole, DType::int64));
  };
  const Tensor place = detach(rank), below = floor(place);
  Tensor result = elements_at(below);
  if (interpolation == Interpolation::linear || interpolation == Interpolation::midpoint) {
    const Tensor above = elements_at(ceil(place));
    const Tensor weight = rank - below;
    const bool is_linear = interpolation == Interpolation::linear;
    result = lerp(result, above, is_linear ? weight : where(eq(weight, zero), zero, 0.5));
  }
  // The dim of q stands where the sorted one stood, at the end.
  const std::int64_t count = ranks.count();
  Tensor shaped = transpose(result, dim, last);
  Dims sizes;
  if (!given_dim) {
    if (keepdim) sizes = Dims::filled(input.ndim(), 1);
  } else if (input.ndim()) {
    for (int d = 0; d < input.ndim(); ++d) {
      if (d != dim || keepdim) sizes.push_back(d == dim ? 1 : input.size(d));
    }
  }
  if (q.ndim() == 0) return contiguous(reshape(shaped, sizes));
  sizes.insert(0, count);
  Dims order{dim};
  for (int d = 0; d < flat.ndim(); ++d) {
    if (d != dim) order.push_back(d);
  }
  return reshape(permute(shaped, order), sizes);
}

}  // namespace garboard::composite
