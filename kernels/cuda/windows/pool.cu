// Pools: each thread computes one element of the result, of what it meets in the order of memory.
// Gradients are gathered: an element asks the places around it. What indices send to an element is
// summed in their order, a plane by one block.
#include "kernels/cuda/launch/faults.h"
#include "kernels/cuda/launch/launch.h"
#include "kernels/cuda/launch/parts.h"
#include "kernels/cuda/windows/near_pool.h"
#include "kernels/cuda/windows/ordered_sums.h"
#include "kernels/formulas/pool_dim.h"
#include "kernels/functors/reduce.h"
#include "kernels/functors/scalar_math.h"

namespace garboard::kernels::cuda {
namespace {

/// A place, or an element, of a plane.
struct Spot {
  std::int64_t at[space_dims];
};

struct PoolShape {
  std::int64_t size = 1, places = 1;  // of a plane
  PoolDim dim[space_dims];

  PoolShape(const View& out, const View& x, const PoolWindow& window) {
    for (int d = 0; d < space_dims; ++d) {
      dim[d] = PoolDim::of(window, d, x.sizes[d + 1], out.sizes[d + 1]);
      size *= dim[d].size;
      places *= dim[d].places;
    }
  }

  GARBOARD_HD Spot place(std::int64_t i) const {
    i %= places;
    const std::int64_t line = i / dim[2].places;
    return {line / dim[1].places, line % dim[1].places, i % dim[2].places};
  }
  GARBOARD_HD Spot element(std::int64_t i) const {
    i %= size;
    const std::int64_t line = i / dim[2].size;
    return {line / dim[1].size, line % dim[1].size, i % dim[2].size};
  }

  /// Calls `visit(at)` with the number in the plane of each element that a place meets.
  template <class Visit>
  GARBOARD_HD void for_each_met(const Spot& place, Visit visit) const {
    std::int64_t first[space_dims], begin[space_dims], end[space_dims];
    for (int d = 0; d < space_dims; ++d) {
      first[d] = dim[d].first(place.at[d]);
      begin[d] = dim[d].first_tap(place.at[d]);
      end[d] = dim[d].last_tap(place.at[d]);
    }
    for (std::int64_t i = begin[0]; i < end[0]; ++i)
      for (std::int64_t j = begin[1]; j < end[1]; ++j) {
        const std::int64_t line =
            (first[0] + i * dim[0].step()) * dim[1].size + first[1] + j * dim[1].step();
        for (std::int64_t k = begin[2]; k < end[2]; ++k)
          visit(line * dim[2].size + first[2] + k * dim[2].step());
      }
  }

  /// Calls `visit(place)` with the number in the plane of each place that meets an element.
  template <class Visit>
  GARBOARD_HD void for_each_meeting(const Spot& element, Visit visit) const {
    PoolRange around[space_dims];
    for (int d = 0; d < space_dims; ++d) around[d] = dim[d].places_around(element.at[d]);
    for (std::int64_t i = around[0].first; i < around[0].end; ++i) {
      if (!dim[0].meets(i, element.at[0])) continue;
      for (std::int64_t j = around[1].first; j < around[1].end; ++j) {
        if (!dim[1].meets(j, element.at[1])) continue;
        for (std::int64_t k = around[2].first; k < around[2].end; ++k)
          if (dim[2].meets(k, element.at[2])) visit((i * dim[1].places + j) * dim[2].places + k);
      }
    }
  }
};

template <class T, class I>
__global__ void keep_largest(T* out, I* indices, const T* x, PoolShape shape, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= count) return;
  x += i / shape.places * shape.size;
  T best = functors::lowest<T>;
  I where = -1;  // where nothing is met, between dilated taps
  shape.for_each_met(shape.place(i), [&](std::int64_t at) {
    const T value = x[at];
    if (where >= 0 && !(value > best) && value == value) return;
    best = value;
    where = static_cast<I>(at);
  });
  out[i] = best;
  if (indices) indices[i] = where;
}

template <class T, class I>
__global__ void keep_largest_near(T* out, I* indices, const T* x,
                                  const __grid_constant__ NearPlanes planes, std::uint32_t count) {
  const std::uint32_t i = blockIdx.x * threads + threadIdx.x;
  if (i >= count) return;
  const NearSpot place = planes.place(i);
  x += std::int64_t{place.plane} * planes.elements();
  T best = functors::lowest<T>;
  std::int32_t where = -1;
  for (int a = planes.dim[0].begin(place.at[0]); a < planes.dim[0].end(place.at[0]); ++a)
    for (int b = planes.dim[1].begin(place.at[1]); b < planes.dim[1].end(place.at[1]); ++b) {
      const int line = planes.element_at(a, b, 0);
      for (int c = planes.dim[2].begin(place.at[2]); c < planes.dim[2].end(place.at[2]); ++c) {
        const T value = x[line + c];
        if (where >= 0 && !(value > best) && value == value) continue;
        best = value;
        where = line + c;
      }
    }
  out[i] = best;
  if (indices) indices[i] = static_cast<I>(where);
}

/// An element asks the places that meet it which of them name it.
template <class T, class I>
__global__ void gather_named(T* x, const T* from, const I* indices,
                             const __grid_constant__ NearPlanes planes, std::uint32_t count) {
  constexpr int each = 4;  // elements of a thread, so that several loads are in flight
  const std::uint32_t first = blockIdx.x * threads * each + threadIdx.x;
  T sums[each];
  for (int n = 0; n < each; ++n) {
    const std::uint32_t i = first + n * threads;
    sums[n] = 0;
    if (i >= count) continue;
    const NearSpot spot = planes.element(i);
    const std::int64_t start = std::int64_t{spot.plane} * planes.places();
    const auto me = static_cast<I>(planes.element_at(spot.at[0], spot.at[1], spot.at[2]));
    std::int32_t last[space_dims];
    for (int d = 0; d < space_dims; ++d) last[d] = planes.dim[d].last_place(spot.at[d]);
    if (planes.stand_apart) {
      const std::int64_t place = start + planes.place_at(last[0], last[1], last[2]);
      if (indices[place] == me) sums[n] += from[place];
      continue;
    }
    for (int a = planes.dim[0].first_place(spot.at[0]); a <= last[0]; ++a)
      for (int b = planes.dim[1].first_place(spot.at[1]); b <= last[1]; ++b)
        for (int c = planes.dim[2].first_place(spot.at[2]); c <= last[2]; ++c) {
          const std::int64_t place = start + planes.place_at(a, b, c);
          if (indices[place] == me) sums[n] += from[place];
        }
  }
  for (int n = 0; n < each; ++n)
    if (first + n * threads < count) x[first + n * threads] = sums[n];
}

/// What an average divides by.
struct AverageForm {
  bool counts_padding;
  std::int64_t divisor;

  explicit AverageForm(const AveragePool& of)
      : counts_padding(of.counts_padding), divisor(of.divisor) {}

  template <class T>
  GARBOARD_HD T divided(T sum, const PoolShape& shape, const Spot& place) const {
    if (divisor != 0) return pool_mean(sum, static_cast<double>(divisor));
    double met = 1;  // may be beyond 2^63
    for (int d = 0; d < space_dims; ++d)
      met *= static_cast<double>(shape.dim[d].divisor(place.at[d], counts_padding));
    return pool_mean(sum, met);
  }
};

template <class T>
__global__ void average(T* out, const T* x, PoolShape shape, AverageForm form, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= count) return;
  x += i / shape.places * shape.size;
  const Spot place = shape.place(i);
  T sum = 0;
  shape.for_each_met(place, [&](std::int64_t at) { sum = pool_sum(sum, x[at]); });
  out[i] = form.divided(sum, shape, place);
}

/// What each element that a place meets gets of it.
template <class T>
__global__ void find_shares(T* shares, const T* out, PoolShape shape, AverageForm form,
                            std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i < count) shares[i] = form.divided(out[i], shape, shape.place(i));
}

template <class T>
__global__ void gather_shares(T* x, const T* shares, PoolShape shape, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= count) return;
  shares += i / shape.size * shape.places;
  T sum = 0;
  shape.for_each_meeting(shape.element(i), [&](std::int64_t place) { sum += shares[place]; });
  x[i] = sum;
}

/// An index, or -1 where it names no element; of what is outside that is noted.
template <class I>
__device__ std::int64_t element_of(I index, std::int64_t size, Fault* faults) {
  const auto at = static_cast<std::int64_t>(index);
  if (at >= -1 && at < size) return at;
  note_fault(faults, PlaneScatter::name, at, size);
  return -1;
}

/// A block a plane; x is 0 before.
template <class T, class I>
__global__ void scatter_plane(T* x, const T* from, const I* indices, std::int64_t size,
                              std::int64_t picked, bool adds, Fault* faults) {
  __shared__ Entries<T, 1> entries;
  const int t = static_cast<int>(threadIdx.x);
  x += blockIdx.x * size;
  from += blockIdx.x * picked;
  indices += blockIdx.x * picked;
  for (std::int64_t first = 0; first < picked; first += threads) {
    const std::int64_t i = first + t;
    entries.place[t] = i < picked ? element_of(indices[i], size, faults) : -1;
    entries.value[0][t] = i < picked ? from[i] : T(0);
    if (adds) {
      add_in_order(entries, [=](int) { return x; });
      continue;
    }
    __syncthreads();
    bool is_last = entries.place[t] >= 0;
    for (int u = t + 1; is_last && u < threads; ++u) is_last = entries.place[u] != entries.place[t];
    if (is_last) x[entries.place[t]] = entries.value[0][t];
    __syncthreads();
  }
}

template <class T, class I>
__global__ void gather_plane(T* out, const T* x, const I* indices, std::int64_t size,
                             std::int64_t picked, std::int64_t count, Fault* faults) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= count) return;
  const std::int64_t at = element_of(indices[i], size, faults);
  out[i] = at >= 0 ? x[i / picked * size + at] : T(0);
}

/// Calls `run(Type<T>, Type<I>)` for int32 or int64.
template <class T, class Run>
void visit_indices(Type<T> type, DType indices, Run run) {
  indices == DType::int32 ? run(type, Type<std::int32_t>{}) : run(type, Type<std::int64_t>{});
}
/// The same for float32 or float64.
template <class Run>
void visit_indexed(DType dtype, DType indices, Run run) {
  dtype == DType::float32 ? visit_indices(Type<float>{}, indices, run)
                          : visit_indices(Type<double>{}, indices, run);
}

PooledPlanes pooled(const View& out, const View& x, const PoolWindow& window) {
  PooledPlanes planes{.sizes = {}, .places = {}, .window = window};
  for (int d = 0; d < space_dims; ++d) {
    planes.sizes[d] = x.sizes[d + 1];
    planes.places[d] = out.sizes[d + 1];
  }
  return planes;
}

Grid grid_for(std::int64_t count, Stream stream) { return {divided_up(count, threads), stream}; }

template <class T>
void run_average(const AveragePool& of, Stream stream) {
  launch(average<T>, grid_for(of.out.count, stream), of.out.as<T>(), of.x.as<T>(),
         PoolShape(of.out, of.x, of.window), AverageForm(of), of.out.count);
}
template <class T>
void run_average_gradient(const AveragePoolGradient& of, Stream stream) {
  const PoolShape shape(of.out, of.x, of.window);
  const Scratch scratch(of.out.count * sizeof(T), stream);
  T* const shares = scratch.as<T>();
  if (of.out.count > 0)
    launch(find_shares<T>, grid_for(of.out.count, stream), shares, of.out.as<T>(), shape,
           AverageForm(of), of.out.count);
  launch(gather_shares<T>, grid_for(of.x.count, stream), of.x.as<T>(), shares, shape, of.x.count);
}

}  // namespace

template <>
void kernel(const MaxPool& of, Stream stream) {
  if (of.out.count == 0) return;
  visit_real(of.name, of.x.dtype, [&]<class T>(Type<T> type) {
    if constexpr (functors::Number<T>)
      visit_indices(type, of.indices.dtype, [&]<class I>(Type<T>, Type<I>) {
        if (const auto pool = pooled(of.out, of.x, of.window);
            NearPlanes::suit(pool, of.x.sizes[0]))
          return launch(keep_largest_near<T, I>, grid_for(of.out.count, stream), of.out.as<T>(),
                        of.indices.as<I>(), of.x.as<T>(), NearPlanes(pool),
                        static_cast<std::uint32_t>(of.out.count));
        launch(keep_largest<T, I>, grid_for(of.out.count, stream), of.out.as<T>(),
               of.indices.as<I>(), of.x.as<T>(), PoolShape(of.out, of.x, of.window), of.out.count);
      });
    else
      __builtin_trap();  // the op lets none through
  });
}

template <>
void kernel(const PlaneScatter& of, Stream stream) {
  if (of.x.count == 0) return;
  const std::int64_t planes = of.x.sizes[0];
  if (of.pool && of.adds && NearPlanes::suit(*of.pool, planes))
    return visit_indexed(of.x.dtype, of.indices.dtype, [&]<class T, class I>(Type<T>, Type<I>) {
      launch(gather_named<T, I>, grid_for(divided_up(of.x.count, 4), stream), of.x.as<T>(),
             of.from.as<T>(), of.indices.as<I>(), NearPlanes(*of.pool),
             static_cast<std::uint32_t>(of.x.count));
    });
  kernel(Fill{of.x, Scalar::of(0.0)}, stream);
  if (of.from.count == 0) return;
  visit_indexed(of.x.dtype, of.indices.dtype, [&]<class T, class I>(Type<T>, Type<I>) {
    launch(scatter_plane<T, I>, {planes, stream}, of.x.as<T>(), of.from.as<T>(), of.indices.as<I>(),
           of.x.count / planes, of.from.count / planes, of.adds, fault_record(stream));
  });
}

template <>
void kernel(const PlaneGather& of, Stream stream) {
  if (of.out.count == 0) return;
  const std::int64_t planes = of.x.sizes[0];
  visit_indexed(of.x.dtype, of.indices.dtype, [&]<class T, class I>(Type<T>, Type<I>) {
    launch(gather_plane<T, I>, grid_for(of.out.count, stream), of.out.as<T>(), of.x.as<T>(),
           of.indices.as<I>(), of.x.count / planes, of.out.count / planes, of.out.count,
           fault_record(stream));
  });
}

template <>
void kernel(const AveragePool& of, Stream stream) {
  if (of.out.count == 0) return;
  of.x.dtype == DType::int64     ? run_average<std::int64_t>(of, stream)
  : of.x.dtype == DType::float32 ? run_average<float>(of, stream)
                                 : run_average<double>(of, stream);
}
template <>
void kernel(const AveragePoolGradient& of, Stream stream) {
  if (of.x.count == 0) return;
  of.x.dtype == DType::float32 ? run_average_gradient<float>(of, stream)
                               : run_average_gradient<double>(of, stream);
}

}  // namespace garboard::kernels::cuda
