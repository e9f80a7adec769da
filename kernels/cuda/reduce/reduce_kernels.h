// The kernels of reductions: each element is read once. Dense rows and columns go by packs, several
// of them in flight; views of other strides by elements. A block's threads meet in a fixed order,
// and where several blocks share a result, what they found meets in a second launch.
#pragma once

#include "kernels/cuda/launch/lanes.h"
#include "kernels/cuda/launch/packs.h"

namespace garboard::kernels::cuda {

/// What a thread takes elements into: the `Partial` itself, unless that names something leaner.
template <class Partial>
struct TakenBy {
  using Type = Partial;
};
template <class Partial>
requires requires { typename Partial::TakenElements; }
struct TakenBy<Partial> {
  using Type = typename Partial::TakenElements;
};
template <class Partial>
using TakenElements = typename TakenBy<Partial>::Type;

/// `taken` begins with the first element of the slice, where that matters to it.
template <class TakenElements, class T>
GARBOARD_HD void begin_with(TakenElements& taken, T first) {
  if constexpr (requires { taken.begin(first); }) taken.begin(first);
}

/// What elements have come to whose places were counted from `first_place` on.
template <class Partial>
GARBOARD_HD Partial brought(const TakenElements<Partial>& taken, std::int64_t first_place) {
  if constexpr (std::is_same_v<Partial, TakenElements<Partial>>)
    return taken;
  else
    return Partial::of(taken, first_place);
}

inline constexpr int loads_in_flight = 4;

/// `operands` are x, and what results are written to.
template <int operands>
struct ReduceTask {
  OffsetCalculator<operands> results;
  OffsetCalculator<1> elements;  // of one result, in x
  std::int64_t first_place;      // how many elements of it come before these
  int lanes;
  bool is_across;
  std::uint32_t splits;
  std::uint32_t portion;  // of dense rows and columns: elements that a block takes
  bool is_aligned;        // of columns: they suit packs
};

/// Where a block's result goes: to `partials`, where there are some, a row of them for each split.
template <class Partial, class Results, int operands>
GARBOARD_HD void hand_over(const ReduceTask<operands>& task, const Partial& all,
                           std::uint32_t split, std::uint32_t result, const Results& results,
                           Partial* partials) {
  if (partials)
    partials[std::int64_t{split} * task.results.count + result] = all;
  else
    results.write(task.results.at(result).of, all);
}

/// A `Partial` begins as `none()`, will `take(element, place)` and `merge(partial)`.
template <class Partial, class T, class Results, int operands>
__global__ void reduce_elements(const __grid_constant__ ReduceTask<operands> task, const T* x,
                                Results results, Partial* partials) {
  __shared__ TakenElements<Partial> shared[threads];
  const std::uint32_t split = blockIdx.x % task.splits;
  const Seat seat(static_cast<int>(threadIdx.x), blockIdx.x / task.splits, task.lanes,
                  task.is_across);
  auto mine = TakenElements<Partial>::none();
  const std::uint32_t count = task.elements.count;
  if (seat.result < task.results.count && count > 0) {
    const std::int64_t start = task.results.at(seat.result).of[0];
    const auto* const memory = reinterpret_cast<const functors::InMemory<T>*>(x) + start;
    const auto read = [&](std::uint32_t i) {
      return functors::loaded<T>(memory[task.elements.at(i).of[0]]);
    };
    begin_with(mine, read(0));
    const std::uint32_t step = task.lanes * task.splits;
    std::uint32_t i = split * task.lanes + seat.lane;
    for (; i + (loads_in_flight - 1) * step < count; i += loads_in_flight * step) {
      T ahead[loads_in_flight];
      for (int k = 0; k < loads_in_flight; ++k) ahead[k] = read(i + k * step);
      for (int k = 0; k < loads_in_flight; ++k) mine.take(ahead[k], i + k * step);
    }
    for (; i < count; i += step) mine.take(read(i), i);
  }
  const auto all = meet(shared, mine, seat, task.lanes);
  if (seat.lane == 0 && seat.result < task.results.count)
    hand_over(task, brought<Partial>(all, task.first_place), split, seat.result, results, partials);
}

/// The same of rows whose elements stand one behind the other.
template <class Partial, class T, class Results, int operands>
__global__ void reduce_rows(const __grid_constant__ ReduceTask<operands> task, const T* x,
                            Results results, Partial* partials) {
  constexpr int pack = pack_of<T, 8>, ahead = sizeof(T) < 4 ? 2 : packs_ahead;
  __shared__ TakenElements<Partial> shared[threads / warp_threads];
  const std::uint32_t split = blockIdx.x % task.splits;
  const Seat seat(static_cast<int>(threadIdx.x), blockIdx.x / task.splits, task.lanes, false);
  auto mine = TakenElements<Partial>::none();
  const std::uint32_t count = task.elements.count;
  if (seat.result < task.results.count && count > 0) {
    const T* const row = x + task.results.at(seat.result).of[0];
    const bool is_aligned = suits_packs<T, pack>(row);
    const auto take = [&](const ElementPack<T, pack>& items, std::uint32_t from) {
      for (int k = 0; k < pack; ++k) mine.take(items[k], from + k);
    };
    begin_with(mine, load_pack<T, 1>(row, true)[0]);
    const std::uint32_t begin = split * task.portion, step = task.lanes * pack;
    const std::uint32_t end = count - begin < task.portion ? count : begin + task.portion;
    std::uint32_t i = begin + seat.lane * pack;
    for (; is_aligned && i + (ahead - 1) * step + pack <= end; i += ahead * step) {
      ElementPack<T, pack> items[ahead];
      for (int k = 0; k < ahead; ++k) items[k] = load_pack<T, pack>(row + i + k * step, true);
      for (int k = 0; k < ahead; ++k) take(items[k], i + k * step);
    }
    for (; i + pack <= end; i += step) take(load_pack<T, pack>(row + i, is_aligned), i);
    for (; i < end; ++i) mine.take(load_pack<T, 1>(row + i, true)[0], i);
  }
  const auto all = meet_along(shared, mine, seat.lane, task.lanes);
  if (seat.lane == 0 && seat.result < task.results.count)
    hand_over(task, brought<Partial>(all, task.first_place), split, seat.result, results, partials);
}

/// Neighbouring columns that a thread takes at once.
template <class T>
inline constexpr int columns_of = pack_of<T, 4>;

/// The same of columns that stand side by side, as many as fill packs.
template <class Partial, class T, class Results, int operands>
__global__ void reduce_columns(const __grid_constant__ ReduceTask<operands> task, const T* x,
                               Results results, Partial* partials) {
  constexpr int columns = columns_of<T>;
  __shared__ TakenElements<Partial> shared[columns][threads];
  const std::uint32_t split = blockIdx.x % task.splits;
  const int t = static_cast<int>(threadIdx.x);
  const Seat seat(t, blockIdx.x / task.splits, task.lanes, true);
  const std::uint32_t first = seat.result * columns;
  TakenElements<Partial> mine[columns];
  for (auto& each : mine) each = TakenElements<Partial>::none();
  const bool is_there = first < task.results.count;
  const std::uint32_t count = task.elements.count;
  if (is_there && count > 0) {
    const T* const start = x + task.results.at(first).of[0];
    const auto read = [&](std::uint32_t i, bool is_aligned) {
      return load_pack<T, columns>(start + task.elements.at(i).of[0], is_aligned);
    };
    const auto take = [&](const ElementPack<T, columns>& items, std::uint32_t place) {
      for (int k = 0; k < columns; ++k) mine[k].take(items[k], place);
    };
    const ElementPack<T, columns> top = read(0, task.is_aligned);
    for (int k = 0; k < columns; ++k) begin_with(mine[k], top[k]);
    const std::uint32_t begin = split * task.portion, step = task.lanes;
    const std::uint32_t end = count - begin < task.portion ? count : begin + task.portion;
    std::uint32_t i = begin + seat.lane;
    for (; task.is_aligned && i + (loads_in_flight - 1) * step < end; i += loads_in_flight * step) {
      ElementPack<T, columns> items[loads_in_flight];
      for (int k = 0; k < loads_in_flight; ++k) items[k] = read(i + k * step, true);
      for (int k = 0; k < loads_in_flight; ++k) take(items[k], i + k * step);
    }
    for (; i < end; i += step) take(read(i, task.is_aligned), i);
  }
  for (int k = 0; k < columns; ++k) shared[k][t] = mine[k];
  __syncthreads();
  int lanes = task.lanes;
  for (; lanes > 8; lanes /= 2) {
    for (int k = 0; seat.lane < lanes / 2 && k < columns; ++k)
      shared[k][t].merge(shared[k][t + lanes / 2 * seat.lane_step]);
    __syncthreads();
  }
  // From here on a thread has a column of its own, so that results are written side by side.
  const std::uint32_t first_of_block = blockIdx.x / task.splits * seat.lane_step * columns;
  for (int column = t; column < seat.lane_step * columns; column += threads) {
    if (first_of_block + column >= task.results.count) break;
    const TakenElements<Partial>* const found = &shared[column % columns][column / columns];
    auto all = found[0];
    for (int lane = 1; lane < lanes; ++lane) all.merge(found[lane * seat.lane_step]);
    hand_over(task, brought<Partial>(all, task.first_place), split, first_of_block + column,
              results, partials);
  }
}

/// Brings `rows` rows of partials together.
template <class Partial, class Results, int operands>
__global__ void reduce_partials(const __grid_constant__ OffsetCalculator<operands> offsets,
                                int lanes, bool is_across, std::uint32_t rows, Results results,
                                const Partial* partials) {
  __shared__ Partial shared[threads];
  const Seat seat(static_cast<int>(threadIdx.x), blockIdx.x, lanes, is_across);
  auto mine = Partial::none();
  if (seat.result < offsets.count)
    for (std::uint32_t row = seat.lane; row < rows; row += lanes)
      mine.merge(partials[std::int64_t{row} * offsets.count + seat.result]);
  const Partial all = meet(shared, mine, seat, lanes);
  if (seat.lane == 0 && seat.result < offsets.count) results.write(offsets.at(seat.result).of, all);
}

}  // namespace garboard::kernels::cuda
