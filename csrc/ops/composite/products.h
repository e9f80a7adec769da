// Products of vectors, matrices and batches of them, made of others; see added_product.h, too.
#pragma once

#include "csrc/core/error.h"
#include "csrc/ops/complex/complex.h"
#include "csrc/ops/composite/reduce.h"
#include "csrc/ops/composite/shape.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/op/operators.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/products/matmul.h"
#include "csrc/ops/reduce/reduce.h"
#include "csrc/ops/shape/join.h"
#include "csrc/ops/shape/views.h"
#include "csrc/ops/shape/windows.h"

namespace garboard::composite {

/// Raises ShapeError unless each of two has so many dims.
inline void check_dims(const char* op, const Tensor& a, int a_ndim, const Tensor& b, int b_ndim) {
  if (a.ndim() != a_ndim || b.ndim() != b_ndim)
    throw ShapeError(text(op, ": sizes ", a.sizes(), " and ", b.sizes(), "; ", a_ndim, " and ",
                          b_ndim, " dims are needed"));
}

inline Tensor dot(const char* op, const Tensor& a, const Tensor& b) {
  check_dims(op, a, 1, b, 1);
  if (a.count() != b.count())
    throw ShapeError(text(op, ": ", a.count(), " elements and ", b.count(),
                          "; as many of one as of the other are needed"));
  check_factors(op, a, b);
  return matmul(a, b);
}
/// As `dot`, the first conjugated.
inline Tensor vdot(const char* op, const Tensor& a, const Tensor& b) { return dot(op, conj(a), b); }

inline Tensor mv(const char* op, const Tensor& matrix, const Tensor& vector) {
  check_dims(op, matrix, 2, vector, 1);
  if (matrix.size(1) != vector.count())
    throw ShapeError(text(op, ": a matrix of sizes ", matrix.sizes(), " and a vector of ",
                          vector.count(), " elements; as many as columns are needed"));
  check_factors(op, matrix, vector);
  return matmul(matrix, vector);
}

inline Tensor outer(const char* op, const Tensor& a, const Tensor& b) {
  check_dims(op, a, 1, b, 1);
  return unsqueeze(a, 1) * b;
}

/// Sums over the last dim of both.
inline Tensor inner(const Tensor& a, const Tensor& b) {
  if (a.ndim() == 0 || b.ndim() == 0) return a * b;
  if (a.last_size() != b.last_size())
    throw ShapeError(
        text("inner: sizes ", a.sizes(), " and ", b.sizes(), "; the last of both must be equal"));
  check_factors("inner", a, b);
  Dims sizes = a.sizes();
  sizes.erase(sizes.size() - 1);
  for (int i = 0; i + 1 < b.ndim(); ++i) sizes.push_back(b.size(i));
  const auto rows = [](const Tensor& x) {
    std::int64_t count = 1;
    for (int i = 0; i + 1 < x.ndim(); ++i) count *= x.size(i);
    return reshape(x, {count, x.last_size()});
  };
  return reshape(matmul(rows(a), transpose(rows(b), 0, 1)), sizes);
}

inline Tensor trace(const Tensor& input) {
  if (input.ndim() != 2)
    throw ShapeError(text("trace: sizes ", input.sizes(), "; a matrix is needed"));
  return sum(diagonal(input, 0, 0, 1));
}

/// Each element of `a` times all of `b`; the dims that one lacks are put in front of it.
inline Tensor kron(const Tensor& a, const Tensor& b) {
  const int ndim = std::max(a.ndim(), b.ndim());
  if (2 * ndim > max_dims)
    throw ShapeError(text("kron: sizes ", a.sizes(), " and ", b.sizes(), "; at most ", max_dims / 2,
                          " dims are taken"));
  Dims of_a, of_b, sizes;
  const auto size_of = [&](const Tensor& x, int i) {
    const int own = i - (ndim - x.ndim());
    return own < 0 ? std::int64_t{1} : x.size(own);
  };
  for (int i = 0; i < ndim; ++i) {
    of_a.push_back(size_of(a, i));
    of_a.push_back(1);
    of_b.push_back(1);
    of_b.push_back(size_of(b, i));
    sizes.push_back(size_of(a, i) * size_of(b, i));
  }
  return reshape(reshape(a, of_a) * reshape(b, of_b), sizes);
}

/// The product that stands upright on two vectors along `dim`, of size 3.
inline Tensor cross(const char* op, const Tensor& given_a, const Tensor& given_b,
                    std::int64_t given_dim) {
  const Dims sizes = broadcast_sizes(op, given_a.sizes(), given_b.sizes());
  const int dim = checked_dim(op, given_dim, sizes.size());
  if (sizes.empty() || sizes[dim] != 3)
    throw ShapeError(text(op, ": sizes ", given_a.sizes(), " and ", given_b.sizes(), " along dim ",
                          given_dim, "; size 3 is needed there"));
  if (promote(given_a.dtype(), given_b.dtype()) == DType::boolean)
    throw DTypeError(text(op, ": dtype bool; numbers are needed, convert with to()"));
  const Tensor a = expand(given_a, sizes), b = expand(given_b, sizes);
  Tensor out;
  {
    const GradModeGuard no_grad(false);
    const auto part = [&](int i) {  // of the result along dim
      const auto of = [dim](const Tensor& x, int place) { return select(x, dim, place % 3); };
      return of(a, i + 1) * of(b, i + 2) - of(a, i + 2) * of(b, i + 1);
    };
    out = stack({part(0), part(1), part(2)}, dim);
  }
  // Fewer passes than through the parts.
  record(op, out, {a, b}, Keep::crosswise, [op, dim](const Backward& at) -> Grads {
    Grads grads;
    if (at.needs(0)) grads[0] = cross(op, at.input(1), at.grad, dim);
    if (at.needs(1)) grads[1] = cross(op, at.grad, at.input(0), dim);
    return grads;
  });
  return out;
}
/// Along the first dim of size 3.
inline Tensor cross_along_first(const char* op, const Tensor& a, const Tensor& b) {
  const Dims sizes = broadcast_sizes(op, a.sizes(), b.sizes());
  for (int dim = 0; dim < sizes.size(); ++dim) {
    if (sizes[dim] == 3) return cross(op, a, b, dim);
  }
  throw ShapeError(
      text(op, ": sizes ", a.sizes(), " and ", b.sizes(), "; a dim of size 3 is needed"));
}

inline Tensor product(const char* op, const Tensor& a, const Tensor& b) {
  return multiplied(op, a, b, 2);
}
inline Tensor products(const char* op, const Tensor& a, const Tensor& b) {
  return multiplied(op, a, b, 3);
}
/// The sum over a batch of products.
inline Tensor summed_products(const char* op, const Tensor& a, const Tensor& b) {
  check_dims(op, a, 3, b, 3);
  if (a.size(0) != b.size(0) || a.size(2) != b.size(1))
    return multiplied(op, a, b, 3);  // which says what does not fit
  // One product of two matrices, whose depth is that of all: [n, b k] x [b k, m].
  const Tensor wide = reshape(permute(a, {1, 0, 2}), {a.size(1), a.size(0) * a.size(2)});
  return multiplied(op, wide, reshape(b, {b.size(0) * b.size(1), b.size(2)}), 2);
}

// Statistics and distances.

/// Covariances of the rows of `input`, whose columns are observations.
inline Tensor cov(const char* op, const Tensor& input, std::int64_t correction,
                  const Tensor& fweights, const Tensor& aweights) {
  if (input.ndim() > 2)
    throw ShapeError(text(op, ": sizes ", input.sizes(), "; at most two dims are taken"));
  if (input.dtype() == DType::boolean)
    throw DTypeError(text(op, ": dtype bool; numbers are needed, convert with to()"));
  const Tensor floats = has_gradient(input.dtype()) ? input : to(input, DType::float32);
  const Tensor rows =
      input.ndim() == 2 ? floats : reshape(floats, {1, input.ndim() ? input.count() : 1});
  const std::int64_t count = rows.size(1);
  Tensor weights;
  for (const Tensor* const given : {&fweights, &aweights}) {
    if (!*given) continue;
    const char* const role = given == &fweights ? "fweights" : "aweights";
    if (given->sizes() != Dims{count})
      throw ShapeError(text(op, ": ", role, " of sizes ", given->sizes(), " for ", count,
                            " observations; one for each is needed"));
    if (is_floating(given->dtype()) != (given == &aweights) || given->dtype() == DType::boolean)
      throw DTypeError(text(op, ": ", role, " of dtype ", name_of(given->dtype()),
                            given == &fweights ? "; integers are needed" : "; floats are needed"));
    if (given->device() != input.device())
      throw DeviceError(text(op, ": ", role, " on ", given->device(), ", input on ", input.device(),
                             "; they must be on one device, use to()"));
    const Tensor is_negative = to(any(lt(detach(*given), 0.0)), Device{});
    if (*static_cast<const bool*>(is_negative.data()))
      throw ShapeError(text(op, ": ", role, " with a negative number; none may be"));
    weights = weights ? weights * *given : *given;
  }
  Tensor total, mean_of_rows;
  if (weights) {
    total = sum(weights);
    mean_of_rows = sum(rows * weights, {Dims{1}, true}) / total;
  } else {
    mean_of_rows = mean(rows, {Dims{1}, true});
  }
  const Tensor centred = rows - mean_of_rows;
  const Tensor weighted = weights ? centred * weights : centred;
  const Tensor products = mm(weighted, conj(transpose(centred, 0, 1)));
  Tensor result;
  if (!weights) {
    result = products / static_cast<double>(std::max<std::int64_t>(count - correction, 0));
  } else {
    const Tensor own = aweights ? sum(weights * aweights) / total : Tensor();
    const Tensor taken = own ? own * static_cast<double>(correction) : Tensor();
    const Tensor degrees = taken ? total - taken : total - static_cast<double>(correction);
    result = products / maximum(degrees, Scalar::of(0.0));
  }
  return rows.size(0) == 1 ? reshape(result, {}) : result;
}

/// Covariances divided by the deviations of both rows.
inline Tensor corrcoef(const Tensor& input) {
  const Tensor both = cov("corrcoef", input, 1, {}, {});
  if (both.ndim() == 0) return both / both;
  const Tensor deviation = sqrt(real(diagonal(both, 0, 0, 1)));
  const Tensor scaled_rows = both / unsqueeze(deviation, 1);
  const Tensor scaled = scaled_rows / unsqueeze(deviation, 0);
  if (!is_complex(scaled.dtype())) return clamp_between(scaled, -1.0, 1.0);
  return view_as_complex(clamp_between(view_as_real(scaled), -1.0, 1.0));
}

}  // namespace garboard::composite
