// Running results along a dim: sums and products of floats in double, of all else in uint64. Where
// slices are few they are cut into tiles: what each comes to is found first, then what comes before
// each, and then all is written; otherwise each element is read once. The order of what is added
// follows from sizes and strides alone.
#include "kernels/cuda/launch/held_row.h"
#include "kernels/cuda/launch/launch_plan.h"
#include "kernels/cuda/launch/parts.h"
#include "kernels/cuda/launch/slices.h"
#include "kernels/cuda/reduce/running.h"

namespace garboard::kernels::cuda {
namespace {

/// How slices are cut: into `tiles` of `size` elements, the last one shorter.
struct Tiling {
  std::uint32_t groups;  // blocks that have a lane for each slice
  std::int64_t tiles, size;
};

/// What a launch finds: `totals`, of each tile what it comes to, or else the results. Before what a
/// tile comes to stands what all before it have come to; where there is one tile alone, nothing.
template <class Running, class Results>
struct ScanTarget {
  Results results;
  const Running* before;
  Running* totals;
};

/// Elements that a thread has at once.
constexpr std::int64_t scan_items = 16;

/// Slices whose elements stand one behind the other. Lanes take a pack each, and a warp several of
/// them; warps meet in shared memory.
template <class Running, class T, class Results, int operands>
__global__ void scan_rows(const __grid_constant__ Slices<operands> slices, Tiling tiling,
                          const ScanTarget<Running, Results> to, const T* x) {
  constexpr int pack = pack_of<T, 8>, packs = static_cast<int>(scan_items) / pack;
  __shared__ Running shared[threads / warp_threads];
  const int t = static_cast<int>(threadIdx.x);
  // What was read last is still in the cache: the results begin there.
  std::int64_t tile = blockIdx.x / tiling.groups;
  if (to.before) tile = tiling.tiles - 1 - tile;
  const Slice<operands> slice(slices, t, blockIdx.x % tiling.groups);
  const int width = slices.lanes < warp_threads ? slices.lanes : warp_threads;
  const int lane = slice.seat.lane % width, warp = t / warp_threads;
  const T* const row = x + slice.start[operands - 1];
  const bool is_aligned = suits_packs<T, pack>(row);
  const std::int64_t first = tile * tiling.size;
  const std::int64_t last = first + tiling.size < slices.size ? first + tiling.size : slices.size;
  auto carry = Running::none();
  if (to.before && slice.size > 0)
    carry = to.before[tile * slices.starts.count + slice.seat.result];
  for (std::int64_t from = first; from < last; from += slices.lanes * scan_items) {
    const std::int64_t start = from + slice.seat.lane / width * (width * scan_items) + lane * pack;
    const auto left_of = [&](int k) {  // elements from pack k on
      return slice.size > 0 ? last - start - k * width * pack : 0;
    };
    ElementPack<T, pack> items[packs];
    unrolled<packs>([&](int k) {
      const T* const at = row + start + k * width * pack;
      if (is_aligned && left_of(k) >= pack)
        items[k] = load_pack<T, pack>(at, true);
      else
        for (int i = 0; i < pack; ++i)
          if (i < left_of(k)) items[k].item[i] = load_pack<T, 1>(at + i, true).item[0];
    });
    const auto take = [&](Running& so_far, int k, int i) {
      if (i < left_of(k)) so_far.merge(Running::of(items[k][i], start + k * width * pack + i));
    };
    Running ahead[packs];  // what the warp's elements before a pack have come to
    auto so_far = Running::none();
    unrolled<packs>([&](int k) {
      auto mine = Running::none();
      for (int i = 0; i < pack; ++i) take(mine, k, i);
      for (int step = 1; step < width; step *= 2) {
        Running both = of_earlier_lane(mine, step);
        if (lane < step) continue;
        both.merge(mine);
        mine = both;
      }
      ahead[k] = so_far;
      const Running earlier = of_earlier_lane(mine, 1);
      if (lane > 0) ahead[k].merge(earlier);
      so_far.merge(of_lane(mine, t / width * width + width - 1));
    });
    Running base = carry;
    if (slices.lanes > warp_threads) {
      if (lane == 0) shared[warp] = so_far;
      __syncthreads();
      const int first_warp = (t - slice.seat.lane) / warp_threads;
      for (int w = first_warp; w < first_warp + slices.lanes / warp_threads; ++w) {
        if (w == warp) base = carry;
        carry.merge(shared[w]);
      }
      __syncthreads();
    } else {
      carry.merge(so_far);
    }
    if (to.totals) continue;
    unrolled<packs>([&](int k) {
      if (left_of(k) <= 0) return;
      Running running = base, found[pack];
      running.merge(ahead[k]);
      unrolled<pack>([&](int i) {
        take(running, k, i);
        found[i] = running;
      });
      std::int64_t at[operands];
      for (int o = 0; o < operands; ++o) at[o] = slice.start[o] + start + k * width * pack;
      to.results.write_pack(at, found, left_of(k));
    });
  }
  if (to.totals && slice.size > 0 && slice.seat.lane == 0)
    to.totals[tile * slices.starts.count + slice.seat.result] = carry;
}

/// Slices of any strides: a thread has a tile of one for itself.
template <class Running, class T, class Results, int operands>
__global__ void scan_columns(const __grid_constant__ Slices<operands> slices, Tiling tiling,
                             const ScanTarget<Running, Results> to, const T* x) {
  constexpr int ahead = strided_in_flight;
  const std::int64_t tile = blockIdx.x / tiling.groups;
  const Slice<operands> slice(slices, static_cast<int>(threadIdx.x), blockIdx.x % tiling.groups);
  if (slice.size == 0) return;
  const std::int64_t first = tile * tiling.size, total = tile * slices.starts.count;
  const std::int64_t last = first + tiling.size < slice.size ? first + tiling.size : slice.size;
  auto so_far = to.before ? to.before[total + slice.seat.result] : Running::none();
  for (std::int64_t i = first; i < last; i += ahead) {
    std::int64_t at[ahead][operands];
    T items[ahead];
    for (int k = 0; k < ahead; ++k) {
      for (int o = 0; o < operands; ++o) at[k][o] = slice.start[o] + (i + k) * slices.strides[o];
      if (i + k < last) items[k] = load_pack<T, 1>(x + at[k][operands - 1], true)[0];
    }
    for (int k = 0; k < ahead; ++k) {
      if (i + k >= last) break;
      so_far.merge(Running::of(items[k], i + k));
      if (!to.totals) to.results.write(at[k], so_far);
    }
  }
  if (to.totals) to.totals[total + slice.seat.result] = so_far;
}

/// Of each slice: what a tile comes to is replaced by what those before it come to.
template <class Running>
__global__ void put_before(Running* totals, std::int64_t slices, std::int64_t tiles, int lanes) {
  __shared__ Running shared[threads];
  const int t = static_cast<int>(threadIdx.x);
  const Seat seat(t, blockIdx.x, lanes, false);
  auto before = Running::none();
  for (std::int64_t from = 0; from < tiles; from += lanes * scan_items) {
    const std::int64_t first = from + seat.lane * scan_items;
    const std::int64_t end = seat.result < slices ? tiles : 0;
    auto mine = Running::none();
    for (std::int64_t i = first; i < end && i < first + scan_items; ++i)
      mine.merge(totals[i * slices + seat.result]);
    const Running so_far = scan_lanes(shared, mine, seat, lanes);
    shared[t] = so_far;
    __syncthreads();
    Running running = before;
    if (seat.lane > 0) running.merge(shared[t - 1]);
    before.merge(shared[t - seat.lane + lanes - 1]);
    __syncthreads();
    for (std::int64_t i = first; i < end && i < first + scan_items; ++i) {
      const Running here = totals[i * slices + seat.result];
      totals[i * slices + seat.result] = running;
      running.merge(here);
    }
  }
}

/// Lanes for rows of `size` elements, so that they have all of a row at once where they can.
int lanes_for(std::int64_t size) {
  const auto wanted = static_cast<std::uint64_t>(divided_up(size, scan_items));
  return static_cast<int>(std::min<std::uint64_t>(std::bit_ceil(wanted), threads));
}

template <class Running, class T, class Results, int operands>
void scan(const View* const (&views)[operands], int dim, Results results, Stream stream) {
  constexpr std::int64_t enough_blocks = 1024, least_tile = 64;
  for_each_part_of_slices(views, dim, [&](Slices<operands> slices, const auto& starts) {
    bool is_dense = slices.size > 1;
    for (const std::int64_t stride : slices.strides) is_dense &= stride == 1;
    slices.is_across = !is_dense;
    slices.lanes = is_dense ? lanes_for(slices.size) : 1;
    const std::int64_t groups = slices.blocks(), most = divided_up(enough_blocks, groups);
    std::int64_t tile = slices.size;
    if (is_dense && groups < enough_blocks)
      tile = slices.lanes * scan_items;
    else if (!is_dense)
      tile = std::max(divided_up(slices.size, most), least_tile);
    const Tiling tiling{static_cast<std::uint32_t>(groups), divided_up(slices.size, tile), tile};
    const auto kernel = is_dense ? scan_rows<Running, T, Results, operands>
                                 : scan_columns<Running, T, Results, operands>;
    const T* const x = views[operands - 1]->template as<T>() + starts[operands - 1];
    const Grid grid{groups * tiling.tiles, stream};
    const std::int64_t count = slices.starts.count;
    const bool has_tiles = tiling.tiles > 1;
    const Scratch scratch(has_tiles ? tiling.tiles * count * sizeof(Running) : 0, stream);
    auto* const before = has_tiles ? scratch.as<Running>() : nullptr;
    if (has_tiles) {
      launch(kernel, grid, slices, tiling, {results.moved(starts), nullptr, before}, x);
      const int lanes = lanes_for(tiling.tiles);
      launch(put_before<Running>, {divided_up(count, threads / lanes), stream}, before, count,
             tiling.tiles, lanes);
    }
    launch(kernel, grid, slices, tiling, {results.moved(starts), before, nullptr}, x);
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
