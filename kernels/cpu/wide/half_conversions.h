// Half types to float and back, many at a time.
#pragma once

#include <cstdint>

#include "kernels/functors/element.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

template <functors::Half T>
void widen(float* __restrict to, const T* from, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(from[i]);
}

/// Each rounded to the nearest, halves to even.
template <functors::Half T>
void narrow(T* __restrict to, const float* from, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<T>(from[i]);
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
