#include "kernels/cuda/launch/parts.h"
#include "kernels/cuda/loop/elementwise.h"

namespace garboard::kernels::cuda {
namespace {

template <class F>
void unary(const View& out, const View& x, Stream stream) {
  visit_dtype(x.dtype, [&]<class T>(Type<T>) {
    if constexpr (std::is_invocable_v<F, T>) run<F, T>(stream, out, x);
  });
}

}  // namespace

void fill_unary(Table& table) {
  for_each_type(functors::UnaryFunctors{},
                [&]<class F> { table.unary[index_in<F, functors::UnaryFunctors>] = unary<F>; });
}

}  // namespace garboard::kernels::cuda
