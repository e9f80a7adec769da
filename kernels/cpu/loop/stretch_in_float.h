// The stretch of a half type: float's, block by block in the first cache.
#pragma once

#include "kernels/cpu/loop/loop.h"
#include "kernels/cpu/wide/half_conversions.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// How a functor meets a half type: which inputs are bools, and which are floats already, a bit
/// each, and whether the result is bool.
struct StretchForm {
  int inputs;
  unsigned bools, floats;
  bool gives_bool;
};

/// `of_float` over elements of T. One function for all functors of a form: it is not inlined.
template <functors::Half T, StretchForm form>
[[gnu::noinline]] void stretch_in_float(Stretch of_float, void* out, const void* const* in,
                                        std::int64_t count, unsigned scalars) {
  constexpr std::int64_t block = 512;
  alignas(64) float wide[form.inputs + 1][block];
  const void* blocks[form.inputs];
  const auto is_half = [](int k) { return ((form.bools | form.floats) >> k & 1) == 0; };
  for (int k = 0; k < form.inputs; ++k) {
    blocks[k] = is_half(k) ? wide[k] : in[k];
    if ((scalars >> k & 1) && is_half(k)) widen(wide[k], static_cast<const T*>(in[k]), 1);
  }
  for (std::int64_t i = 0; i < count; i += block) {
    const std::int64_t n = count - i < block ? count - i : block;
    for (int k = 0; k < form.inputs; ++k) {
      if (scalars >> k & 1) continue;
      if (form.bools >> k & 1)
        blocks[k] = static_cast<const bool*>(in[k]) + i;
      else if (form.floats >> k & 1)
        blocks[k] = static_cast<const float*>(in[k]) + i;
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
