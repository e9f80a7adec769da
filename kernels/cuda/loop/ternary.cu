#include "kernels/cuda/launch/parts.h"
#include "kernels/cuda/launch/refusal.h"
#include "kernels/cuda/loop/elementwise.h"
#include "kernels/functors/in_float.h"

namespace garboard::kernels::cuda {
namespace {

template <class F>
void ternary(const View& out, const View& a, const View& b, const View& c, Stream stream) {
  visit_dtype(out.dtype, [&]<class T>(Type<T>) {
    using First = std::conditional_t<functors::takes_condition<F>, bool, T>;
    using Wide = functors::Widened<T>;
    if constexpr (std::is_invocable_v<F, functors::Widened<First>, Wide, Wide>)
      run<functors::On<F, T>, First, T, T>(stream, out, a, b, c);
    else
      throw_lacking_dtype("op of three inputs", out.dtype);
  });
}

}  // namespace

void fill_ternary(Table& table) {
  for_each_type(functors::TernaryFunctors{}, [&]<class F> {
    table.ternary[index_in<F, functors::TernaryFunctors>] = ternary<F>;
  });
}

}  // namespace garboard::kernels::cuda
