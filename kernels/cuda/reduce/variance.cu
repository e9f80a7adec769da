// The mean squared distance from the mean, of each element read once.
#include "kernels/cuda/launch/parts.h"
#include "kernels/cuda/reduce/moments.h"
#include "kernels/cuda/reduce/reduce.h"

namespace garboard::kernels::cuda {

template <>
void kernel(const Variance& of, Stream stream) {
  const ReduceNests reduction({&of.x, &of.out}, [&](int d) { return of.out.strides[d] == 0; });
  visit_floating(of.x.dtype, [&]<class T>(Type<T>) {
    const auto launch_all = [&]<class Out>(Type<Out>) {
      launch_reductions<Moments, 2>(reduction, stream, of.x.as<T>(),
                                    SingleResult<Out>{of.out.as<Out>()});
    };
    if constexpr (functors::Half<T>)
      if (of.out.dtype == DType::float32) return launch_all(Type<float>{});
    launch_all(Type<T>{});
  });
}

}  // namespace garboard::kernels::cuda
