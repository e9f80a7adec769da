// Batch and group normalisation: what is normalised together is a slab of rows, a row being the
// places of a channel in a sample. The lanes of a slab, or of a row, meet in a tree, and rows are
// brought together in order.
#include "kernels/cuda/launch/lanes.h"
#include "kernels/cuda/launch/parts.h"
#include "kernels/cuda/launch/refusal.h"
#include "kernels/cuda/reduce/partial.h"
#include "kernels/functors/scalar_math.h"

namespace garboard::kernels::cuda {
namespace {

/// A channel of all samples, or a group of channels of one.
struct ChannelSlabs {
  std::int64_t samples, channels, places, groups, count, rows;  // rows of a slab

  explicit ChannelSlabs(const ChannelNorm& of)
      : samples(of.x.sizes[0]),
        channels(of.x.sizes[1]),
        places(of.x.sizes[2]),
        groups(of.groups),
        count(groups > 0 ? samples * groups : channels),
        rows(groups > 0 ? channels / groups : samples) {}

  /// The number of a slab's row among all.
  GARBOARD_HD std::int64_t row(std::int64_t slab, std::int64_t i) const {
    return groups > 0 ? slab * rows + i : i * channels + slab;
  }
  GARBOARD_HD std::int64_t slab_of(std::int64_t row) const {
    return groups > 0 ? row / rows : row % channels;
  }
  /// Where element `i` of a slab lies.
  GARBOARD_HD std::int64_t at(std::int64_t slab, std::int64_t i) const {
    return row(slab, i / places) * places + i % places;
  }
};

template <class T>
struct ChannelTask {
  ChannelSlabs slabs;
  int lanes;
  const T *x, *weight, *bias;
  T *means, *variances, *inverses;
  double epsilon;

  explicit ChannelTask(const ChannelNorm& of)
      : slabs(of),
        lanes(plan_reduction(slabs.count, slabs.rows * slabs.places, false).lanes),
        x(of.x.as<T>()),
        weight(of.weight.as<T>()),
        bias(of.bias.as<T>()),
        means(of.means.as<T>()),
        variances(of.variances.as<T>()),
        inverses(of.inverses.as<T>()),
        epsilon(of.epsilon) {}
};

template <class T>
__global__ void channel_norm(const __grid_constant__ ChannelTask<T> task, T* out) {
  using Sum = Partial<functors::SumOf, T>;
  __shared__ Sum sums[threads];
  const ChannelSlabs& slabs = task.slabs;
  const Seat seat(static_cast<int>(threadIdx.x), blockIdx.x, task.lanes, false);
  const std::int64_t slab = seat.result, all = slabs.rows * slabs.places;
  const std::int64_t count = slab < slabs.count ? all : 0;
  auto sum = Sum::none(), squares = Sum::none();
  for (std::int64_t i = seat.lane; i < count; i += task.lanes) sum.add(task.x[slabs.at(slab, i)]);
  const T mean =
      static_cast<T>(double{meet(sums, sum, seat, task.lanes).result()} / static_cast<double>(all));
  for (std::int64_t i = seat.lane; i < count; i += task.lanes) {
    const T distance = task.x[slabs.at(slab, i)] - mean;
    squares.add(distance * distance);
  }
  const double variance =
      double{meet(sums, squares, seat, task.lanes).result()} / static_cast<double>(all);
  const T inverse = static_cast<T>(1 / functors::sqrt(variance + task.epsilon));
  if (slab >= slabs.count) return;
  if (seat.lane == 0) {
    task.means[slab] = mean;
    task.variances[slab] = static_cast<T>(variance);
    task.inverses[slab] = inverse;
  }
  for (std::int64_t i = seat.lane; i < count; i += task.lanes) {
    const std::int64_t at = slabs.at(slab, i), channel = at / slabs.places % slabs.channels;
    const T scale = task.weight ? task.weight[channel] : T(1);
    const T shift = task.bias ? task.bias[channel] : T(0);
    out[at] = (task.x[at] - mean) * inverse * scale + shift;
  }
}

/// Of a row: the sums of dy, and of dy n, where n = (x - mean) inverse.
struct RowSums {
  double slopes, tilts;
};

template <class T>
__global__ void sum_up_rows(const __grid_constant__ ChannelTask<T> task, int lanes, RowSums* of_row,
                            const T* dy) {
  using Sum = Partial<functors::SumOf, T>;
  __shared__ Sum sums[threads];
  const ChannelSlabs& slabs = task.slabs;
  const Seat seat(static_cast<int>(threadIdx.x), blockIdx.x, lanes, false);
  const std::int64_t row = seat.result, rows = slabs.samples * slabs.channels;
  const std::int64_t places = row < rows ? slabs.places : 0, slab = slabs.slab_of(row);
  const T mean = row < rows ? task.means[slab] : T(0);
  auto slopes = Sum::none(), tilts = Sum::none();
  for (std::int64_t i = seat.lane; i < places; i += lanes) {
    const T slope = dy[row * places + i];
    slopes.add(slope);
    tilts.add(slope * (task.x[row * places + i] - mean));
  }
  const double sum = meet(sums, slopes, seat, lanes).result();
  const double tilt = meet(sums, tilts, seat, lanes).result();
  if (row < rows && seat.lane == 0) of_row[row] = {sum, tilt * task.inverses[slab]};
}

/// Of a slab: the averages of g = dy weight, and of g n inverse.
template <class T>
struct SlabAverages {
  T slope, tilt;
};

template <class T>
__global__ void average_slabs(const __grid_constant__ ChannelTask<T> task, const RowSums* of_row,
                              SlabAverages<T>* averages) {
  const ChannelSlabs& slabs = task.slabs;
  const std::int64_t slab = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (slab >= slabs.count) return;
  double sum = 0, tilt = 0;
  for (std::int64_t i = 0; i < slabs.rows; ++i) {
    const std::int64_t row = slabs.row(slab, i);
    const T weight = task.weight ? task.weight[row % slabs.channels] : T(1);
    sum += weight * of_row[row].slopes;
    tilt += weight * of_row[row].tilts;
  }
  const double share = 1 / (static_cast<double>(slabs.rows) * static_cast<double>(slabs.places));
  averages[slab] = {static_cast<T>(sum * share),
                    static_cast<T>(tilt * share * task.inverses[slab])};
}

/// dx = inverse (g - average(g) - n average(g n))
template <class T>
__global__ void channel_norm_gradient(const __grid_constant__ ChannelTask<T> task,
                                      const SlabAverages<T>* averages, T* dx, const T* dy,
                                      std::int64_t count) {
  const ChannelSlabs& slabs = task.slabs;
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= count) return;
  const std::int64_t row = i / slabs.places, slab = slabs.slab_of(row);
  const T weight = task.weight ? task.weight[row % slabs.channels] : T(1);
  const SlabAverages<T> average = averages[slab];
  dx[i] = task.inverses[slab] *
          ((dy[i] * weight - average.slope) - (task.x[i] - task.means[slab]) * average.tilt);
}

template <class T>
__global__ void sum_up_channels(const ChannelSlabs slabs, const RowSums* of_row, T* d_weight,
                                T* d_bias) {
  const std::int64_t channel = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (channel >= slabs.channels) return;
  RowSums all{0, 0};
  for (std::int64_t sample = 0; sample < slabs.samples; ++sample) {
    all.slopes += of_row[sample * slabs.channels + channel].slopes;
    all.tilts += of_row[sample * slabs.channels + channel].tilts;
  }
  if (d_weight) d_weight[channel] = static_cast<T>(all.tilts);
  if (d_bias) d_bias[channel] = static_cast<T>(all.slopes);
}

template <class T>
void gradients_of(const ChannelNormGradient& to, Stream stream) {
  const ChannelTask<T> task(to.of);
  const ChannelSlabs& slabs = task.slabs;
  const std::int64_t rows = slabs.samples * slabs.channels;
  const T* const dy = to.d_out.as<T>();
  const Scratch row_memory(rows * sizeof(RowSums), stream);
  auto* const of_row = row_memory.as<RowSums>();
  if (rows > 0) {
    const int lanes = plan_reduction(rows, slabs.places, false).lanes;
    launch(sum_up_rows<T>, {divided_up(rows, threads / lanes), stream}, task, lanes, of_row, dy);
  }
  if (to.d_x.data && to.d_x.count > 0) {
    const Scratch slab_memory(slabs.count * sizeof(SlabAverages<T>), stream);
    auto* const averages = slab_memory.as<SlabAverages<T>>();
    launch(average_slabs<T>, {divided_up(slabs.count, threads), stream}, task, of_row, averages);
    launch(channel_norm_gradient<T>, {divided_up(to.d_x.count, threads), stream}, task, averages,
           to.d_x.as<T>(), dy, to.d_x.count);
  }
  if ((to.d_weight.data || to.d_bias.data) && slabs.channels > 0)
    launch(sum_up_channels<T>, {divided_up(slabs.channels, threads), stream}, slabs, of_row,
           to.d_weight.as<T>(), to.d_bias.as<T>());
}

/// Ops give it float32 and float64 alone.
template <class Run>
void visit_single_or_double(const char* op, DType dtype, Run run) {
  if (dtype == DType::float32) return run(Type<float>{});
  if (dtype == DType::float64) return run(Type<double>{});
  throw_lacking_dtype(op, dtype);
}

}  // namespace

template <>
void kernel(const ChannelNorm& of, Stream stream) {
  visit_single_or_double(of.name, of.x.dtype, [&]<class T>(Type<T>) {
    const ChannelTask<T> task(of);
    if (task.slabs.count == 0) return;
    launch(channel_norm<T>, {divided_up(task.slabs.count, threads / task.lanes), stream}, task,
           of.out.as<T>());
  });
}
template <>
void kernel(const ChannelNormGradient& to, Stream stream) {
  visit_single_or_double(to.name, to.of.x.dtype,
                         [&]<class T>(Type<T>) { gradients_of<T>(to, stream); });
}

}  // namespace garboard::kernels::cuda
