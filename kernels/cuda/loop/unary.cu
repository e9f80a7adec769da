#include "kernels/cuda/launch/parts.h"
#include "kernels/cuda/launch/refusal.h"
#include "kernels/cuda/loop/elementwise.h"
#include "kernels/functors/in_float.h"

namespace garboard::kernels::cuda {

template <>
inline constexpr bool is_unrolled<functors::Gelu> = true;

namespace {

template <class F>
void unary(const View& out, const View& x, Stream stream) {
  visit_dtype(x.dtype, [&]<class T>(Type<T>) {
    if constexpr (std::is_invocable_v<F, functors::Widened<T>>)
      run<functors::On<F, T>, T>(stream, out, x);
    else
      throw_lacking_dtype("op of one input", x.dtype);
  });
}

}  // namespace

void fill_unary(Table& table) {
  for_each_type(functors::UnaryFunctors{},
                [&]<class F> { table.unary[index_in<F, functors::UnaryFunctors>] = unary<F>; });
}

}  // namespace garboard::kernels::cuda
