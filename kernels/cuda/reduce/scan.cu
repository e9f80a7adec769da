// Running results along a dim: sums and products of floats in double, of all else in uint64. Every
// element is read once where slices are dense: a slice has a block, or, where slices are few, a
// chain of them, which hand to each other what they have come to. Others are cut into tiles: what
// each comes to is found first, then what comes before each, and then all is written. The order of
// what is added follows from sizes and strides alone.
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

/// Elements that a thread has at once.
constexpr std::int64_t scan_items = 16;

/// What a thread has of the next elements of a dense slice: packs, a warp's threads side by side.
/// If `is_whole`, all of them are there.
template <class Running, class T, bool is_whole>
struct ScanItems {
  static constexpr int pack = pack_of<T, 8>, packs = static_cast<int>(scan_items) / pack;

  ElementPack<T, pack> items[packs];
  Running ahead[packs];  // what the warp's elements before a pack have come to
  Running all;           // and all of the warp
  std::int64_t start;    // where in the slice its first pack stands
  int left;              // elements that are there from `start` on, as far as packs go
  int step;              // from a pack to the next

  /// `width` threads share the elements; all of the warp take part.
  __device__ ScanItems(const T* row, std::int64_t start, std::int64_t left, int lane, int width)
      : all(Running::none()),
        start(start),
        left(static_cast<int>(left < threads * scan_items ? left : threads * scan_items)),
        step(width * pack) {
    const bool is_aligned = suits_packs<T, pack>(row);
    unrolled<packs>([&](int k) {
      const T* const at = row + start + k * step;
      if (is_whole || (is_aligned && left_of(k) >= pack))
        items[k] = load_pack<T, pack>(at, is_aligned);
      else
        for (int i = 0; i < pack; ++i)
          if (i < left_of(k)) items[k].item[i] = load_pack<T, 1>(at + i, true).item[0];
    });
    unrolled<packs>([&](int k) {
      auto mine = Running::none();
      for (int i = 0; i < pack; ++i) take(mine, k, i);
      for (int before = 1; before < width; before *= 2) {
        Running both = of_earlier_lane(mine, before);
        if (lane < before) continue;
        both.merge(mine);
        mine = both;
      }
      ahead[k] = all;
      const Running earlier = of_earlier_lane(mine, 1);
      if (lane > 0) ahead[k].merge(earlier);
      const int t = static_cast<int>(threadIdx.x);
      all.merge(of_lane(mine, t / width * width + width - 1));
    });
  }

  /// Elements from pack k on.
  __device__ int left_of(int k) const { return left - k * step; }
  __device__ void take(Running& so_far, int k, int i) const {
    if (is_whole || i < left_of(k)) so_far.merge(Running::of(items[k][i], start + k * step + i));
  }
  /// Writes the results of a slice whose elements before the warp's have come to `base`.
  template <class Results, int operands>
  __device__ void write(const Results& results, const Slice<operands>& slice,
                        const Running& base) const {
    unrolled<packs>([&](int k) {
      if (!is_whole && left_of(k) <= 0) return;
      Running running = base, found[pack];
      running.merge(ahead[k]);
      unrolled<pack>([&](int i) {
        take(running, k, i);
        found[i] = running;
      });
      std::int64_t at[operands];
      for (int o = 0; o < operands; ++o) at[o] = slice.start[o] + start + k * step;
      results.write_pack(at, found, is_whole ? pack : left_of(k));
    });
  }
};

/// Slices whose elements stand one behind the other, a block having all of some. Warps meet in
/// shared memory.
template <class Running, class T, class Results, int operands>
__global__ void scan_rows(const __grid_constant__ Slices<operands> slices, Results results,
                          const T* x) {
  __shared__ Running shared[threads / warp_threads];
  const int t = static_cast<int>(threadIdx.x);
  const Slice<operands> slice(slices, t, blockIdx.x);
  const int width = slices.lanes < warp_threads ? slices.lanes : warp_threads;
  const int lane = slice.seat.lane % width, warp = t / warp_threads;
  const T* const row = x + slice.start[operands - 1];
  auto carry = Running::none();
  for (std::int64_t from = 0; from < slices.size; from += slices.lanes * scan_items) {
    const std::int64_t start = from + slice.seat.lane / width * (width * scan_items) +
                               lane * ScanItems<Running, T, false>::pack;
    const ScanItems<Running, T, false> mine(row, start, slice.size > 0 ? slice.size - start : 0,
                                            lane, width);
    Running base = carry;
    if (slices.lanes > warp_threads) {
      if (lane == 0) shared[warp] = mine.all;
      __syncthreads();
      const int first_warp = (t - slice.seat.lane) / warp_threads;
      for (int w = first_warp; w < first_warp + slices.lanes / warp_threads; ++w) {
        if (w == warp) base = carry;
        carry.merge(shared[w]);
      }
      __syncthreads();
    } else {
      carry.merge(mine.all);
    }
    mine.write(results, slice, base);
  }
}

/// What blocks hand to those behind them: what a tile has come to, and what all of a slice has up
/// to a tile whose number is a multiple of `threads`. Flags and tickets are 0 at first.
template <class Running>
struct ScanChain {
  Running* values;
  unsigned *flags, *tickets;
  std::int64_t tiles, sums;  // of a slice; `sums` of several tiles each
  std::int64_t slices;

  static constexpr int word_count = sizeof(Running) / sizeof(typename InWords<Running>::Word);

  std::int64_t count() const { return slices * (tiles + sums); }
  __device__ std::int64_t tile(std::int64_t slice, std::int64_t number) const {
    return slice * tiles + number;
  }
  __device__ std::int64_t sum(std::int64_t slice, std::int64_t first_tile) const {
    return slices * tiles + slice * sums + first_tile / threads;
  }

  __device__ void give(std::int64_t place, const Running& value) const {
    const auto words = __builtin_bit_cast(InWords<Running>, value);
    auto* const to = reinterpret_cast<volatile InWords<Running>*>(values + place);
    for (int i = 0; i < word_count; ++i) to->word[i] = words.word[i];
    __threadfence();  // who sees the flag sees the value
    const_cast<volatile unsigned&>(flags[place]) = 1;
  }
  __device__ Running await(std::int64_t place) const {
    while (const_cast<volatile unsigned&>(flags[place]) == 0) {
    }
    __threadfence();
    InWords<Running> words;
    const auto* const from = reinterpret_cast<const volatile InWords<Running>*>(values + place);
    for (int i = 0; i < word_count; ++i) words.word[i] = from->word[i];
    return __builtin_bit_cast(Running, words);
  }
};

__global__ void clear_flags(unsigned* flags, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i < count) flags[i] = 0;
}

/// What a block does with a tile of a slice of a chain.
template <bool is_whole, class Running, class T, class Results, int operands>
__device__ void scan_tile(Running* shared, const Slice<operands>& slice, std::int64_t number,
                          const Results& results, const ScanChain<Running>& chain, const T* x) {
  using Items = ScanItems<Running, T, is_whole>;
  const int t = static_cast<int>(threadIdx.x), lane = t % warp_threads, warp = t / warp_threads;
  const std::int64_t start =
      number * (threads * scan_items) + warp * (warp_threads * scan_items) + lane * Items::pack;
  const Items mine(x + slice.start[operands - 1], start, slice.size - start, lane, warp_threads);
  if (lane == 0) shared[warp] = mine.all;
  __syncthreads();
  auto base = Running::none(), all = Running::none();
  for (int w = 0; w < threads / warp_threads; ++w) {
    if (w == warp) base = all;
    all.merge(shared[w]);
  }
  __syncthreads();
  const std::int64_t of = slice.seat.result;
  if (t == 0) chain.give(chain.tile(of, number), all);

  const int since = static_cast<int>(number % threads);  // the last sum
  const std::int64_t first = number - since;
  Running before = t < since ? chain.await(chain.tile(of, first + t)) : Running::none();
  before = meet_along(shared, before, t, threads);
  if (first > 0) {
    Running sum = chain.await(chain.sum(of, first));
    sum.merge(before);
    before = sum;
  }
  if (t == 0 && since == threads - 1 && number + 1 < chain.tiles) {
    Running sum = before;
    sum.merge(all);
    chain.give(chain.sum(of, number + 1), sum);
  }
  before.merge(base);
  mine.write(results, slice, before);
}

/// Likewise, a block having a tile of a slice. It takes the next one when it begins, so those that
/// it waits for are at work. It asks the tiles since the last sum what they have come to, each of
/// which has not waited for that, and adds them to the sum; the last one hands on the next sum.
template <class Running, class T, class Results, int operands>
__global__ void __launch_bounds__(threads, 4)
    scan_chain(const __grid_constant__ Slices<operands> slices, Results results,
               const ScanChain<Running> chain, const T* x) {
  __shared__ Running shared[threads / warp_threads];
  __shared__ unsigned ticket;
  const int t = static_cast<int>(threadIdx.x);
  if (t == 0) ticket = atomicAdd(chain.tickets, 1u);
  __syncthreads();
  const auto count = static_cast<unsigned>(chain.slices);
  const auto number = static_cast<std::int64_t>(ticket / count);
  const Slice<operands> slice(slices, t, ticket % count);
  if ((number + 1) * (threads * scan_items) <= slice.size)
    scan_tile<true>(shared, slice, number, results, chain, x);
  else
    scan_tile<false>(shared, slice, number, results, chain, x);
}

/// Of columns, what a launch finds: `totals`, of each tile what it comes to, or else the results.
/// Before what a tile comes to stands what all before it have come to; where there is one tile
/// alone, nothing.
template <class Running, class Results>
struct ScanTarget {
  Results results;
  const Running* before;
  Running* totals;
};

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
void scan_dense(Slices<operands> slices, Results results, const T* x, Stream stream) {
  constexpr std::int64_t enough_blocks = 1024, tile = threads * scan_items;
  slices.is_across = false;
  slices.lanes = lanes_for(slices.size);
  const std::int64_t blocks = slices.blocks();
  if (slices.size <= tile || blocks >= enough_blocks)
    return launch(scan_rows<Running, T, Results, operands>, {blocks, stream}, slices, results, x);
  const std::int64_t tiles = divided_up(slices.size, tile);
  ScanChain<Running> chain{nullptr,
                           nullptr,
                           nullptr,
                           tiles,
                           divided_up(tiles, threads),
                           std::int64_t{slices.starts.count}};
  const std::int64_t flags = chain.count() + 1;
  const auto bytes = static_cast<std::size_t>(chain.count()) * sizeof(Running);
  const Scratch scratch(bytes + static_cast<std::size_t>(flags) * sizeof(unsigned), stream);
  chain.values = scratch.as<Running>();
  chain.flags = reinterpret_cast<unsigned*>(scratch.as<std::byte>() + bytes);
  chain.tickets = chain.flags + chain.count();
  launch(clear_flags, {divided_up(flags, threads), stream}, chain.flags, flags);
  launch(scan_chain<Running, T, Results, operands>, {chain.slices * tiles, stream}, slices, results,
         chain, x);
}

template <class Running, class T, class Results, int operands>
void scan_any(Slices<operands> slices, Results results, const T* x, Stream stream) {
  constexpr std::int64_t enough_blocks = 1024, least_tile = 64;
  slices.is_across = true;
  slices.lanes = 1;
  const std::int64_t groups = slices.blocks(), most = divided_up(enough_blocks, groups);
  const std::int64_t tile = std::max(divided_up(slices.size, most), least_tile);
  const Tiling tiling{static_cast<std::uint32_t>(groups), divided_up(slices.size, tile), tile};
  const Grid grid{groups * tiling.tiles, stream};
  const std::int64_t count = slices.starts.count;
  const bool has_tiles = tiling.tiles > 1;
  const Scratch scratch(has_tiles ? tiling.tiles * count * sizeof(Running) : 0, stream);
  auto* const before = has_tiles ? scratch.as<Running>() : nullptr;
  const auto kernel = scan_columns<Running, T, Results, operands>;
  if (has_tiles) {
    launch(kernel, grid, slices, tiling, {results, nullptr, before}, x);
    const int lanes = lanes_for(tiling.tiles);
    launch(put_before<Running>, {divided_up(count, threads / lanes), stream}, before, count,
           tiling.tiles, lanes);
  }
  launch(kernel, grid, slices, tiling, {results, before, nullptr}, x);
}

template <class Running, class T, class Results, int operands>
void scan(const View* const (&views)[operands], int dim, Results results, Stream stream) {
  for_each_part_of_slices(views, dim, [&](const Slices<operands>& slices, const auto& starts) {
    bool is_dense = slices.size > 1;
    for (const std::int64_t stride : slices.strides) is_dense &= stride == 1;
    const T* const x = views[operands - 1]->template as<T>() + starts[operands - 1];
    const auto run = is_dense ? scan_dense<Running, T, Results, operands>
                              : scan_any<Running, T, Results, operands>;
    run(slices, results.moved(starts), x, stream);
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
