// Where the extremum of each slice stands: the first NaN, or else the first of the equal ones.
#include "kernels/cuda/launch/parts.h"
#include "kernels/cuda/reduce/reduce.h"
#include "kernels/functors/reduce.h"

namespace garboard::kernels::cuda {
namespace {

template <class F, class Wide>
struct Found {
  static constexpr std::int64_t nowhere = -1;

  Wide value;
  std::int64_t place;

  GARBOARD_HD static Found none() { return {Wide(), nowhere}; }
  template <class T>
  GARBOARD_HD void take(T x, std::int64_t at) {
    merge({functors::widened(x), at});
  }
  GARBOARD_HD void merge(const Found& other) {
    if (other.place != nowhere && (place == nowhere || other.is_before(*this))) *this = other;
  }

  /// Of two that have met something.
  GARBOARD_HD bool is_before(const Found& other) const {
    const bool is_nan = value != value, is_other_nan = other.value != other.value;
    if (is_nan != is_other_nan) return is_nan;
    if (is_nan || value == other.value) return place < other.place;
    return std::is_same_v<F, functors::MaximumOf> ? value > other.value : value < other.value;
  }
};

template <class T>
struct IndexedResults {
  T* values;  // null: not wanted
  std::int64_t* indices;

  template <class F, class Wide>
  GARBOARD_HD void write(const std::int64_t* at, const Found<F, Wide>& all) const {
    if (values) values[at[1]] = static_cast<T>(all.value);
    indices[at[2]] = all.place;
  }
  IndexedResults moved(const std::int64_t* starts) const {
    return {values ? values + starts[1] : nullptr, indices + starts[2]};
  }
};

template <class F>
void find(const char* name, const IndexedReduce& of, Stream stream) {
  const ReduceNests reduction({&of.x, &of.values, &of.indices}, [&](int d) { return d == of.dim; });
  visit_real(name, of.x.dtype, [&]<class T>(Type<T>) {
    launch_reductions<Found<F, functors::Widened<T>>, 3>(
        reduction, stream, of.x.as<T>(),
        IndexedResults<T>{of.values.as<T>(), of.indices.as<std::int64_t>()});
  });
}

}  // namespace

template <>
void kernel(const MaximumIndex& of, Stream stream) {
  find<functors::MaximumOf>(of.name, of, stream);
}
template <>
void kernel(const MinimumIndex& of, Stream stream) {
  find<functors::MinimumOf>(of.name, of, stream);
}

}  // namespace garboard::kernels::cuda
