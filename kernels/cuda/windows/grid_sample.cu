// Sampling at any places of a plane. A thread finds what its place is made of once for several
// channels. The gradient of the plane is summed in the order of the places, some channels by one
// block; that of the grid over all channels by the thread of its place.
#include "kernels/cuda/launch/launch.h"
#include "kernels/cuda/launch/parts.h"
#include "kernels/cuda/windows/ordered_sums.h"
#include "kernels/formulas/grid_dim.h"

namespace garboard::kernels::cuda {
namespace {

constexpr std::int64_t mixed_channels = 16;  // that a thread of the forward pass writes
constexpr int summed_channels = 8;           // that a block of the plane's gradient sums

/// What a place is made of along each dim of the plane.
template <class T>
struct MixedAlong {
  std::int32_t at[space_dims][most_along];
  T factor[space_dims][most_along], slope[space_dims][most_along];
};

/// An element of the plane, or -1, with its factor.
template <class T>
struct Mixed {
  std::int32_t at;
  T factor;
};

template <class T>
struct GridShape {
  std::int64_t samples, channels, places, plane;
  std::int32_t high, wide;
  int dims, along, deep, elements;
  GridDim<T> dim[space_dims];

  explicit GridShape(const GridSample& of)
      : samples(of.x.sizes[0]),
        channels(of.x.sizes[1]),
        places(of.out.sizes[2]),
        plane(of.x.sizes[2] * of.x.sizes[3] * of.x.sizes[4]),
        high(static_cast<std::int32_t>(of.x.sizes[3])),
        wide(static_cast<std::int32_t>(of.x.sizes[4])),
        dims(of.dims),
        dim{{of, of.x.sizes[4]}, {of, of.x.sizes[3]}, {of, of.x.sizes[2]}} {
    along = dim[0].along();
    deep = dims == 3 ? along : 1;
    elements = deep * along * along;
  }

  GARBOARD_HD void find(const T* grid, MixedAlong<T>& around) const {
    around.at[2][0] = 0;
    around.factor[2][0] = 1;
    around.slope[2][0] = 0;
    for (int d = 0; d < dims; ++d)
      dim[d].read(grid[d], around.at[d], around.factor[d], around.slope[d]);
  }

  /// Element `k` of a place. Nowhere, its factor meets 0: NaN alone remains, as on the CPU.
  GARBOARD_HD Mixed<T> mixed(const MixedAlong<T>& around, int k) const {
    const int x = k % along, y = k / along % along, z = k / along / along;
    const std::int32_t column = around.at[0][x], row = around.at[1][y], layer = around.at[2][z];
    const bool is_there = (column | row | layer) >= 0;
    return {is_there ? (layer * high + row) * wide + column : -1,
            around.factor[0][x] * around.factor[1][y] * around.factor[2][z]};
  }
  /// How fast its factor changes with each coordinate.
  GARBOARD_HD void find_slopes(const MixedAlong<T>& around, int k, T* slopes) const {
    const int x = k % along, y = k / along % along, z = k / along / along;
    const T f = around.factor[0][x], g = around.factor[1][y], h = around.factor[2][z];
    slopes[0] = around.slope[0][x] * g * h;
    slopes[1] = f * around.slope[1][y] * h;
    slopes[2] = f * g * around.slope[2][z];
  }
};

template <class T>
__global__ void mix_places(T* out, const T* x, const T* grid, GridShape<T> shape,
                           std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= count) return;
  const std::int64_t place = i % shape.places;
  const std::int64_t groups = (shape.channels + mixed_channels - 1) / mixed_channels;
  const std::int64_t sample = i / shape.places / groups;
  const std::int64_t first = i / shape.places % groups * mixed_channels;
  MixedAlong<T> around;
  shape.find(grid + (sample * shape.places + place) * shape.dims, around);
  Mixed<T> mixed[most_mixed];
  for (int k = 0; k < shape.elements; ++k) mixed[k] = shape.mixed(around, k);
  const std::int64_t end =
      first + mixed_channels < shape.channels ? first + mixed_channels : shape.channels;
  for (std::int64_t c = sample * shape.channels + first; c < sample * shape.channels + end; ++c) {
    T sum = 0;
    for (int k = 0; k < shape.elements; ++k)
      sum += mixed[k].factor * (mixed[k].at < 0 ? T(0) : x[c * shape.plane + mixed[k].at]);
    out[c * shape.places + place] = sum;
  }
}

template <class T>
__global__ void grid_gradient(T* d_grid, const T* given, const T* x, const T* grid,
                              GridShape<T> shape, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= count) return;
  const std::int64_t place = i % shape.places, sample = i / shape.places;
  MixedAlong<T> around;
  shape.find(grid + i * shape.dims, around);
  std::int32_t at[most_mixed];
  for (int k = 0; k < shape.elements; ++k) at[k] = shape.mixed(around, k).at;
  T sums[space_dims] = {};
  for (std::int64_t c = sample * shape.channels; c < (sample + 1) * shape.channels; ++c) {
    T met[space_dims] = {};
    for (int k = 0; k < shape.elements; ++k) {
      T slopes[space_dims];
      shape.find_slopes(around, k, slopes);
      const T value = at[k] < 0 ? T(0) : x[c * shape.plane + at[k]];
      for (int d = 0; d < space_dims; ++d) met[d] += slopes[d] * value;
    }
    for (int d = 0; d < space_dims; ++d) sums[d] += met[d] * given[c * shape.places + place];
  }
  for (int d = 0; d < shape.dims; ++d) d_grid[i * shape.dims + d] = sums[d];
}

/// Some channels of a sample by each block; d_x is 0 before.
template <class T>
__global__ void plane_gradient(T* d_x, const T* given, const T* grid, GridShape<T> shape) {
  __shared__ Entries<T, summed_channels> entries;
  const int t = static_cast<int>(threadIdx.x);
  const std::int64_t groups = (shape.channels + summed_channels - 1) / summed_channels;
  const std::int64_t sample = blockIdx.x / groups, from = blockIdx.x % groups * summed_channels;
  const std::int64_t some =
      shape.channels - from < summed_channels ? shape.channels - from : summed_channels;
  d_x += (sample * shape.channels + from) * shape.plane;
  given += (sample * shape.channels + from) * shape.places;
  const std::int64_t count = shape.places * shape.elements;
  for (std::int64_t first = 0; first < count; first += threads) {
    const std::int64_t i = first + t, place = i / shape.elements;
    Mixed<T> mixed{-1, T(0)};
    if (i < count) {
      MixedAlong<T> around;
      shape.find(grid + (sample * shape.places + place) * shape.dims, around);
      mixed = shape.mixed(around, static_cast<int>(i % shape.elements));
    }
    entries.place[t] = mixed.at;
    for (int k = 0; k < summed_channels; ++k)
      entries.value[k][t] =
          mixed.at >= 0 && k < some ? mixed.factor * given[k * shape.places + place] : T(0);
    add_in_order(entries, [=](int k) { return k < some ? d_x + k * shape.plane : nullptr; });
  }
}

template <class T>
void sample_grid(const GridSample& of, Stream stream) {
  const GridShape<T> shape(of);
  const std::int64_t count =
      shape.samples * divided_up(shape.channels, mixed_channels) * shape.places;
  launch(mix_places<T>, {divided_up(count, threads), stream}, of.out.as<T>(), of.x.as<T>(),
         of.grid.as<T>(), shape, count);
}

template <class T>
void find_gradients(const GridSampleGradient& of, Stream stream) {
  const GridShape<T> shape(of);
  if (of.d_x.data && of.d_x.count > 0) {
    kernel(Fill{of.d_x, Scalar::of(0.0)}, stream);
    launch(plane_gradient<T>, {shape.samples * divided_up(shape.channels, summed_channels), stream},
           of.d_x.as<T>(), of.out.as<T>(), of.grid.as<T>(), shape);
  }
  const std::int64_t count = shape.samples * shape.places;
  if (of.d_grid.data && count > 0)
    launch(grid_gradient<T>, {divided_up(count, threads), stream}, of.d_grid.as<T>(),
           of.out.as<T>(), of.x.as<T>(), of.grid.as<T>(), shape, count);
}

}  // namespace

template <>
void kernel(const GridSample& of, Stream stream) {
  if (of.out.count == 0) return;
  of.x.dtype == DType::float32 ? sample_grid<float>(of, stream) : sample_grid<double>(of, stream);
}
template <>
void kernel(const GridSampleGradient& of, Stream stream) {
  of.grid.dtype == DType::float32 ? find_gradients<float>(of, stream)
                                  : find_gradients<double>(of, stream);
}

}  // namespace garboard::kernels::cuda
