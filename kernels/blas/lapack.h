// The functions of LAPACK that linear algebra needs, as Fortran has them: everything by pointer,
// and the length of each text at the end.
#pragma once

#include <cstddef>
#include <type_traits>

#include "csrc/core/complex.h"

namespace garboard::kernels {

namespace lapack_calls {

using Text = const char*;
using Int = const int*;

// What complex numbers add: memory of real numbers, one array of eigenvalues in place of two, and a
// factor that comes by address.

template <class T>
using Syevd = void (*)(Text jobz, Text uplo, Int n, T* a, Int lda, T* w, T* work, Int lwork,
                       int* iwork, Int liwork, int* info, std::size_t, std::size_t) noexcept;
template <class T>
using Heevd = void (*)(Text jobz, Text uplo, Int n, T* a, Int lda, Component<T>* w, T* work,
                       Int lwork, Component<T>* rwork, Int lrwork, int* iwork, Int liwork,
                       int* info, std::size_t, std::size_t) noexcept;

template <class T>
using RealGesdd = void (*)(Text jobz, Int m, Int n, T* a, Int lda, T* s, T* u, Int ldu, T* vt,
                           Int ldvt, T* work, Int lwork, int* iwork, int* info,
                           std::size_t) noexcept;
template <class T>
using ComplexGesdd = void (*)(Text jobz, Int m, Int n, T* a, Int lda, Component<T>* s, T* u,
                              Int ldu, T* vt, Int ldvt, T* work, Int lwork, Component<T>* rwork,
                              int* iwork, int* info, std::size_t) noexcept;

template <class T>
using RealGeev = void (*)(Text jobvl, Text jobvr, Int n, T* a, Int lda, T* wr, T* wi, T* vl,
                          Int ldvl, T* vr, Int ldvr, T* work, Int lwork, int* info, std::size_t,
                          std::size_t) noexcept;
template <class T>
using ComplexGeev = void (*)(Text jobvl, Text jobvr, Int n, T* a, Int lda, T* w, T* vl, Int ldvl,
                             T* vr, Int ldvr, T* work, Int lwork, Component<T>* rwork, int* info,
                             std::size_t, std::size_t) noexcept;

template <class T, class Alpha>
using Trsm = void (*)(int order, int side, int uplo, int transpose, int diagonal, int m, int n,
                      Alpha alpha, const T* a, int lda, T* b, int ldb) noexcept;

template <class T, class Real, class OfPairs>
using Of = std::conditional_t<is_complex_type<T>, OfPairs, Real>;

}  // namespace lapack_calls

/// One-threaded, and safe to call from several threads.
template <class T>
struct Lapack {
  using Text = lapack_calls::Text;
  using Int = lapack_calls::Int;

  void (*potrf)(Text uplo, Int n, T* a, Int lda, int* info, std::size_t) noexcept;
  void (*getrf)(Int m, Int n, T* a, Int lda, int* pivots, int* info) noexcept;
  void (*geqrf)(Int m, Int n, T* a, Int lda, T* tau, T* work, Int lwork, int* info) noexcept;
  void (*qr_vectors)(Int m, Int n, Int k, T* a, Int lda, const T* tau, T* work, Int lwork,
                     int* info) noexcept;
  /// The same by blocks of nb columns, which products bring together.
  void (*geqrt)(Int m, Int n, Int nb, T* a, Int lda, T* t, Int ldt, T* work, int* info) noexcept;
  void (*gemqrt)(Text side, Text trans, Int m, Int n, Int k, Int nb, const T* v, Int ldv,
                 const T* t, Int ldt, T* c, Int ldc, T* work, int* info, std::size_t,
                 std::size_t) noexcept;
  lapack_calls::Of<T, lapack_calls::Syevd<T>, lapack_calls::Heevd<T>> eigh;
  lapack_calls::Of<T, lapack_calls::RealGesdd<T>, lapack_calls::ComplexGesdd<T>> gesdd;
  lapack_calls::Of<T, lapack_calls::RealGeev<T>, lapack_calls::ComplexGeev<T>> geev;
  /// Of CBLAS, its other arguments by value.
  lapack_calls::Of<T, lapack_calls::Trsm<T, T>, lapack_calls::Trsm<T, const T*>> trsm;
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
template <>
const Lapack<Complex<float>>& lapack<Complex<float>>(const char* op);
template <>
const Lapack<Complex<double>>& lapack<Complex<double>>(const char* op);

}  // namespace garboard::kernels
