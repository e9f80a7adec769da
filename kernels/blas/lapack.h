// The functions of LAPACK that linear algebra needs, as Fortran has them: everything by pointer,
// and the length of each text at the end.
#pragma once

#include <cstddef>

namespace garboard::kernels {

/// One-threaded, and safe to call from several threads.
template <class T>
struct Lapack {
  using Text = const char*;
  using Int = const int*;

  void (*potrf)(Text uplo, Int n, T* a, Int lda, int* info, std::size_t) noexcept;
  void (*getrf)(Int m, Int n, T* a, Int lda, int* pivots, int* info) noexcept;
  void (*gelqf)(Int m, Int n, T* a, Int lda, T* tau, T* work, Int lwork, int* info) noexcept;
  void (*orglq)(Int m, Int n, Int k, T* a, Int lda, const T* tau, T* work, Int lwork,
                int* info) noexcept;
  void (*syevd)(Text jobz, Text uplo, Int n, T* a, Int lda, T* w, T* work, Int lwork, int* iwork,
                Int liwork, int* info, std::size_t, std::size_t) noexcept;
  void (*gesdd)(Text jobz, Int m, Int n, T* a, Int lda, T* s, T* u, Int ldu, T* vt, Int ldvt,
                T* work, Int lwork, int* iwork, int* info, std::size_t) noexcept;
  /// Of CBLAS, by value.
  void (*trsm)(int order, int side, int uplo, int transpose, int diagonal, int m, int n, T alpha,
               const T* a, int lda, T* b, int ldb) noexcept;
};

inline constexpr int row_major = 101, as_is = 111, transposed = 112, upper_triangle = 121,
                     lower_triangle = 122, any_diagonal = 131, unit_diagonal = 132, left_side = 141,
                     right_side = 142;

/// Opens the library at the first call. Raises DeviceError, which names `op`, where there is none.
template <class T>
const Lapack<T>& lapack(const char* op);
template <>
const Lapack<float>& lapack<float>(const char* op);
template <>
const Lapack<double>& lapack<double>(const char* op);

}  // namespace garboard::kernels
