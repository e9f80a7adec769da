// Quantiles, made of sorted slices.
#pragma once

#include <optional>

#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/index/gather.h"
#include "csrc/ops/op/operators.h"
#include "csrc/ops/order/order.h"
#include "csrc/ops/reduce/reduce.h"
#include "csrc/ops/shape/views.h"

namespace garboard::composite {

/// Between two elements: which one, or what between them.
enum class Interpolation : std::uint8_t { linear, lower, higher, midpoint, nearest };

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
  const Tensor ordered = sort(transpose(flat, dim, last), last, Direction::ascending).values;
  const Tensor plain = detach(ordered);
  const Tensor end = to(select(plain, last, size - 1), plain.dtype());
  const Tensor is_nan = unsqueeze(isnan(end), last);
  const Tensor ranks = reshape(detach(q), {-1});
  Tensor rank;
  if (skips_nan) {
    const Tensor numbers = to(sum(logical_not(isnan(plain)), {Dims{last}, true}), plain.dtype());
    rank = maximum((numbers - one) * ranks, zero);
  } else {
    const Operand highest = Scalar::of(static_cast<double>(size - 1));
    rank = where(is_nan, highest, ranks * highest);
  }
  if (interpolation == Interpolation::lower) rank = floor(rank);
  if (interpolation == Interpolation::higher) rank = ceil(rank);
  if (interpolation == Interpolation::nearest) rank = round(rank);
  const Tensor below = floor(rank);
  Tensor result = gather(ordered, last, to(below, DType::int64));
  if (interpolation == Interpolation::linear || interpolation == Interpolation::midpoint) {
    const Tensor above = gather(ordered, last, to(ceil(rank), DType::int64));
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
