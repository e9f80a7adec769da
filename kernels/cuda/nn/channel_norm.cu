// Batch and group normalisation: what is normalised together is a slab of rows, a row being the
// places of a channel in a sample. Lanes share a row, or a part of one, and meet; what parts come
// to meets in order. Forwards x is read twice and written once, backwards both inputs are read
// twice.
#include "kernels/cuda/launch/lanes.h"
#include "kernels/cuda/launch/packs.h"
#include "kernels/cuda/launch/parts.h"
#include "kernels/cuda/launch/refusal.h"
#include "kernels/cuda/reduce/moments.h"
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

/// How rows are shared out: `lanes` threads have a part of one.
struct RowParts {
  int lanes;
  std::uint32_t splits, count;   // parts of a row, and of all
  std::int64_t places, portion;  // of a row, and of a part of it

  explicit RowParts(const ChannelSlabs& slabs) : lanes(1), splits(1), places(slabs.places) {
    constexpr std::int64_t plenty = 1 << 18, worth_a_lane = 16;  // threads, elements
    const std::int64_t rows = slabs.samples * slabs.channels;
    const std::int64_t wanted = divided_up(plenty, std::max<std::int64_t>(rows, 1));
    const std::int64_t most = places / worth_a_lane;
    lanes = static_cast<int>(std::bit_floor(static_cast<std::uint64_t>(
        std::clamp<std::int64_t>(std::min(std::max<std::int64_t>(wanted, 8), most), 1, threads))));
    const std::int64_t step = lanes * worth_a_lane;
    const std::int64_t parts = std::max<std::int64_t>(std::min(wanted / lanes, places / step), 1);
    portion = std::max<std::int64_t>(divided_up(divided_up(places, parts), step) * step, 1);
    splits = static_cast<std::uint32_t>(std::max<std::int64_t>(divided_up(places, portion), 1));
    count = static_cast<std::uint32_t>(rows * splits);
  }
  Grid grid(Stream stream) const { return {divided_up(count, threads / lanes), stream}; }
};

/// A thread's share of a part.
struct RowShare {
  Seat seat;
  bool is_there;
  std::int64_t row, begin, end;

  GARBOARD_HD RowShare(const RowParts& parts, int thread, std::uint32_t block)
      : seat(thread, block, parts.lanes, false), is_there(seat.result < parts.count) {
    row = seat.result / parts.splits;
    begin = seat.result % parts.splits * parts.portion;
    end = begin + parts.portion < parts.places ? begin + parts.portion : parts.places;
  }

  /// Calls `take(place, packs, left)` with a pack of each of the rows that `rows` are: the first
  /// `left` elements of it are there.
  template <int inputs, class T, class Take>
  GARBOARD_HD void walk(const RowParts& parts, const T* const (&rows)[inputs], Take take) const {
    constexpr int pack = pack_of<T>, ahead = 4 / inputs;
    bool are_aligned = true;
    for (const T* row : rows) are_aligned &= suits_packs<T, pack>(row);
    const std::int64_t step = parts.lanes * pack;
    std::int64_t i = begin + seat.lane * pack;
    for (; are_aligned && i + (ahead - 1) * step + pack <= end; i += ahead * step) {
      ElementPack<T, pack> items[ahead][inputs];
      for (int k = 0; k < ahead; ++k)
        for (int n = 0; n < inputs; ++n)
          items[k][n] = load_pack<T, pack>(rows[n] + i + k * step, true);
      for (int k = 0; k < ahead; ++k) take(i + k * step, items[k], pack);
    }
    for (; i < end; i += step) {
      const int left = end - i < pack ? static_cast<int>(end - i) : pack;
      ElementPack<T, pack> items[inputs];
      for (int n = 0; n < inputs; ++n)
        for (int k = 0; k < pack; ++k) items[n].item[k] = rows[n][i + (k < left ? k : 0)];
      take(i, items, left);
    }
  }
};

template <class T>
__global__ void find_moments(const __grid_constant__ ChannelTask<T> task,
                             const __grid_constant__ RowParts parts, Moments* found) {
  __shared__ Distances shared[threads / warp_threads];
  const RowShare share(parts, static_cast<int>(threadIdx.x), blockIdx.x);
  auto mine = Distances::none();
  if (share.is_there) {
    const T* const row = task.x + share.row * parts.places;
    mine.begin(row[0]);
    share.walk(parts, {row}, [&](std::int64_t, const auto& items, int left) {
      for (int k = 0; k < pack_of<T>; ++k)
        if (k < left) mine.take(items[0].item[k], 0);
    });
  }
  const auto all = meet_along(shared, mine, share.seat.lane, parts.lanes);
  if (share.is_there && share.seat.lane == 0) found[share.seat.result] = Moments::of(all, 0);
}

/// Lanes for each slab, or channel, of `count` numbers.
int lanes_of_few(std::int64_t count) {
  return static_cast<int>(
      std::bit_floor(static_cast<std::uint64_t>(std::clamp<std::int64_t>(count, 1, threads))));
}

template <class T>
__global__ void merge_moments(const __grid_constant__ ChannelTask<T> task, std::uint32_t splits,
                              int lanes, const Moments* found) {
  __shared__ Moments shared[threads / warp_threads];
  const ChannelSlabs& slabs = task.slabs;
  const Seat seat(static_cast<int>(threadIdx.x), blockIdx.x, lanes, false);
  auto mine = Moments::none();
  if (seat.result < slabs.count)
    for (std::int64_t i = seat.lane; i < slabs.rows * splits; i += lanes)
      mine.merge(found[slabs.row(seat.result, i / splits) * splits + i % splits]);
  const Moments all = meet_along(shared, mine, seat.lane, lanes);
  if (seat.result >= slabs.count || seat.lane > 0) return;
  const double variance = all.result();
  task.means[seat.result] = static_cast<T>(all.mean);
  task.variances[seat.result] = static_cast<T>(variance);
  task.inverses[seat.result] = static_cast<T>(1 / functors::sqrt(variance + task.epsilon));
}

template <class T>
__global__ void normalise(const __grid_constant__ ChannelTask<T> task,
                          const __grid_constant__ RowParts parts, T* out) {
  const RowShare share(parts, static_cast<int>(threadIdx.x), blockIdx.x);
  if (!share.is_there) return;
  const std::int64_t slab = task.slabs.slab_of(share.row);
  const std::int64_t channel = share.row % task.slabs.channels, start = share.row * parts.places;
  const T mean = task.means[slab], inverse = task.inverses[slab];
  const T scale = task.weight ? task.weight[channel] : T(1);
  const T shift = task.bias ? task.bias[channel] : T(0);
  const bool is_aligned = suits_packs<T, pack_of<T>>(out + start);
  share.walk(parts, {task.x + start}, [&](std::int64_t i, const auto& items, int left) {
    ElementPack<T, pack_of<T>> results;
    for (int k = 0; k < pack_of<T>; ++k)
      results.item[k] = (items[0].item[k] - mean) * inverse * scale + shift;
    store_part(out + start + i, results, left, is_aligned);
  });
}

/// Of short rows, which would be lanes of few elements: a slab at once.
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

/// Of a part of a row: the sums of dy, and of dy n, where n = (x - mean) inverse.
struct RowSums {
  double slopes, tilts;

  GARBOARD_HD void merge(const RowSums& other) {
    slopes += other.slopes;
    tilts += other.tilts;
  }
};

template <class T>
__global__ void sum_up_parts(const __grid_constant__ ChannelTask<T> task,
                             const __grid_constant__ RowParts parts, RowSums* of_part,
                             const T* dy) {
  using Sum = Partial<functors::SumOf, T>;
  __shared__ Sum sums[threads / warp_threads];
  const ChannelSlabs& slabs = task.slabs;
  const RowShare share(parts, static_cast<int>(threadIdx.x), blockIdx.x);
  const std::int64_t slab = slabs.slab_of(share.row), start = share.row * parts.places;
  auto slopes = Sum::none(), tilts = Sum::none();
  if (share.is_there) {
    const T mean = task.means[slab];
    share.walk(parts, {dy + start, task.x + start}, [&](std::int64_t, const auto& items, int left) {
      for (int k = 0; k < pack_of<T>; ++k) {
        if (k >= left) continue;
        slopes.add(items[0].item[k]);
        tilts.add(items[0].item[k] * (items[1].item[k] - mean));
      }
    });
  }
  const double sum = meet_along(sums, slopes, share.seat.lane, parts.lanes).result();
  const double tilt = meet_along(sums, tilts, share.seat.lane, parts.lanes).result();
  if (share.is_there && share.seat.lane == 0)
    of_part[share.seat.result] = {sum, tilt * task.inverses[slab]};
}

/// Of a slab: the averages of g = dy weight, and of g n inverse.
template <class T>
struct SlabAverages {
  T slope, tilt;
};

template <class T>
__global__ void average_slabs(const __grid_constant__ ChannelTask<T> task, std::uint32_t splits,
                              int lanes, const RowSums* of_part, SlabAverages<T>* averages) {
  __shared__ RowSums shared[threads / warp_threads];
  const ChannelSlabs& slabs = task.slabs;
  const Seat seat(static_cast<int>(threadIdx.x), blockIdx.x, lanes, false);
  RowSums mine{0, 0};
  if (seat.result < slabs.count)
    for (std::int64_t i = seat.lane; i < slabs.rows * splits; i += lanes) {
      const std::int64_t row = slabs.row(seat.result, i / splits);
      const double weight = task.weight ? double{task.weight[row % slabs.channels]} : 1;
      const RowSums part = of_part[row * splits + i % splits];
      mine.merge({weight * part.slopes, weight * part.tilts});
    }
  const RowSums all = meet_along(shared, mine, seat.lane, lanes);
  if (seat.result >= slabs.count || seat.lane > 0) return;
  const double share = 1 / (static_cast<double>(slabs.rows) * static_cast<double>(slabs.places));
  averages[seat.result] = {static_cast<T>(all.slopes * share),
                           static_cast<T>(all.tilts * share * task.inverses[seat.result])};
}

/// dx = inverse (g - average(g) - n average(g n))
template <class T>
__global__ void channel_norm_gradient(const __grid_constant__ ChannelTask<T> task,
                                      const __grid_constant__ RowParts parts,
                                      const SlabAverages<T>* averages, T* dx, const T* dy) {
  const RowShare share(parts, static_cast<int>(threadIdx.x), blockIdx.x);
  if (!share.is_there) return;
  const ChannelSlabs& slabs = task.slabs;
  const std::int64_t slab = slabs.slab_of(share.row), start = share.row * parts.places;
  const T weight = task.weight ? task.weight[share.row % slabs.channels] : T(1);
  const T mean = task.means[slab], inverse = task.inverses[slab];
  const SlabAverages<T> average = averages[slab];
  const bool is_aligned = suits_packs<T, pack_of<T>>(dx + start);
  share.walk(parts, {dy + start, task.x + start}, [&](std::int64_t i, const auto& items, int left) {
    ElementPack<T, pack_of<T>> results;
    for (int k = 0; k < pack_of<T>; ++k)
      results.item[k] = inverse * ((items[0].item[k] * weight - average.slope) -
                                   (items[1].item[k] - mean) * average.tilt);
    store_part(dx + start + i, results, left, is_aligned);
  });
}

template <class T>
__global__ void sum_up_channels(const ChannelSlabs slabs, std::uint32_t splits, int lanes,
                                const RowSums* of_part, T* d_weight, T* d_bias) {
  __shared__ RowSums shared[threads / warp_threads];
  const Seat seat(static_cast<int>(threadIdx.x), blockIdx.x, lanes, false);
  const std::int64_t channel = seat.result;
  RowSums mine{0, 0};
  if (channel < slabs.channels)
    for (std::int64_t i = seat.lane; i < slabs.samples * splits; i += lanes)
      mine.merge(of_part[(i / splits * slabs.channels + channel) * splits + i % splits]);
  const RowSums all = meet_along(shared, mine, seat.lane, lanes);
  if (channel >= slabs.channels || seat.lane > 0) return;
  if (d_weight) d_weight[channel] = static_cast<T>(all.tilts);
  if (d_bias) d_bias[channel] = static_cast<T>(all.slopes);
}

template <class T>
void gradients_of(const ChannelNormGradient& to, Stream stream) {
  const ChannelTask<T> task(to.of);
  const ChannelSlabs& slabs = task.slabs;
  const RowParts parts(slabs);
  const T* const dy = to.d_out.as<T>();
  const Scratch part_memory(parts.count * sizeof(RowSums), stream);
  auto* const of_part = part_memory.as<RowSums>();
  if (parts.count > 0) launch(sum_up_parts<T>, parts.grid(stream), task, parts, of_part, dy);
  if (to.d_x.data && to.d_x.count > 0) {
    const Scratch slab_memory(slabs.count * sizeof(SlabAverages<T>), stream);
    auto* const averages = slab_memory.as<SlabAverages<T>>();
    const int lanes = lanes_of_few(slabs.rows * parts.splits);
    launch(average_slabs<T>, {divided_up(slabs.count, threads / lanes), stream}, task, parts.splits,
           lanes, of_part, averages);
    launch(channel_norm_gradient<T>, parts.grid(stream), task, parts, averages, to.d_x.as<T>(), dy);
  }
  if ((to.d_weight.data || to.d_bias.data) && slabs.channels > 0) {
    const int lanes = lanes_of_few(slabs.samples * parts.splits);
    launch(sum_up_channels<T>, {divided_up(slabs.channels, threads / lanes), stream}, slabs,
           parts.splits, lanes, of_part, to.d_weight.as<T>(), to.d_bias.as<T>());
  }
}

template <class T>
void normalise_all(const ChannelNorm& of, Stream stream) {
  constexpr std::int64_t long_row = 32;
  const ChannelTask<T> task(of);
  const ChannelSlabs& slabs = task.slabs;
  if (slabs.count == 0) return;
  const RowParts parts(slabs);
  if (slabs.places < long_row || parts.count == 0)
    return launch(channel_norm<T>, {divided_up(slabs.count, threads / task.lanes), stream}, task,
                  of.out.as<T>());
  const Scratch memory(parts.count * sizeof(Moments), stream);
  auto* const moments = memory.as<Moments>();
  const int lanes = lanes_of_few(slabs.rows * parts.splits);
  launch(find_moments<T>, parts.grid(stream), task, parts, moments);
  launch(merge_moments<T>, {divided_up(slabs.count, threads / lanes), stream}, task, parts.splits,
         lanes, moments);
  launch(normalise<T>, parts.grid(stream), task, parts, of.out.as<T>());
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
  visit_single_or_double(of.name, of.x.dtype,
                         [&]<class T>(Type<T>) { normalise_all<T>(of, stream); });
}
template <>
void kernel(const ChannelNormGradient& to, Stream stream) {
  visit_single_or_double(to.name, to.of.x.dtype,
                         [&]<class T>(Type<T>) { gradients_of<T>(to, stream); });
}

}  // namespace garboard::kernels::cuda
