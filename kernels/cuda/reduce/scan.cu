// Running results along a dim: sums and products of floats in double, of all else in uint64. A
// slice is cut into tiles of a fixed size: what each comes to is found first, then what comes
// before each, and then all is written. Where a slice is one tile it is read once.
#include "kernels/cuda/launch/launch_plan.h"
#include "kernels/cuda/launch/parts.h"
#include "kernels/cuda/launch/slices.h"
#include "kernels/functors/reduce.h"
#include "kernels/functors/scalar_math.h"

namespace garboard::kernels::cuda {
namespace {

// What elements have come to: begins as `none()`, which changes nothing it is merged with; merges
// with what comes later.

template <class T>
struct RunningSum {
  functors::Gathered<T> value;

  GARBOARD_HD static RunningSum none() { return {0}; }
  GARBOARD_HD static RunningSum of(T x, std::int64_t) {
    return {static_cast<functors::Gathered<T>>(x)};
  }
  GARBOARD_HD void merge(const RunningSum& later) { value += later.value; }
};

template <class T>
struct RunningProduct {
  functors::Gathered<T> value;

  GARBOARD_HD static RunningProduct none() { return {1}; }
  GARBOARD_HD static RunningProduct of(T x, std::int64_t) {
    return {static_cast<functors::Gathered<T>>(x)};
  }
  GARBOARD_HD void merge(const RunningProduct& later) { value *= later.value; }
};

/// The largest x, and the sum of e^(x - largest).
template <class T>
struct RunningExponentials {
  double largest, sum;

  GARBOARD_HD static RunningExponentials none() { return {-functors::infinity<double>, 0}; }
  GARBOARD_HD static RunningExponentials of(T x, std::int64_t) {
    return {static_cast<double>(x), 1};
  }
  GARBOARD_HD void merge(const RunningExponentials& later) {
    if (later.largest == largest) {  // both may be infinite
      sum += later.sum;
    } else if (later.largest < largest) {
      sum += later.sum * functors::exp(later.largest - largest);
    } else {  // larger, or NaN
      sum = sum * functors::exp(largest - later.largest) + later.sum;
      largest = later.largest;
    }
  }
  GARBOARD_HD double result() const {
    return largest == -functors::infinity<double> ? largest : largest + functors::log(sum);
  }
};

/// The extremum and its last place; NaN is beyond everything.
template <class F, class T>
struct RunningExtremum {
  functors::Widened<T> value;
  std::int64_t place;  // -1: of nothing

  GARBOARD_HD static RunningExtremum none() { return {{}, -1}; }
  GARBOARD_HD static RunningExtremum of(T x, std::int64_t place) {
    return {functors::widened(x), place};
  }
  GARBOARD_HD void merge(const RunningExtremum& later) {
    if (later.place < 0) return;
    const bool is_beyond =
        std::is_same_v<F, functors::MaximumOf> ? later.value >= value : later.value <= value;
    if (place < 0 || is_beyond || later.value != later.value) *this = later;
  }
};

/// What is written of a running result: to the operands before the last, which is x.
template <class T>
struct RunningResult {
  T* data;

  template <class Running>
  GARBOARD_HD void write(const std::int64_t* at, const Running& so_far) const {
    if constexpr (requires { so_far.result(); })
      data[at[0]] = static_cast<T>(so_far.result());
    else
      data[at[0]] = static_cast<T>(so_far.value);
  }
  RunningResult moved(const std::int64_t* starts) const { return {data + starts[0]}; }
};

template <class T>
struct RunningPlace {
  T* values;
  std::int64_t* places;

  template <class Running>
  GARBOARD_HD void write(const std::int64_t* at, const Running& so_far) const {
    values[at[0]] = static_cast<T>(so_far.value);
    places[at[1]] = so_far.place;
  }
  RunningPlace moved(const std::int64_t* starts) const {
    return {values + starts[0], places + starts[1]};
  }
};

/// Blocks are those of the slices for the first tile, for the second, and so on. Before what a tile
/// comes to stands what all before it have come to; where there is one tile alone, nothing.
template <class Running, class T, class Results, int operands>
__global__ void scan_tiles(const __grid_constant__ Slices<operands> slices, std::uint32_t groups,
                           Results results, const T* x, const Running* before) {
  __shared__ Running shared[threads];
  const int t = static_cast<int>(threadIdx.x);
  const std::int64_t tile_number = blockIdx.x / groups;
  const Slice<operands> slice(slices, t, blockIdx.x % groups);
  const std::int64_t first = tile_number * scan_tile;
  const std::int64_t last = first + scan_tile < slices.size ? first + scan_tile : slices.size;
  auto carry = Running::none();
  if (before && slice.size > 0)
    carry = before[tile_number * slices.starts.count + slice.seat.result];
  for (std::int64_t from = first; from < last; from += slices.lanes) {
    const std::int64_t i = from + slice.seat.lane;
    const bool is_there = i < last && slice.size > 0;
    std::int64_t at[operands] = {};
    auto mine = Running::none();
    if (is_there) {
      for (int k = 0; k < operands; ++k) at[k] = slice.start[k] + i * slices.strides[k];
      mine = Running::of(x[at[operands - 1]], i);
    }
    auto so_far = carry;
    so_far.merge(scan_lanes(shared, mine, slice.seat, slices.lanes));
    if (is_there) results.write(at, so_far);
    shared[t] = so_far;
    __syncthreads();
    carry = shared[t + (slices.lanes - 1 - slice.seat.lane) * slice.seat.lane_step];
    __syncthreads();
  }
}

template <class Running, class T, int operands>
__global__ void sum_up_tiles(const __grid_constant__ Slices<operands> slices, std::uint32_t groups,
                             const T* x, Running* totals) {
  __shared__ Running shared[threads];
  const int t = static_cast<int>(threadIdx.x);
  const std::int64_t tile_number = blockIdx.x / groups;
  const Slice<operands> slice(slices, t, blockIdx.x % groups);
  const std::int64_t first = tile_number * scan_tile;
  const std::int64_t last = first + scan_tile < slices.size ? first + scan_tile : slices.size;
  // Lanes take runs of their own: what they come to must merge in the order of the elements.
  const std::int64_t run = (last - first + slices.lanes - 1) / slices.lanes;
  auto mine = Running::none();
  if (slice.size > 0)
    for (std::int64_t i = first + slice.seat.lane * run;
         i < last && i < first + (slice.seat.lane + 1) * run; ++i)
      mine.merge(Running::of(x[slice.start[operands - 1] + i * slices.strides[operands - 1]], i));
  const Running all = scan_lanes(shared, mine, slice.seat, slices.lanes);
  if (slice.size > 0 && slice.seat.lane == slices.lanes - 1)
    totals[tile_number * slices.starts.count + slice.seat.result] = all;
}

/// Of each slice: what a tile comes to is replaced by what those before it come to.
template <class Running>
__global__ void put_before(Running* totals, std::int64_t slices, std::int64_t tiles) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= slices) return;
  auto before = Running::none();
  for (std::int64_t k = 0; k < tiles; ++k) {
    const Running here = totals[k * slices + i];
    totals[k * slices + i] = before;
    before.merge(here);
  }
}

template <class Running, class T, class Results, int operands>
void scan(const View* const (&views)[operands], int dim, Results results, Stream stream) {
  for_each_part_of_slices(views, dim, [&](const Slices<operands>& slices, const auto& starts) {
    const T* const x = views[operands - 1]->template as<T>() + starts[operands - 1];
    const std::int64_t tiles = divided_up(slices.size, scan_tile), count = slices.starts.count;
    const auto groups = static_cast<std::uint32_t>(slices.blocks());
    const Scratch scratch(tiles > 1 ? tiles * count * sizeof(Running) : 0, stream);
    auto* const before = tiles > 1 ? scratch.as<Running>() : nullptr;
    const Grid grid{slices.blocks() * tiles, stream};
    if (before) {
      launch(sum_up_tiles<Running, T, operands>, grid, slices, groups, x, before);
      launch(put_before<Running>, {divided_up(count, threads), stream}, before, count, tiles);
    }
    launch(scan_tiles<Running, T, Results, operands>, grid, slices, groups, results.moved(starts),
           x, before);
  });
}

/// Sums and products of what is no float are int64.
template <template <class> class Running, class Of>
void scan_numbers(const Of& of, Stream stream) {
  const auto run = [&]<class T>(Type<T>) {
    scan<Running<T>, T>({&of.out, &of.x}, of.dim, RunningResult<T>{of.out.template as<T>()},
                        stream);
  };
  visit_dtype(of.x.dtype, [&]<class T>(Type<T> type) {
    if constexpr (functors::Floating<T> || functors::ComplexNumber<T>)
      run(type);
    else
      run(Type<std::int64_t>{});
  });
}

template <class F>
void scan_extrema(const char* name, const CumulativeExtremum& of, Stream stream) {
  visit_real(name, of.x.dtype, [&]<class T>(Type<T>) {
    scan<RunningExtremum<F, T>, T>(
        {&of.values, &of.indices, &of.x}, of.dim,
        RunningPlace<T>{of.values.as<T>(), of.indices.as<std::int64_t>()}, stream);
  });
}

}  // namespace

template <>
void kernel(const CumulativeSum& of, Stream stream) {
  scan_numbers<RunningSum>(of, stream);
}
template <>
void kernel(const CumulativeProduct& of, Stream stream) {
  scan_numbers<RunningProduct>(of, stream);
}
template <>
void kernel(const LogCumulativeSumExp& of, Stream stream) {
  visit_floating(of.x.dtype, [&]<class T>(Type<T>) {
    scan<RunningExponentials<T>, T>({&of.out, &of.x}, of.dim, RunningResult<T>{of.out.as<T>()},
                                    stream);
  });
}
template <>
void kernel(const CumulativeMaximum& of, Stream stream) {
  scan_extrema<functors::MaximumOf>(of.name, of, stream);
}
template <>
void kernel(const CumulativeMinimum& of, Stream stream) {
  scan_extrema<functors::MinimumOf>(of.name, of, stream);
}

}  // namespace garboard::kernels::cuda
