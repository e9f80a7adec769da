#include "csrc/ops/linear_algebra/solve.h"

#include <limits>

#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/index/gather.h"
#include "csrc/ops/linear_algebra/matrices.h"
#include "csrc/ops/op/promotion.h"
#include "csrc/ops/order/order.h"

namespace garboard {

using namespace matrices;
using composite::tril;
using composite::triu;

namespace {

/// LU of a matrix, unrecorded, which lies column by column: in the rows of `columns`. `infos` are
/// where LAPACK computes.
struct ColumnFactors {
  Tensor columns, pivots, infos;
  std::int64_t failed;
};
ColumnFactors factored(const char* op, const Tensor& input) {
  const GradModeGuard no_grad(false);
  const Dims batch = batch_sizes(input);
  const std::int64_t k = std::min(rows_of(input), columns_of(input));
  const Tensor columns = copy_for_lapack(turned(input));
  const Device device = columns.device(), home = input.device();
  const Tensor pivots = empty_of(op, with(batch, {k}), DType::int32, device);
  const Tensor infos = infos_of(op, batch, device);
  std::int64_t failed = -1;
  if (columns.count() > 0)
    failed = kernels::run(
        kernels::LuFactor{{batched(infos, 0)}, batched(columns), batched(pivots, 1)}, device);
  return {moved(columns, home), moved(pivots, home), infos, failed};
}

void refuse_singular(const char* op, const ColumnFactors& factors, const Dims& batch) {
  if (factors.failed < 0) return;
  const int at = info_at(factors.infos, factors.failed) - 1;
  throw LinAlgError(
      text(named(op, factors.failed, batch), " is singular: U[", at, ", ", at,
           "] of its LU is 0; an invertible one is needed, or linalg.lstsq() or linalg.pinv()"));
}

/// Solves with factors, unrecorded; `other` has, or broadcasts to, the batch of the result.
Tensor solved(const char* op, const ColumnFactors& factors, const Tensor& other, bool transposed) {
  const GradModeGuard no_grad(false);
  const Dims batch = broadcast_sizes(op, batch_sizes(factors.columns), batch_sizes(other));
  const std::int64_t n = rows_of(other), columns = columns_of(other);
  const Tensor out = copy_for_lapack(expand(other, with(batch, {n, columns})));
  if (out.count() > 0) {
    Tensor lu_copy, pivots_copy;
    const Tensor own_lu = seen_turned(moved(factors.columns, out.device()));
    const Tensor own_pivots = unsqueeze(moved(factors.pivots, out.device()), -1);
    const Tensor pivots = expand(own_pivots, with(batch, {n, 1}));
    const View lu = readable(expand(own_lu, with(batch, {n, n})), lu_copy);
    kernels::run(kernels::LuSolve{batched(out), lu, readable(pivots, pivots_copy), transposed},
                 out.device());
  }
  return moved(out, other.device());
}

/// Ones on the diagonals of the sizes of square matrices.
Tensor identity_like(const Tensor& x) {
  const GradModeGuard no_grad(false);
  return expand(eye(rows_of(x), columns_of(x), x.dtype(), x.device()), x.sizes());
}

/// One number a matrix, as a matrix.
Tensor as_matrices(const Tensor& numbers) { return unsqueeze(unsqueeze(numbers, -1), -1); }

Tensor diagonal_of(const Tensor& x) { return diagonal(x, 0, -2, -1); }

/// 1 or -1: by how many rows were swapped.
Tensor parity(const ColumnFactors& factors) {
  const std::int64_t n = factors.pivots.last_size();
  const Tensor own = arange(Scalar::of(std::int64_t{1}), Scalar::of(n + 1),
                            Scalar::of(std::int64_t{1}), DType::int32, factors.pivots.device());
  const Tensor swaps = sum(ne(factors.pivots, own), {Dims{-1}});
  const Tensor odd = to(remainder(swaps, Scalar::of(std::int64_t{2})), factors.columns.dtype());
  return odd * -2.0 + 1.0;
}

/// L^-T (the lower half of L^T g) conj(L)^-1, made Hermitian.
Tensor cholesky_gradient(const Tensor& factor, const Tensor& gradient) {
  const Tensor phi = tril(matmul(turned(factor), gradient), 0);
  const Tensor halved = phi - tril(triu(phi, 0), 0) * 0.5;
  const Tensor left = solve_triangular("cholesky", turned(factor), halved, true, true, false);
  const Tensor both = solve_triangular("cholesky", conj(factor), left, false, false, false);
  return (both + adjoint(both)) * 0.5;
}

/// Of L U, square: L^-T (the lower half of L^T gL + the upper one of gU U^T) U^-T.
Tensor square_lu_gradient(const Tensor& lu, const Tensor& of_lower, const Tensor& of_upper) {
  const Tensor strict = tril(lu, -1), below = tril(of_lower, -1);
  const Tensor lower = tril(matmul(turned(strict), below) + below, -1);
  const Tensor upper = triu(matmul(triu(of_upper, 0), turned(triu(lu, 0))), 0);
  const Tensor left = solve_triangular("lu", turned(lu), lower + upper, true, true, true);
  return solve_triangular("lu", turned(lu), left, false, false, false);
}

/// The same of any sides: what is beyond the square is a solution with its factors.
Tensor lu_gradient(const Tensor& lu, const Tensor& gradient) {
  const std::int64_t rows = rows_of(lu), columns = columns_of(lu);
  if (rows == columns) return square_lu_gradient(lu, gradient, gradient);
  const std::int64_t k = std::min(rows, columns);
  const int along = rows > columns ? -2 : -1;
  const Tensor square = narrow(lu, along, 0, k);
  const Tensor beyond = narrow(lu, along, k, std::max(rows, columns) - k);
  const Tensor g = narrow(gradient, along, 0, k);
  const Tensor g_beyond = narrow(gradient, along, k, std::max(rows, columns) - k);
  if (rows > columns) {  // more of L: what is there was divided by U
    const Tensor own = solve_triangular("lu", turned(square), g_beyond, false, false, false);
    return cat({square_lu_gradient(square, g, g - matmul(turned(beyond), own)), own}, -2);
  }
  const Tensor own = solve_triangular("lu", turned(square), g_beyond, true, true, true);
  return cat({square_lu_gradient(square, g - matmul(own, turned(beyond)), g), own}, -1);
}

}  // namespace

WithInfos cholesky(const char* op, const Tensor& input, bool upper, bool checks) {
  check_square(op, input);
  const Dims batch = batch_sizes(input);
  const Tensor factor = copy_for_lapack(input);
  const Device device = factor.device();
  const Tensor infos = infos_of(op, batch, device);
  std::int64_t failed = -1;
  if (factor.count() > 0)
    failed = kernels::run(kernels::Cholesky{{batched(infos, 0)}, batched(factor), upper}, device);
  if (checks && failed >= 0)
    throw LinAlgError(text(named(op, failed, batch), " of the input is not positive-definite: its ",
                           "minor of order ", info_at(infos, failed), " is not; a ",
                           "positive-definite one is needed"));
  const Tensor out = moved(factor, input.device());
  record(op, out, {input}, Keep::output, [upper](const Backward& at) -> Grads {
    const Tensor factor = at.output();
    return upper ? cholesky_gradient(adjoint(factor), adjoint(at.grad))
                 : cholesky_gradient(factor, at.grad);
  });
  return {out, moved(infos, input.device())};
}

LuFactors lu_factor(const char* op, const Tensor& input, bool checks) {
  check_matrix(op, input);
  const ColumnFactors factors = factored(op, input);
  if (checks) refuse_singular(op, factors, batch_sizes(input));
  const Tensor out = [&] {
    const GradModeGuard no_grad(false);
    return contiguous(seen_turned(factors.columns));
  }();
  record(op, out, {input}, Keep::output,
         [](const Backward& at) -> Grads {
           const Tensor lu = at.output();
           const Tensor places =
               argsort(lu_places("lu", at.other(0), rows_of(lu)), -1, Direction::ascending);
           return take_along_dim(lu_gradient(lu, at.grad), unsqueeze(places, -1), -2);
         },
         {{"pivots", factors.pivots}});
  return {out, factors.pivots, moved(factors.infos, input.device())};
}

Tensor lu_places(const char* op, const Tensor& pivots, std::int64_t rows) {
  if (pivots.dtype() != DType::int32 || pivots.ndim() == 0)
    throw DTypeError(text(op, ": pivots of dtype ", name_of(pivots.dtype()), " and sizes ",
                          pivots.sizes(), "; int32 of at least one dim is needed"));
  const Tensor dense = contiguous(moved(pivots, lapack_device(pivots.device())));
  const Tensor out =
      empty_of(op, with(batch_sizes(dense, 1), {rows}), DType::int64, dense.device());
  if (out.count() > 0)
    kernels::run(kernels::LuPlaces{batched(out, 1), batched(dense, 1)}, out.device());
  return moved(out, pivots.device());
}

WithInfos solve(const char* op, const Tensor& input, const Tensor& other, bool checks) {
  check_square(op, input);
  check_pair(op, input, other);
  if (rows_of(input) != rows_of(other))
    throw ShapeError(text(op, ": a matrix of sizes ", input.sizes(), " and a right side of sizes ",
                          other.sizes(), "; as many rows of one as of the other are needed"));
  broadcast_sizes(op, batch_sizes(input), batch_sizes(other));
  const ColumnFactors factors = factored(op, input);
  if (checks) refuse_singular(op, factors, batch_sizes(input));
  const Tensor out = solved(op, factors, other, false);
  record(op, out, {input, other}, Keep::first | Keep::output,
         [op, sizes = other.sizes()](const Backward& at) -> Grads {
           const Tensor matrix = at.input(0);
           // Another factorization, where the rule is to have a gradient of its own.
           const Tensor of_other =
               is_grad_enabled() ? solve(op, turned(matrix), at.grad, false).result
                                 : solved(op, {at.other(0), at.other(1), {}, -1}, at.grad, true);
           Grads grads;
           if (at.needs(0))
             grads[0] = sum_to(-matmul(of_other, turned(at.output())), matrix.sizes());
           if (at.needs(1)) grads[1] = sum_to(of_other, sizes);
           return grads;
         },
         {{"factors", factors.columns}, {"pivots", factors.pivots}});
  return {out, moved(factors.infos, input.device())};
}

Tensor solve_triangular(const char* op, const Tensor& input, const Tensor& other, bool upper,
                        bool left, bool unitriangular) {
  check_square(op, input);
  check_pair(op, input, other);
  if (rows_of(input) != (left ? rows_of(other) : columns_of(other)))
    throw ShapeError(text(op, ": a triangle of sizes ", input.sizes(), " and a ",
                          left ? "right" : "left", " side of sizes ", other.sizes(), "; as many ",
                          left ? "rows" : "columns", " of one as of the other are needed"));
  const Dims batch = broadcast_sizes(op, batch_sizes(input), batch_sizes(other));
  Tensor out;
  {
    const GradModeGuard no_grad(false);
    const Tensor made =
        copy_for_lapack(expand(other, with(batch, {rows_of(other), columns_of(other)})));
    Tensor copy;
    if (made.count() > 0) {
      const Tensor triangle = moved(input, made.device());
      const Tensor spread = expand(triangle, with(batch, {rows_of(input), rows_of(input)}));
      kernels::run(kernels::TriangularSolve{batched(made), readable(spread, copy), upper, left,
                                            unitriangular},
                   made.device());
    }
    out = moved(made, other.device());
  }
  record(op, out, {input, other}, Keep::first | Keep::output,
         [op, upper, left, unitriangular, sizes = other.sizes()](const Backward& at) -> Grads {
           const Tensor matrix = at.input(0);
           const Tensor of_other =
               solve_triangular(op, turned(matrix), at.grad, !upper, left, unitriangular);
           Grads grads;
           if (at.needs(0)) {
             const Tensor out = at.output();
             const Tensor all =
                 left ? matmul(of_other, turned(out)) : matmul(turned(out), of_other);
             const int above = unitriangular ? (upper ? 1 : -1) : 0;
             grads[0] = sum_to(-(upper ? triu(all, above) : tril(all, above)), matrix.sizes());
           }
           if (at.needs(1)) grads[1] = sum_to(of_other, sizes);
           return grads;
         });
  return out;
}

Tensor cholesky_solve(const char* op, const Tensor& lower, const Tensor& other) {
  Tensor out;
  {
    const GradModeGuard no_grad(false);
    const Tensor half = solve_triangular(op, lower, other, false, true, false);
    out = solve_triangular(op, adjoint(lower), half, true, true, false);
  }
  record(op, out, {lower, other}, Keep::first | Keep::output,
         [op, sizes = other.sizes()](const Backward& at) -> Grads {
           const Tensor matrix = conj(at.input(0));
           const Tensor of_other = cholesky_solve(op, matrix, at.grad);
           Grads grads;
           if (at.needs(0)) {
             const Tensor half = matmul(of_other, turned(at.output()));
             grads[0] = sum_to(-matmul(half + adjoint(half), matrix), matrix.sizes());
           }
           if (at.needs(1)) grads[1] = sum_to(of_other, sizes);
           return grads;
         });
  return out;
}

Tensor det(const char* op, const Tensor& input) {
  check_square(op, input);
  const ColumnFactors factors = factored(op, input);
  const auto value = [](const ColumnFactors& of) {
    const GradModeGuard no_grad(false);
    return prod(diagonal_of(of.columns), {Dims{-1}}) * parity(of);
  };
  const Tensor out = value(factors);
  record(op, out, {input}, Keep::first | Keep::output,
         [op, value](const Backward& at) -> Grads {
           const Tensor matrix = at.input(0);
           if (is_grad_enabled()) {
             const Tensor inverse = solve(op, turned(matrix), identity_like(matrix), false).result;
             return inverse * as_matrices(at.grad * at.output());
           }
           // det is smooth, so that of a singular matrix is that of one beside it.
           const ColumnFactors near{row_major_copy(at.other(0)), at.other(1), {}, -1};
           const Tensor diagonal = diagonal_of(near.columns);
           const double step = component_of(matrix.dtype()) == DType::float32
                                   ? double{std::numeric_limits<float>::epsilon()}
                                   : std::numeric_limits<double>::epsilon();
           copy_(diagonal, where(eq(diagonal, 0.0), step, diagonal));
           return solved(op, near, identity_like(matrix) * as_matrices(at.grad * value(near)),
                         true);
         },
         {{"factors", factors.columns}, {"pivots", factors.pivots}});
  return out;
}

SignAndLogarithm slogdet(const char* op, const Tensor& input) {
  check_square(op, input);
  const ColumnFactors factors = factored(op, input);
  SignAndLogarithm out;
  {
    const GradModeGuard no_grad(false);
    const Tensor diagonal = diagonal_of(factors.columns);
    out.sign = prod(sgn(diagonal), {Dims{-1}}) * parity(factors);
    out.logarithm = sum(log(abs(diagonal)), {Dims{-1}});
  }
  record(op, out.logarithm, {input}, Keep::first,
         [op](const Backward& at) -> Grads {
           const Tensor matrix = at.input(0), one = identity_like(matrix);
           if (is_grad_enabled())
             return conj(solve(op, turned(matrix), one, false).result) * as_matrices(at.grad);
           return conj(
               solved(op, {at.other(0), at.other(1), {}, -1}, one * as_matrices(at.grad), true));
         },
         {{"factors", factors.columns}, {"pivots", factors.pivots}});
  // A sign that is real does not move; a complex one turns, and stays as long as it is.
  if (is_complex(input.dtype())) {
    record(op, out.sign, {input}, Keep::first | Keep::output, [op](const Backward& at) -> Grads {
      const Tensor matrix = at.input(0), turn = imag(at.grad * at.output());
      const Tensor by = as_matrices(turn) * Operand(Scalar::of(Complex<double>(0, 1)));
      return solve(op, turned(matrix), identity_like(matrix), false).result * by;
    });
  }
  return out;
}

}  // namespace garboard
