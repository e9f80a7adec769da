#include "csrc/ops/linear_algebra/spectrum.h"

#include <algorithm>

#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/linear_algebra/matrices.h"
#include "csrc/ops/linear_algebra/solve.h"

namespace garboard {

using namespace matrices;
using composite::tril;
using composite::triu;

namespace {

constexpr std::int64_t block = 64;  // LAPACK's, at most: so many columns at a time
// Of larger matrices QR takes so many columns at a time: products win what preparing them costs.
constexpr std::int64_t qr_block = 32, qr_blocks_from = 4096;

std::int64_t batch_of(const Tensor& x) { return batch_sizes(x).product(); }

[[noreturn]] void refuse(const char* op, std::int64_t failed, const Dims& batch, int info,
                         std::int64_t side) {
  const std::string which = named(op, failed, batch);
  if (info > side)
    throw LinAlgError(text(which, " has elements that are not finite; finite ones are needed"));
  throw LinAlgError(text(which, " is ill-conditioned: ", info,
                         " values did not converge; a better one is needed"));
}

// QR.

/// (gQ + Q (the lower half of R gR^H - gQ^H Q, made Hermitian)) R^-H, R square.
///
/// Here and below gradients point to where a loss grows most, as `run_rule` has them, whose
/// conjugates rules take and give.
Tensor square_qr_gradient(const Tensor& q, const Tensor& r, const Tensor& of_q,
                          const Tensor& of_r) {
  Tensor middle;
  if (of_r) middle = matmul(r, adjoint(of_r));
  if (of_q) middle = middle ? middle - matmul(adjoint(of_q), q) : -matmul(adjoint(of_q), q);
  const Tensor below = tril(middle, -1);
  const Tensor even = below + adjoint(below) + real(middle - below - triu(middle, 1));
  const Tensor all = of_q ? of_q + matmul(q, even) : matmul(q, even);
  return solve_triangular("qr", adjoint(r), all, false, false, false);
}

/// Either gradient may be empty.
Tensor qr_gradient(const Tensor& q, const Tensor& r, const Tensor& of_q, const Tensor& of_r) {
  const std::int64_t k = rows_of(r), columns = columns_of(r);
  if (columns <= k) return square_qr_gradient(q, r, of_q, of_r);
  // What is right of the square is Q^H times what was there.
  const Tensor square = narrow(r, -1, 0, k);
  if (!of_r) {
    const Tensor left = square_qr_gradient(q, square, of_q, {});
    Dims rest = left.sizes();
    rest.back() = columns - k;
    return cat({left, zeros(rest, left.dtype(), left.device())}, -1);
  }
  const Tensor of_rest = narrow(of_r, -1, k, columns - k);
  const Tensor rest = matmul(q, narrow(r, -1, k, columns - k));
  const Tensor through_q = matmul(rest, adjoint(of_rest));
  const Tensor all = of_q ? of_q + through_q : through_q;
  return cat({square_qr_gradient(q, square, all, narrow(of_r, -1, 0, k)), matmul(q, of_rest)}, -1);
}

void check_differentiable(const char* op, QrMode mode, const Tensor& input) {
  if (mode == QrMode::r)
    throw GradientError(text(op,
                             ": no gradient of mode 'r', which has no Q; mode 'reduced' is "
                             "needed"));
  if (mode == QrMode::complete && rows_of(input) > columns_of(input))
    throw GradientError(text(op, ": no gradient of mode 'complete' for sizes ", input.sizes(),
                             ", where Q is more than they say; mode 'reduced' is needed"));
}

// Eigenvalues and singular values.

Tensor skew(const Tensor& x) { return x - adjoint(x); }
Tensor columns_scaled(const Tensor& x, const Tensor& by) { return x * unsqueeze(by, -2); }
Tensor rows_scaled(const Tensor& x, const Tensor& by) { return x * unsqueeze(by, -1); }

/// x_ij / (s_j - s_i), and 0 on the diagonal.
Tensor over_differences(const Tensor& x, const Tensor& s) {
  const Tensor apart = unsqueeze(s, -2) - unsqueeze(s, -1);
  const Tensor one = eye(rows_of(x), columns_of(x), DType::boolean, x.device());
  return where(one, 0.0, x / where(one, 1.0, apart));
}

}  // namespace

QrFactors qr(const char* op, const Tensor& input, QrMode mode) {
  check_matrix(op, input);
  const std::int64_t rows = rows_of(input), columns = columns_of(input);
  const std::int64_t k = std::min(rows, columns), width = mode == QrMode::complete ? rows : k;
  const Dims batch = batch_sizes(input);
  QrFactors out;
  {
    const GradModeGuard no_grad(false);
    const Tensor work = copy_for_lapack(turned(input));  // by columns
    const Device device = work.device();
    const std::int64_t each =
        rows * columns < qr_blocks_from ? 1 : std::clamp<std::int64_t>(k, 1, qr_block);
    const Tensor blocks = empty_of(op, with(batch, {k, each}), input.dtype(), device);
    const Tensor memory =
        memory_for(op, batch_of(input), each * std::max<std::int64_t>({columns, width, 1}),
                   input.dtype(), device);
    if (work.count() > 0)
      kernels::run(kernels::QrFactor{batched(work), batched(blocks), memory.view()}, device);
    const std::int64_t height = mode == QrMode::complete ? rows : k;
    out.r = triu(narrow(seen_turned(work), -2, 0, height), 0);
    if (mode == QrMode::r) {
      out.q = empty_of(op, {0}, input.dtype(), device);
    } else {
      const Tensor q = empty_of(op, with(batch, {width, rows}), input.dtype(), device);
      if (q.count() > 0)
        kernels::run(kernels::QrVectors{batched(q), batched(work), batched(blocks), memory.view()},
                     device);
      out.q = seen_turned(q);
    }
    out = {moved(out.q, input.device()), moved(out.r, input.device())};
  }
  // Each output has a rule of its own, linear in its gradient; the other one comes as it was, or
  // where the rule is to have a gradient, again from the input.
  const Tensor other_r = detach(out.r), other_q = detach(out.q);
  record(op, out.q, {input}, Keep::first | Keep::output,
         [op, mode](const Backward& at) -> Grads {
           check_differentiable(op, mode, at.input(0));
           const Tensor r = is_grad_enabled() ? qr(op, at.input(0), mode).r : at.other(0);
           return conj(qr_gradient(at.output(), r, conj(at.grad), {}));
         },
         {{"R", other_r}});
  record(op, out.r, {input}, Keep::first | Keep::output,
         [op, mode](const Backward& at) -> Grads {
           check_differentiable(op, mode, at.input(0));
           const Tensor q = is_grad_enabled() ? qr(op, at.input(0), mode).q : at.other(0);
           return conj(qr_gradient(q, at.output(), {}, conj(at.grad)));
         },
         {{"Q", other_q}});
  return out;
}

Eigenpairs eigh(const char* op, const Tensor& input, bool upper, bool given_wants_vectors) {
  check_square(op, input);
  const std::int64_t n = rows_of(input), batch = batch_of(input);
  // The values' gradient needs the vectors.
  const bool wants_vectors = given_wants_vectors || must_record({input});
  const Tensor rows = copy_for_lapack(input);
  const Device device = rows.device();
  Eigenpairs out;
  out.values = empty_of(op, with(batch_sizes(input), {n}), component_of(input.dtype()), device);
  const Tensor infos = infos_of(op, batch_sizes(input), device);
  if (rows.count() > 0) {
    // Of complex numbers half of it holds real ones.
    const std::int64_t each = wants_vectors ? 2 + (6 + block) * n + 2 * n * n : (block + 3) * n + 2;
    const std::int64_t integers = wants_vectors ? 3 + 5 * n : 1;
    const Tensor memory = memory_for(op, batch, each, input.dtype(), device);
    const Tensor numbers = memory_for(op, batch, integers, DType::int32, device);
    const std::int64_t failed = kernels::run(kernels::Eigh{{batched(infos, 0)},
                                                           batched(rows),
                                                           batched(out.values, 1),
                                                           memory.view(),
                                                           numbers.view(),
                                                           upper,
                                                           wants_vectors},
                                             device);
    if (failed >= 0) refuse(op, failed, batch_sizes(input), info_at(infos, failed), n);
  }
  out.values = moved(out.values, input.device());
  if (!wants_vectors) return out;
  const Tensor vectors = seen_turned(moved(rows, input.device()));
  const Tensor other_values = detach(out.values), other_vectors = detach(vectors);
  record(op, out.values, {input}, Keep::first,
         [op, upper](const Backward& at) -> Grads {
           const Tensor v =
               is_grad_enabled() ? eigh(op, at.input(0), upper, true).vectors : at.other(0);
           return matmul(columns_scaled(v, at.grad), adjoint(v));
         },
         {{"vectors", other_vectors}});
  if (!given_wants_vectors) return out;
  out.vectors = vectors;
  record(op, out.vectors, {input}, Keep::first | Keep::output,
         [op, upper](const Backward& at) -> Grads {
           const Tensor v = at.output();
           const Tensor values =
               is_grad_enabled() ? eigh(op, at.input(0), upper, true).values : at.other(0);
           // A Hermitian gradient, as the matrix is: what is not skew here would not add to it.
           const Tensor turn = matmul(adjoint(v), conj(at.grad));
           const Tensor middle = over_differences(skew(turn) * 0.5, values);
           return conj(matmul(matmul(v, middle), adjoint(v)));
         },
         {{"values", other_values}});
  return out;
}

namespace {

/// V^-H x V^H, of the dtype of the matrix whose vectors are V.
Tensor seen_by(const Tensor& v, const Tensor& x, DType dtype) {
  const Tensor all = solve("eig", adjoint(v), matmul(x, adjoint(v)), false).result;
  return is_complex(dtype) ? all : real(all);
}

/// Of the vectors: V^-H ((V^H g - V^H V diag(Re V^H g)) / the differences of values) V^H.
Tensor eigenvector_gradient(const Tensor& values, const Tensor& v, const Tensor& g, DType dtype) {
  const Tensor met = matmul(adjoint(v), g);
  const Tensor lengths = real(diagonal(met, 0, -2, -1));
  const Tensor across = met - columns_scaled(matmul(adjoint(v), v), lengths);
  return seen_by(v, over_differences(across, conj(values)), dtype);
}

}  // namespace

Eigenpairs eig(const char* op, const Tensor& input, bool given_wants_vectors) {
  check_square(op, input);
  const std::int64_t n = rows_of(input), batch = batch_of(input);
  const Dims sizes = batch_sizes(input);
  const Device device = lapack_device(input.device());
  const DType dtype = complex_of(input.dtype());
  const bool wants_vectors = given_wants_vectors || must_record({input});
  Eigenpairs out;
  out.values = empty_of(op, with(sizes, {n}), dtype, device);
  Tensor rows;
  if (wants_vectors) rows = empty_of(op, with(sizes, {n, n}), dtype, device);
  if (input.count() > 0) {
    const Tensor columns = copy_for_lapack(turned(input)), infos = infos_of(op, sizes, device);
    const std::int64_t each = (5 + block) * n + (wants_vectors ? n * n : 0);
    const Tensor memory = memory_for(op, batch, each, input.dtype(), device);
    kernels::Eig of{
        {batched(infos, 0)}, batched(columns), batched(out.values, 1), {}, memory.view()};
    of.vectors.data = nullptr;
    if (wants_vectors) of.vectors = batched(rows);
    const std::int64_t failed = kernels::run(of, device);
    if (failed >= 0) refuse(op, failed, sizes, info_at(infos, failed), n);
  }
  out.values = moved(out.values, input.device());
  if (!wants_vectors) return out;
  const Tensor vectors = seen_turned(moved(rows, input.device()));
  const Tensor other_values = detach(out.values), other_vectors = detach(vectors);
  record(op, out.values, {input}, Keep::first,
         [op](const Backward& at) -> Grads {
           const Tensor matrix = at.input(0);
           const Tensor v = is_grad_enabled() ? eig(op, matrix, true).vectors : at.other(0);
           return conj(seen_by(v, diag_embed(conj(at.grad), 0, -2, -1), matrix.dtype()));
         },
         {{"vectors", other_vectors}});
  if (!given_wants_vectors) return out;
  out.vectors = vectors;
  record(op, out.vectors, {input}, Keep::first | Keep::output,
         [op](const Backward& at) -> Grads {
           const Tensor matrix = at.input(0);
           const Tensor values = is_grad_enabled() ? eig(op, matrix, true).values : at.other(0);
           return conj(eigenvector_gradient(values, at.output(), conj(at.grad), matrix.dtype()));
         },
         {{"values", other_values}});
  return out;
}

namespace {

/// What the rules of an SVD read: the first k vectors of each side.
struct Thin {
  Tensor u, s, vh;
};
Thin thin_of(const SingularValues& all) {
  const std::int64_t k = all.s.last_size();
  return {narrow(all.u, -1, 0, k), all.s, narrow(all.vh, -2, 0, k)};
}

/// A pair of complex vectors turns together; where a loss sees one turn, it sees the other one,
/// too, the opposite way, and each has half of what that is worth.
Tensor half_turn(const Tensor& met, const Tensor& s) {
  return diag_embed(diagonal(skew(met), 0, -2, -1) / (s * 4.0), 0, -2, -1);
}

/// Through the left vectors, [..., m, k].
Tensor left_gradient(const Thin& of, const Tensor& gradient) {
  const Tensor met = matmul(adjoint(of.u), gradient);
  Tensor middle = columns_scaled(over_differences(skew(met), square(of.s)), of.s);
  if (is_complex(met.dtype())) middle = middle + half_turn(met, of.s);
  Tensor all = matmul(of.u, middle);
  if (rows_of(of.u) > columns_of(of.u))
    all = all + columns_scaled(gradient - matmul(of.u, met), reciprocal(of.s));
  return matmul(all, of.vh);
}

/// Through the right ones, [..., k, n].
Tensor right_gradient(const Thin& of, const Tensor& gradient) {
  const Tensor met = matmul(of.vh, adjoint(gradient));
  Tensor middle = rows_scaled(over_differences(skew(met), square(of.s)), of.s);
  if (is_complex(met.dtype())) middle = middle - half_turn(met, of.s);
  Tensor all = matmul(middle, of.vh);
  if (columns_of(of.vh) > rows_of(of.vh))
    all = all + rows_scaled(gradient - matmul(adjoint(met), of.vh), reciprocal(of.s));
  return matmul(of.u, all);
}

/// As they were found; or where the rule is to have a gradient, found again from the input, in the
/// same way, for the signs' sake.
Thin thin_at(const Backward& at, const char* op, bool full) {
  return thin_of(is_grad_enabled() ? svd(op, at.input(0), full, true)
                                   : SingularValues{at.other(0), at.other(1), at.other(2)});
}

/// Without a rule; on the device that LAPACK runs on.
SingularValues svd_by_lapack(const char* op, const Tensor& input, bool full, bool wants_vectors) {
  const std::int64_t m = rows_of(input), n = columns_of(input), k = std::min(m, n);
  const std::int64_t longer = std::max(m, n), batch = batch_of(input);
  const Dims sizes = batch_sizes(input);
  const Device device = lapack_device(input.device());
  const DType dtype = input.dtype();
  SingularValues out;
  out.s = empty_of(op, with(sizes, {k}), component_of(dtype), device);
  if (wants_vectors) {
    out.u = empty_of(op, with(sizes, {m, full ? m : k}), dtype, device);
    out.vh = empty_of(op, with(sizes, {full ? n : k, n}), dtype, device);
  }
  if (input.count() > 0) {
    const Tensor work = copy_for_lapack(input), infos = infos_of(op, sizes, device);
    const std::int64_t of_reals =
        is_complex(dtype) ? (kernels::Svd::reals(m, n, wants_vectors) + 1) / 2 : 0;
    const std::int64_t of_numbers =
        wants_vectors ? 5 * k * k + 10 * k + block * (m + n) : 10 * k + longer + block * (m + n);
    const std::int64_t each = of_numbers + of_reals;
    const Tensor memory = memory_for(op, batch, each, dtype, device);
    const Tensor numbers = memory_for(op, batch, 8 * k, DType::int32, device);
    kernels::Svd of{{batched(infos, 0)}, batched(work), {}, batched(out.s, 1), {},
                    memory.view(),       numbers.view()};
    of.u.data = nullptr;
    if (wants_vectors) {
      of.u = batched(out.u);
      of.vh = batched(out.vh);
    }
    const std::int64_t failed = kernels::run(of, device);
    if (failed >= 0) refuse(op, failed, sizes, info_at(infos, failed), k);
  } else if (wants_vectors && batch > 0) {  // of no singular value: any vectors will do
    for (const Tensor* const vectors : {&out.u, &out.vh}) {
      const GradModeGuard no_grad(false);
      copy_into(*vectors, expand(eye(rows_of(*vectors), columns_of(*vectors), dtype, device),
                                 vectors->sizes()));
    }
  }
  return out;
}

/// Of many more rows than columns, or columns than rows: A = Q R, and of the small R = U S Vh, so
/// that A = (Q U) S Vh.
SingularValues svd_of_long(const char* op, const Tensor& input, bool wants_vectors) {
  const GradModeGuard no_grad(false);
  if (rows_of(input) < columns_of(input)) {
    const SingularValues turned = svd_of_long(op, adjoint(input), wants_vectors);
    if (!wants_vectors) return turned;
    return {contiguous(adjoint(turned.vh)), turned.s, contiguous(adjoint(turned.u))};
  }
  const QrFactors factors = qr(op, input, wants_vectors ? QrMode::reduced : QrMode::r);
  SingularValues out = svd_by_lapack(op, factors.r, false, wants_vectors);
  if (wants_vectors) out.u = matmul(factors.q, moved(out.u, input.device()));
  return out;
}

bool is_long(const Tensor& input) {
  constexpr std::int64_t least = 1 << 12;  // elements
  const std::int64_t rows = rows_of(input), columns = columns_of(input);
  const std::int64_t shorter = std::min(rows, columns);
  return shorter > 0 && std::max(rows, columns) >= 2 * shorter && rows * columns >= least;
}

}  // namespace

SingularValues svd(const char* op, const Tensor& input, bool full, bool given_wants_vectors) {
  check_matrix(op, input);
  const bool wants_vectors = given_wants_vectors || must_record({input});
  SingularValues out = !full && is_long(input) && input.count() > 0
                           ? svd_of_long(op, input, wants_vectors)
                           : svd_by_lapack(op, input, full, wants_vectors);
  out.s = moved(out.s, input.device());
  if (!wants_vectors) return out;
  out.u = moved(out.u, input.device());
  out.vh = moved(out.vh, input.device());
  const Tensor other_u = detach(out.u), other_s = detach(out.s), other_vh = detach(out.vh);
  record(op, out.s, {input}, Keep::first,
         [op, full](const Backward& at) -> Grads {
           const Thin of = thin_at(at, op, full);
           return matmul(columns_scaled(of.u, at.grad), of.vh);
         },
         {{"U", other_u}, {"S", other_s}, {"Vh", other_vh}});
  if (!given_wants_vectors) {
    out.u = out.vh = {};
    return out;
  }
  record(op, out.u, {input}, Keep::first,
         [op, full](const Backward& at) -> Grads {
           const Thin of = thin_at(at, op, full);
           return conj(left_gradient(of, narrow(conj(at.grad), -1, 0, of.s.last_size())));
         },
         {{"U", other_u}, {"S", other_s}, {"Vh", other_vh}});
  record(op, out.vh, {input}, Keep::first,
         [op, full](const Backward& at) -> Grads {
           const Thin of = thin_at(at, op, full);
           return conj(right_gradient(of, narrow(conj(at.grad), -2, 0, of.s.last_size())));
         },
         {{"U", other_u}, {"S", other_s}, {"Vh", other_vh}});
  return out;
}

// Golub and Pereyra, "The differentiation of pseudo-inverses and nonlinear least squares problems
// whose variables separate", 1973, formula 4.12: each product keeps to the shorter side.
Tensor pseudo_inverse(const char* op, const Tensor& input, const Tensor& found) {
  const Tensor out = detach(found);
  record(op, out, {input}, Keep::first | Keep::output, [](const Backward& at) -> Grads {
    const Tensor a = at.input(0), p = at.output(), g = conj(at.grad);
    const Tensor pt = adjoint(p), gt = adjoint(g);
    const Tensor left = matmul(matmul(gt, p), pt);   // what is not in the columns of a
    const Tensor right = matmul(pt, matmul(p, gt));  // nor in its rows
    const Tensor across = matmul(pt, matmul(g, pt));
    return conj(left - matmul(a, matmul(p, left)) + right - matmul(matmul(right, p), a) - across);
  });
  return out;
}

}  // namespace garboard
