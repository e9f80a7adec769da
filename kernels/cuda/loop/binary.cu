#include "kernels/cuda/launch/parts.h"
#include "kernels/cuda/loop/elementwise.h"

namespace garboard::kernels::cuda {
namespace {

template <class F>
void binary(const View& out, const View& a, const View& b, Stream stream) {
  visit_dtype(a.dtype, [&]<class T>(Type<T>) {
    if constexpr (std::is_invocable_v<F, T, T>) run<F, T, T>(stream, out, a, b);
  });
}

}  // namespace

void fill_binary(Table& table) {
  for_each_type(functors::BinaryFunctors{},
                [&]<class F> { table.binary[index_in<F, functors::BinaryFunctors>] = binary<F>; });
}

}  // namespace garboard::kernels::cuda
