// The stretch of a half type: float's, block by block in the first cache.
#pragma once

#include "kernels/cpu/loop/loop.h"
#include "kernels/cpu/wide/half_conversions.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// How a functor meets a half type: which inputs are bools, a bit each, and whether the result is.
struct InFloat {
  int inputs;
  unsigned bools;
  bool gives_bool;
};

/// `of_float` over elements of T. One function for all functors of a form: it is not inlined.
template <functors::Half T, InFloat form>
[[gnu::noinline]] void stretch_in_float(Stretch of_float, void* out, const void* const* in,
                                        std::int64_t count, unsigned scalars) {
  constexpr std::int64_t block = 512;
  alignas(64) float wide[form.inputs + 1][block];
  const void* blocks[form.inputs];
  const auto is_bool = [](int k) { return (form.bools >> k & 1) != 0; };
  for (int k = 0; k < form.inputs; ++k) {
    blocks[k] = is_bool(k) ? in[k] : wide[k];
    if ((scalars >> k & 1) && !is_bool(k)) widen(wide[k], static_cast<const T*>(in[k]), 1);
  }
  for (std::int64_t i = 0; i < count; i += block) {
    const std::int64_t n = count - i < block ? count - i : block;
    for (int k = 0; k < form.inputs; ++k) {
      if (scalars >> k & 1) continue;
      if (is_bool(k))
        blocks[k] = static_cast<const bool*>(in[k]) + i;
      else
        widen(wide[k], static_cast<const T*>(in[k]) + i, n);
    }
    if constexpr (form.gives_bool) {
      of_float(static_cast<bool*>(out) + i, blocks, n, scalars);
    } else {
      of_float(wide[form.inputs], blocks, n, scalars);
      narrow(static_cast<T*>(out) + i, wide[form.inputs], n);
    }
  }
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
