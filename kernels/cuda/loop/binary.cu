#include "kernels/cuda/launch/parts.h"
#include "kernels/cuda/launch/refusal.h"
#include "kernels/cuda/loop/elementwise.h"
#include "kernels/functors/in_float.h"

namespace garboard::kernels::cuda {

template <>
inline constexpr bool is_unrolled<functors::GeluGradient> = true;

namespace {

/// A power, and roots as people mean them where the exponent is a half: the CPU's kernel knows a
/// number before its loop.
struct PowerOrRoot : functors::Power {
  template <functors::Arithmetic T>
  GARBOARD_HD T operator()(T a, T b) const {
    if constexpr (functors::Real<T>) {
      if (b == T(0.5)) return functors::sqrt(a);
      if (b == T(-0.5)) return T(1) / functors::sqrt(a);
    }
    return functors::Power::operator()(a, b);
  }
};

template <class F>
void binary(const View& out, const View& a, const View& b, Stream stream) {
  visit_dtype(a.dtype < b.dtype ? a.dtype : b.dtype, [&]<class T>(Type<T>) {
    using Wide = functors::Widened<T>;
    using Kernel = std::conditional_t<std::is_same_v<F, functors::Power>, PowerOrRoot, F>;
    if constexpr (std::is_invocable_v<F, Wide, Wide>)
      run<functors::On<Kernel, T>, T, T>(stream, out, a, b);
    else
      throw_lacking_dtype("op of two inputs", a.dtype);
  });
}

}  // namespace

void fill_binary(Table& table) {
  for_each_type(functors::BinaryFunctors{},
                [&]<class F> { table.binary[index_in<F, functors::BinaryFunctors>] = binary<F>; });
}

}  // namespace garboard::kernels::cuda
