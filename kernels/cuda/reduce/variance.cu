// The mean squared distance from the mean, of each element read once: what some have come to meets
// as Chan, Golub and LeVeque say ("Algorithms for computing the sample variance", 1983).
#include "kernels/cuda/launch/parts.h"
#include "kernels/cuda/reduce/reduce.h"

namespace garboard::kernels::cuda {
namespace {

/// How many elements, their mean, and the sum of the squared distances from it.
struct Moments {
  double count, mean, squares;

  GARBOARD_HD static Moments none() { return {0, 0, 0}; }
  template <class T>
  GARBOARD_HD void take(T element, std::int64_t) {
    const auto x = static_cast<double>(element);
    count += 1;
    const double distance = x - mean;
    mean += distance / count;
    squares += distance * (x - mean);
  }
  GARBOARD_HD void merge(const Moments& other) {
    if (other.count == 0) return;
    const double total = count + other.count, share = other.count / total;
    const double distance = other.mean - mean;
    mean = count > 0 ? mean + distance * share : other.mean;
    squares += other.squares + distance * distance * (count * share);
    count = total;
  }
  GARBOARD_HD double result() const { return squares / count; }
};

}  // namespace

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
