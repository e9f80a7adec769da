#include "kernels/cuda/launch/parts.h"
#include "kernels/cuda/launch/refusal.h"
#include "kernels/cuda/loop/elementwise.h"
#include "kernels/functors/in_float.h"

namespace garboard::kernels::cuda {
namespace {

template <class F>
void binary(const View& out, const View& a, const View& b, Stream stream) {
  visit_dtype(a.dtype < b.dtype ? a.dtype : b.dtype, [&]<class T>(Type<T>) {
    using Wide = functors::Widened<T>;
    if constexpr (std::is_invocable_v<F, Wide, Wide>)
      run<functors::On<F, T>, T, T>(stream, out, a, b);
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
