// Sums, counts and norms, made of other reductions.
#pragma once

#include <cmath>
#include <vector>

#include "csrc/core/error.h"
#include "csrc/ops/composite/compare.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/fuse/expression.h"
#include "csrc/ops/op/operators.h"
#include "csrc/ops/reduce/reduce.h"
#include "csrc/ops/shape/join.h"
#include "csrc/ops/shape/views.h"

namespace garboard::composite {

inline Tensor count_nonzero(const Tensor& input, const Reduced& over) {
  const Tensor x = detach(input);
  return sum(x.dtype() == DType::boolean ? x : ne(x, Scalar::of(std::int64_t{0})), over);
}

/// The sum as if NaN were 0.
inline Tensor nansum(const Tensor& input, const Reduced& over, std::optional<DType> dtype) {
  if (!has_gradient(input.dtype())) return sum(input, over, dtype);
  if (input.device().is_cpu() && !(is_grad_enabled() && input.requires_grad())) {
    const Tensor total = sum(input, over, dtype);
    if (is_true_everywhere(eq(total, total))) return total;  // mostly there is none
  }
  const Expression numbers = of<where>(of<isnan>(detach(input)), 0.0, input);
  const bool is_whole =
      !over.dims && !over.keepdim && dtype.value_or(input.dtype()) == input.dtype();
  return is_whole ? numbers.sum() : sum(numbers.made(), over, dtype);
}

/// The mean of the numbers: NaN where there is none.
inline Tensor nanmean(const Tensor& input, const Reduced& over, std::optional<DType> dtype) {
  const DType result = dtype.value_or(input.dtype());
  if (!has_gradient(result))
    throw DTypeError(text("nanmean: dtype ", name_of(result),
                          "; a floating one is needed, as in nanmean(dtype=float32)"));
  const Tensor numbers = sum(logical_not(isnan(detach(input))), over);
  return nansum(input, over, result) / to(numbers, result);
}

/// The variance, or its root, and the mean.
inline std::vector<Tensor> with_mean(const char* op,
                                     Tensor (*spread)(const Tensor&, const Reduced&, double),
                                     const Tensor& input, const Reduced& over, double correction) {
  if (!has_gradient(input.dtype()))
    throw DTypeError(text(op, ": dtype ", name_of(input.dtype()),
                          "; a floating one is needed, as in x.float()"));
  return {spread(input, over, correction), mean(input, over)};
}

/// sum(|x|^p)^(1/p); of p infinite the largest |x|, or the least, and of 0 how many are not 0.
/// Where that is 0, and of a power below 1 where x is, the gradient is 0.
inline Tensor norm(const char* op, const Tensor& given, double p, const Reduced& over,
                   std::optional<DType> dtype) {
  if (is_complex(given.dtype()))
    return norm(op, abs(given), p, over, dtype ? std::optional(component_of(*dtype)) : dtype);
  const DType asked = dtype.value_or(given.dtype());
  if (!is_floating(asked))
    throw DTypeError(
        text(op, ": dtype ", name_of(asked), "; a floating one is needed, as in x.float()"));
  if (p == 2) {
    const Tensor total = sum_of_squares(to(given, asked), over);
    const Tensor is_nothing = eq(detach(total), 0.0);
    return to(where(is_nothing, 0.0, sqrt(where(is_nothing, 1.0, total))), asked);
  }
  if (widened(asked) != asked)  // powers of what fits may not fit
    return to(norm(op, given, p, over, widened(asked)), asked);
  const Tensor input = to(given, asked);
  if (std::isinf(p)) return p > 0 ? amax(abs(input), over) : amin(abs(input), over);
  if (p == 0) {  // its slope is 0 everywhere, which a graph shall find
    const Tensor counted = to(count_nonzero(input, over), input.dtype());
    return input.requires_grad() ? counted + sum(input * 0.0, over) : counted;
  }
  if (p == 1) return sum(abs(input), over);
  const Tensor size = abs(input);
  const Tensor is_flat = eq(detach(size), 0.0);
  // Of a negative power one element that is 0 makes the norm 0.
  const Tensor powers =
      p >= 1 ? pow(size, p) : where(is_flat, std::pow(0.0, p), pow(where(is_flat, 1.0, size), p));
  const Tensor total = sum(powers, over);
  const Tensor at_edge = p > 0 ? eq(detach(total), 0.0) : isinf(detach(total));
  return where(at_edge, 0.0, pow(where(at_edge, 1.0, total), 1 / p));
}

/// Differences of neighbours along `dim`, `n` times.
inline Tensor diff(const Tensor& input, std::int64_t n, std::int64_t given_dim) {
  if (input.ndim() == 0) throw ShapeError("diff: a tensor without dims; at least one is needed");
  if (n < 0) throw ShapeError(text("diff: n ", n, "; 0 or more is needed"));
  const int dim = checked_dim("diff", given_dim, input.ndim());
  Tensor result = n == 0 ? row_major_copy(input) : input;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t size = result.size(dim);
    const std::int64_t left = size > 0 ? size - 1 : 0;
    const Tensor later = slice(result, dim, size - left, left, 1);
    const Tensor before = slice(result, dim, 0, left, 1);
    result = input.dtype() == DType::boolean ? logical_xor(later, before) : later - before;
    if (left == 0) break;
  }
  return result;
}

}  // namespace garboard::composite
