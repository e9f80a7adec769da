// The few functions of OpenBLAS that products need.
#pragma once

namespace garboard::kernels {

/// CBLAS, with 32-bit sizes; one-threaded, and safe to call from several threads.
struct Blas {
  static constexpr int row_major = 101, as_is = 111, transposed = 112;

  template <class T>
  using Product = void (*)(int order, int transpose_a, int transpose_b, int m, int n, int k,
                           T alpha, const T* a, int lda, const T* b, int ldb, T beta, T* c,
                           int ldc) noexcept;
  template <class T>
  using VectorProduct = void (*)(int order, int transpose_a, int m, int n, T alpha, const T* a,
                                 int lda, const T* x, int incx, T beta, T* y, int incy) noexcept;

  /// Of complex numbers, which come by address.
  using ComplexProduct = void (*)(int order, int transpose_a, int transpose_b, int m, int n, int k,
                                  const void* alpha, const void* a, int lda, const void* b, int ldb,
                                  const void* beta, void* c, int ldc) noexcept;

  Product<float> sgemm;
  Product<double> dgemm;
  VectorProduct<float> sgemv;
  VectorProduct<double> dgemv;
  ComplexProduct cgemm, zgemm;
};

/// Opens the library beside ours at the first call. Null where there is none, or where the
/// environment says GARBOARD_BLAS=none: then products are plain loops.
const Blas* blas() noexcept;

}  // namespace garboard::kernels
