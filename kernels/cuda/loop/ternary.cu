#include "kernels/cuda/launch/parts.h"
#include "kernels/cuda/loop/elementwise.h"

namespace garboard::kernels::cuda {
namespace {

template <class F>
void ternary(const View& out, const View& a, const View& b, const View& c, Stream stream) {
  visit_dtype(out.dtype, [&]<class T>(Type<T>) {
    using First = std::conditional_t<std::is_same_v<F, functors::Where>, bool, T>;
    if constexpr (std::is_invocable_v<F, First, T, T>) run<F, First, T, T>(stream, out, a, b, c);
  });
}

}  // namespace

void fill_ternary(Table& table) {
  for_each_type(functors::TernaryFunctors{}, [&]<class F> {
    table.ternary[index_in<F, functors::TernaryFunctors>] = ternary<F>;
  });
}

}  // namespace garboard::kernels::cuda
