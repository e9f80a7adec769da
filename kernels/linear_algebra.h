// What kernels of linear algebra are given: LAPACK's steps, each for all matrices of a batch, in
// place. All views are dense and of one dtype, a floating or complex one of LAPACK's, unless said
// otherwise, and none has an element without a matrix. LAPACK walks columns: a matrix in row-major
// order is to it the transposed one, which the names here do not show.
#pragma once

#include <cstdint>

#include "csrc/core/view.h"

namespace garboard::kernels {

/// Returns the first matrix of the batch whose place in `infos` is not 0, or -1.
struct Factorizing {
  using Result = std::int64_t;
  static constexpr Result idle_result = -1;

  View infos;  // [batch], int32: 0, or what LAPACK says, from 1
};

/// The matrix becomes its factor, with zeros beyond: L of a = L L^H, or `upper` U of a = U^H U. It
/// reads that triangle alone. Info: the order of the minor that is not positive.
struct Cholesky : Factorizing {
  static constexpr const char* name = "cholesky";
  View a;  // [batch, n, n]
  bool upper;
};

/// P L U = a, where `a` has the columns of matrices in its rows: L below the diagonal, U from it
/// on. Info: the place on the diagonal of U, from 1, that is 0.
struct LuFactor : Factorizing {
  static constexpr const char* name = "lu_factor";
  View a;       // [batch, columns, rows]
  View pivots;  // [batch, the shorter side], int32: the row, from 1, that each row was swapped with
};

/// places[k] is the row of a that is row k of L U.
struct LuPlaces {
  static constexpr const char* name = "lu";
  View places;  // [batch, rows], int64
  View pivots;
};

/// What stands on the right becomes the solution of a x = b, or of a^T x = b.
struct LuSolve {
  static constexpr const char* name = "solve";
  View b;       // [batch, n, columns]
  View lu;      // [batch, n, n], rows or columns dense; a batch of any stride
  View pivots;  // [batch, n], a batch of any stride
  bool transposed;
};

/// b becomes the solution of a x = b, or of x a = b, where only a triangle of a is read.
struct TriangularSolve {
  static constexpr const char* name = "solve_triangular";
  View b;  // [batch, rows, columns]
  View a;  // [batch, n, n], rows or columns dense; a batch of any stride
  bool upper, left, has_unit_diagonal;
};

/// Seen turned, that is by columns, the upper triangle of a becomes R; what is below it and
/// `blocks` say what Q is made of.
struct QrFactor {
  static constexpr const char* name = "qr";
  View a;       // [batch, columns, rows]
  View blocks;  // [batch, k, columns of a block], k the shorter side; of 1, columns come singly
  View memory;  // [parts, columns of a block for each column]
};
/// The first columns of Q, seen turned, of what QrFactor left.
struct QrVectors {
  static constexpr const char* name = "qr";
  View q;       // [batch, columns, rows], no more columns than rows
  View a;       // [batch, columns of the factored, rows]
  View blocks;  // [batch, k, columns of a block]
  View memory;  // [parts, columns of a block for each column of q]
};

/// Info: n + 1 for what is not finite, else how many values did not converge.
struct Eigh : Factorizing {
  static constexpr const char* name = "eigh";
  View a;                 // [batch, n, n], becomes the vectors, in its rows, where they are wanted
  View values;            // [batch, n], real, ascending
  View memory, integers;  // [parts, elements], the second int32
  bool upper, wants_vectors;
};

/// Of any square matrix. Info: as above.
struct Eig : Factorizing {
  static constexpr const char* name = "eig";
  View a;        // [batch, n, n], columns of matrices in its rows; is spoilt
  View values;   // [batch, n], complex
  View vectors;  // [batch, n, n], complex, in its rows; without data where they are not wanted
  View memory;   // [parts, elements]
};

/// a = u diag(s) vh, and is spoilt. Info: as above.
struct Svd : Factorizing {
  static constexpr const char* name = "svd";
  /// How many real numbers are needed beside complex memory.
  static constexpr std::int64_t reals(std::int64_t m, std::int64_t n, bool wants_vectors) {
    const std::int64_t k = m < n ? m : n, longer = m < n ? n : m;
    const std::int64_t by_k = 5 * k + 7, by_longer = 2 * longer + 2 * k + 1;
    return wants_vectors ? k * (by_k < by_longer ? by_longer : by_k) : 7 * k;
  }
  View a;   // [batch, m, n]
  View u;   // [batch, m, k or m]; without data where vectors are not wanted
  View s;   // [batch, k], real
  View vh;  // [batch, k or n, n]
  View memory, integers;
};

}  // namespace garboard::kernels
