// Factors of square matrices, what is solved with them, determinants. Each takes float32 or
// float64, and batches in the dims before the last two, and raises ShapeError and DTypeError.
#pragma once

#include "csrc/tensor/tensor.h"

namespace garboard {

/// A factor or a solution, and what LAPACK said of each matrix, int32; see
/// kernels/linear_algebra.h.
struct WithInfos {
  Tensor result;
  Tensor infos;
};

/// L of a symmetric positive definite matrix L L^T, of which one triangle is read; or its
/// transposed. Where `checks`, raises LinAlgError for what is not positive definite.
WithInfos cholesky(const char* op, const Tensor& input, bool upper, bool checks);

struct LuFactors {
  Tensor lu;  // L below the diagonal, which is 1 everywhere, U from it on
  Tensor pivots;
  Tensor infos;
};
/// P L U = input, of any two sides. Where `checks`, raises LinAlgError for a singular one.
LuFactors lu_factor(const char* op, const Tensor& input, bool checks);
/// Which row of the matrix is row k of L U, int64, out of the pivots of `rows` rows.
Tensor lu_places(const char* op, const Tensor& pivots, std::int64_t rows);

/// x of input x = other, of matrices on both sides, whose batches broadcast. Where `checks`, raises
/// LinAlgError for a singular matrix.
WithInfos solve(const char* op, const Tensor& input, const Tensor& other, bool checks);
/// The same of a triangle of `input`, without a look at whether it is singular; with `left` false,
/// x of x input = other.
Tensor solve_triangular(const char* op, const Tensor& input, const Tensor& other, bool upper,
                        bool left, bool unitriangular);
/// x of L L^H x = other, of a lower triangle L. Its gradient is that of the product L L^H of whole
/// matrices, as PyTorch's is: what stands above the diagonal has one, too.
Tensor cholesky_solve(const char* op, const Tensor& lower, const Tensor& other);

Tensor det(const char* op, const Tensor& input);
struct SignAndLogarithm {
  Tensor sign;
  Tensor logarithm;
};
/// The sign of the determinant, and the logarithm of its absolute value.
SignAndLogarithm slogdet(const char* op, const Tensor& input);

}  // namespace garboard
