// How LAPACK's steps go through a batch: by parts, each with memory of its own.
#pragma once

#include <cmath>

#include "kernels/blas/lapack.h"
#include "kernels/cpu/loop/loop.h"
#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

inline std::int64_t size_of(const View& x, int dim) { return x.sizes.data()[dim]; }
inline int int_of(const View& x, int dim) { return static_cast<int>(size_of(x, dim)); }

/// Matrix, or row, `i` of a batch.
template <class T>
T* item(const View& x, std::int64_t i) {
  return x.as<T>() + i * x.strides.data()[0];
}

/// What an element of the cube of a side costs.
inline double cube_ns(std::int64_t a, std::int64_t b, std::int64_t c) {
  return static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(c) *
         tuning::product_ns;
}

/// Calls `run(i)` for each matrix, `each_ns` long; threads share those of a batch.
template <class Run>
void for_each_matrix(std::int64_t batch, double each_ns, const Run& run) {
  for_each_part(batch, 1, each_ns * static_cast<double>(batch),
                [&](std::int64_t first, std::int64_t last) {
                  for (std::int64_t i = first; i < last; ++i) run(i);
                });
}

/// Calls `run(i, part)`, where no two threads have one part at a time: a row of `memory` each.
template <class Run>
void for_each_matrix_in_memory(std::int64_t batch, const View& memory, double each_ns,
                               const Run& run) {
  const std::int64_t parts = size_of(memory, 0);
  for_each_part(parts, 1, each_ns * static_cast<double>(batch),
                [&](std::int64_t first, std::int64_t last) {
                  for (std::int64_t part = first; part < last; ++part)
                    for (std::int64_t i = batch * part / parts; i < batch * (part + 1) / parts; ++i)
                      run(i, part);
                });
}

inline std::int64_t first_failure(const View& infos) {
  for (std::int64_t i = 0; i < infos.count; ++i) {
    if (infos.as<int>()[i] != 0) return i;
  }
  return -1;
}

template <class T>
bool is_finite(const T* x, std::int64_t count) {
  T sum = 0;  // 0 x is NaN of what is not finite
  for (std::int64_t i = 0; i < count; ++i) sum += 0 * x[i];
  return sum == 0;
}

template <class T>
bool is_finite(const Complex<T>* x, std::int64_t count) {
  return is_finite(&x->real, 2 * count);
}

/// For the dtypes that LAPACK has, which are all that the op lets through.
template <class Call>
void visit_lapack(DType dtype, const Call& call) {
  if (dtype == DType::float32) call.template operator()<float>();
  if (dtype == DType::float64) call.template operator()<double>();
  if (dtype == DType::complex64) call.template operator()<Complex<float>>();
  if (dtype == DType::complex128) call.template operator()<Complex<double>>();
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
