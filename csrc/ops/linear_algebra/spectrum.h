// Orthogonal factors, eigenvalues and singular values. Each takes float32, float64 or complex
// numbers, and batches in the dims before the last two, and raises ShapeError and DTypeError.
#pragma once

#include "csrc/tensor/tensor.h"

namespace garboard {

enum class QrMode : std::uint8_t { reduced, complete, r };
struct QrFactors {
  Tensor q;  // [..., rows, k or rows]; [0] of mode r
  Tensor r;  // [..., k or rows, columns]
};
/// Q R = input. The rule raises GradientError where Q is more than the columns of the input.
QrFactors qr(const char* op, const Tensor& input, QrMode mode);

struct Eigenpairs {
  Tensor values;   // of eigh ascending
  Tensor vectors;  // in columns; empty where they are not wanted
};
/// Of a Hermitian matrix, of which one triangle is read; values are real. Raises LinAlgError for
/// what is not finite, or does not converge.
Eigenpairs eigh(const char* op, const Tensor& input, bool upper, bool wants_vectors);

/// Of any square matrix: both complex, vectors of length 1. The gradient of the vectors is that of
/// a loss to which their turns in the complex plane make no difference. Raises LinAlgError
/// likewise.
Eigenpairs eig(const char* op, const Tensor& input, bool wants_vectors);

struct SingularValues {
  Tensor u, s, vh;  // the first and last empty where vectors are not wanted
};
/// u diag(s) vh = input, s descending. Raises LinAlgError likewise.
SingularValues svd(const char* op, const Tensor& input, bool full, bool wants_vectors);

/// `found`, the pseudo-inverse of input that somebody has made of these, recorded: its gradient is
/// smooth where that of singular values is not.
Tensor pseudo_inverse(const char* op, const Tensor& input, const Tensor& found);

}  // namespace garboard
