#include "kernels/blas/lapack.h"

#include <string>

#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "kernels/blas/blas.h"
#include "kernels/blas/library.h"

namespace garboard::kernels {
namespace {

/// `letter` is that of a dtype: s, d, c or z. Null where something is missing.
template <class T>
const Lapack<T>* load(char letter) {
  if (!blas()) return nullptr;  // which sets the number of threads, too
  void* const library = blas_library();
  static Lapack<T> found;
  constexpr bool is_complex = is_complex_type<T>;
  const auto name = [letter](const char* before, const char* rest) {
    return std::string(before) + letter + rest;
  };
  const bool is_complete =
      find(library, name("scipy_", "potrf_").c_str(), found.potrf) &&
      find(library, name("scipy_", "getrf_").c_str(), found.getrf) &&
      find(library, name("scipy_", "geqrf_").c_str(), found.geqrf) &&
      find(library, name("scipy_", is_complex ? "ungqr_" : "orgqr_").c_str(), found.qr_vectors) &&
      find(library, name("scipy_", "geqrf_").c_str(), found.geqrf) &&
      find(library, name("scipy_", is_complex ? "ungqr_" : "orgqr_").c_str(), found.qr_vectors) &&
      find(library, name("scipy_", "geqrt_").c_str(), found.geqrt) &&
      find(library, name("scipy_", "gemqrt_").c_str(), found.gemqrt) &&
      find(library, name("scipy_", is_complex ? "heevd_" : "syevd_").c_str(), found.eigh) &&
      find(library, name("scipy_", "geev_").c_str(), found.geev) &&
      find(library, name("scipy_", "gesdd_").c_str(), found.gesdd) &&
      find(library, name("scipy_cblas_", "trsm").c_str(), found.trsm);
  return is_complete ? &found : nullptr;
}

template <class T>
const Lapack<T>& checked(const Lapack<T>* loaded, const char* op) {
  if (!loaded)
    throw DeviceError(text(op,
                           ": no LAPACK here; a build with GARBOARD_BLAS=openblas is needed, and "
                           "an environment without GARBOARD_BLAS=none"));
  return *loaded;
}

}  // namespace

template <>
const Lapack<float>& lapack<float>(const char* op) {
  static const auto* const loaded = load<float>('s');
  return checked(loaded, op);
}
template <>
const Lapack<double>& lapack<double>(const char* op) {
  static const auto* const loaded = load<double>('d');
  return checked(loaded, op);
}
template <>
const Lapack<Complex<float>>& lapack<Complex<float>>(const char* op) {
  static const auto* const loaded = load<Complex<float>>('c');
  return checked(loaded, op);
}
template <>
const Lapack<Complex<double>>& lapack<Complex<double>>(const char* op) {
  static const auto* const loaded = load<Complex<double>>('z');
  return checked(loaded, op);
}

}  // namespace garboard::kernels
