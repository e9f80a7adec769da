#include "kernels/cuda/reduce/reduce.h"

#include "kernels/cuda/launch/parts.h"
#include "kernels/cuda/launch/refusal.h"
#include "kernels/cuda/reduce/partial.h"

namespace garboard::kernels::cuda {
namespace {

template <class F>
void reduce(const View& out, const View& x, Stream stream) {
  const ReduceNests reduction({&x, &out}, [&](int d) { return out.strides[d] == 0; });
  visit_dtype(x.dtype, [&]<class T>(Type<T>) {
    if constexpr (requires { typename F::template Result<T>; }) {
      using R = typename F::template Result<T>;
      const auto launch_all = [&]<class Out>(Type<Out>) {
        launch_reductions<Partial<F, R>, 2>(reduction, stream, x.as<T>(),
                                            SingleResult<Out>{out.as<Out>()});
      };
      if constexpr (functors::Half<T> && !std::is_same_v<R, bool>)
        if (out.dtype == x.dtype) return launch_all(Type<T>{});
      launch_all(Type<R>{});
    } else {
      throw_lacking_dtype("reduction", x.dtype);
    }
  });
}

}  // namespace

void fill_reduce(Table& table) {
  for_each_type(functors::ReduceFunctors{},
                [&]<class F> { table.reduce[index_in<F, functors::ReduceFunctors>] = reduce<F>; });
}

}  // namespace garboard::kernels::cuda
