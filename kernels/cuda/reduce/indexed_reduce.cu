// Where the extremum of each slice stands: the first NaN, or else the first of the equal ones.
#include "kernels/cuda/launch/parts.h"
#include "kernels/cuda/reduce/reduce.h"
#include "kernels/functors/reduce.h"

namespace garboard::kernels::cuda {
namespace {

/// Of two values that are met in their order, whether the later one stands before the other.
template <class F, class Wide>
GARBOARD_HD bool is_beyond(Wide later, Wide value) {
  if constexpr (functors::Real<Wide>) {
    const bool is_less =
        std::is_same_v<F, functors::MaximumOf> ? !(later <= value) : !(later >= value);
    return is_less & (value == value);  // NaN is beyond all but NaN
  } else {
    return std::is_same_v<F, functors::MaximumOf> ? later > value : later < value;
  }
}

/// In the part of a slice that one launch counts. Every thread begins with its first element.
template <class F, class Wide>
struct FoundNearby {
  Wide value;
  std::uint32_t place;

  GARBOARD_HD static FoundNearby none() { return {Wide(), 0}; }
  template <class T>
  GARBOARD_HD void begin(T first) {
    value = functors::widened(first);
  }
  template <class T>
  GARBOARD_HD void take(T x, std::uint32_t at) {
    const bool wins = is_beyond<F>(functors::widened(x), value);
    value = wins ? functors::widened(x) : value;
    place = wins ? at : place;
  }
  GARBOARD_HD void merge(const FoundNearby& other) {
    const bool is_later = other.place >= place;
    const bool wins =
        is_later ? is_beyond<F>(other.value, value) : !is_beyond<F>(value, other.value);
    value = wins ? other.value : value;
    place = wins ? other.place : place;
  }
};

template <class F, class Wide>
struct Found {
  using TakenElements = FoundNearby<F, Wide>;
  static constexpr std::int64_t nowhere = -1;

  Wide value;
  std::int64_t place;

  GARBOARD_HD static Found none() { return {Wide(), nowhere}; }
  GARBOARD_HD static Found of(const TakenElements& nearby, std::int64_t first_place) {
    return {nearby.value, first_place + nearby.place};
  }
  GARBOARD_HD void merge(const Found& other) {
    if (other.place == nowhere) return;
    const bool is_later = other.place >= place;
    const bool wins =
        is_later ? is_beyond<F>(other.value, value) : !is_beyond<F>(value, other.value);
    if (place == nowhere || wins) *this = other;
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
