// Reductions: each thread takes every n-th element, a block's threads meet in a tree, and
// where several blocks share a result a second launch brings theirs together by the same tree. The
// order follows from sizes and strides alone, so results are the same in every run, on every GPU.
// Each element is read once.
#include "kernels/functors/reduce.h"

#include "kernels/cuda/launch/launch.h"
#include "kernels/cuda/launch/parts.h"

namespace garboard::kernels::cuda {
namespace {

constexpr int loads_in_flight = 4;

/// What some elements have come to.
template <class F, class R>
struct Partial {
  R value;

  GARBOARD_HD static Partial none() { return {F::template identity<R>}; }
  GARBOARD_HD void add(R x) { value = F{}(value, x); }
  GARBOARD_HD void merge(const Partial& other) { add(other.value); }
  GARBOARD_HD R result() const { return value; }
};

/// Memory sets the pace, so digits are free.
template <>
struct Partial<functors::SumOf, float> {
  double value;

  GARBOARD_HD static Partial none() { return {0}; }
  GARBOARD_HD void add(float x) { value += x; }
  GARBOARD_HD void merge(const Partial& other) { value += other.value; }
  GARBOARD_HD float result() const { return static_cast<float>(value); }
};

/// A sum and what rounding took from it (Knuth's two-sum).
template <>
struct Partial<functors::SumOf, double> {
  double value, lost;

  GARBOARD_HD static Partial none() { return {0, 0}; }
  GARBOARD_HD void add(double x) {
    const double sum = value + x;
    const double added = sum - value;
    lost += (value - (sum - added)) + (x - added);
    value = sum;
  }
  GARBOARD_HD void merge(const Partial& other) {
    add(other.value);
    lost += other.lost;
  }
  GARBOARD_HD double result() const {  // past infinity nothing sensible was lost
    return functors::abs(value) < functors::infinity<double> ? value + lost : value;
  }
};

/// Which lane of which result a thread is.
struct Seat {
  int lane, lane_step;  // threads from one lane of a result to the next
  std::uint32_t result;

  GARBOARD_HD Seat(int thread, std::uint32_t group, int lanes, bool is_across) {
    const int results = threads / lanes;
    lane = is_across ? thread / results : thread % lanes;
    lane_step = is_across ? results : 1;
    result = group * results + (is_across ? thread % results : thread / lanes);
  }
};

struct Task {
  OffsetCalculator<2> results;   // in x, in out
  OffsetCalculator<1> elements;  // of one result, in x
  int lanes;
  bool is_across;
  std::uint32_t splits;
};

/// Writes to `out`, or, where that is null, to `partials`: a row of them for each split.
template <class F, class T, class R, class Out>
__global__ void reduce_elements(const __grid_constant__ Task task, const T* x, Out* out,
                                Partial<F, R>* partials) {
  __shared__ Partial<F, R> shared[threads];
  const std::uint32_t split = blockIdx.x % task.splits;
  const int t = static_cast<int>(threadIdx.x);
  const Seat seat(t, blockIdx.x / task.splits, task.lanes, task.is_across);
  auto mine = Partial<F, R>::none();
  if (seat.result < task.results.count) {
    const std::int64_t start = task.results.at(seat.result).of[0];
    const auto read = [&](std::uint32_t i) {
      return functors::counted_as<R>(x[start + task.elements.at(i).of[0]]);
    };
    const std::uint32_t step = task.lanes * task.splits, count = task.elements.count;
    std::uint32_t i = split * task.lanes + seat.lane;
    for (; i + (loads_in_flight - 1) * step < count; i += loads_in_flight * step) {
      R loaded[loads_in_flight];
      for (int k = 0; k < loads_in_flight; ++k) loaded[k] = read(i + k * step);
      for (int k = 0; k < loads_in_flight; ++k) mine.add(loaded[k]);
    }
    for (; i < count; i += step) mine.add(read(i));
  }
  shared[t] = mine;
  __syncthreads();
  for (int half = task.lanes / 2; half > 0; half /= 2) {
    if (seat.lane < half) shared[t].merge(shared[t + half * seat.lane_step]);
    __syncthreads();
  }
  if (seat.lane > 0 || seat.result >= task.results.count) return;
  if (out)
    out[task.results.at(seat.result).of[1]] = static_cast<Out>(shared[t].result());
  else
    partials[std::int64_t{split} * task.results.count + seat.result] = shared[t];
}

/// Brings `rows` rows of partials together.
template <class F, class R, class Out>
__global__ void reduce_partials(const __grid_constant__ OffsetCalculator<2> results, int lanes,
                                std::uint32_t rows, Out* out, const Partial<F, R>* partials) {
  __shared__ Partial<F, R> shared[threads];
  const int t = static_cast<int>(threadIdx.x);
  const Seat seat(t, blockIdx.x, lanes, false);
  auto mine = Partial<F, R>::none();
  if (seat.result < results.count)
    for (std::uint32_t row = seat.lane; row < rows; row += lanes)
      mine.merge(partials[std::int64_t{row} * results.count + seat.result]);
  shared[t] = mine;
  __syncthreads();
  for (int half = lanes / 2; half > 0; half /= 2) {
    if (seat.lane < half) shared[t].merge(shared[t + half]);
    __syncthreads();
  }
  if (seat.lane == 0 && seat.result < results.count)
    out[results.at(seat.result).of[1]] = static_cast<Out>(shared[t].result());
}

/// The dims that stay, walked in x and out, and those that go, walked in x.
struct ReduceNests {
  NestPart kept, reduced;

  ReduceNests(const View& out, const View& x) {
    kept.operands = 2;
    reduced.operands = 1;
    for (int d = 0; d < x.ndim(); ++d) {
      const LoopDim dim{x.sizes[d], {x.strides[d], out.strides[d]}};
      (dim.strides[1] != 0 ? kept : reduced).insert(dim);
    }
    kept.coalesce();
    reduced.coalesce();
  }

  bool is_across() const {
    if (kept.dims == 0 || reduced.dims == 0) return kept.dims > 0;
    return size_of(kept.inner().strides[0]) <= size_of(reduced.inner().strides[0]);
  }
};

template <class F, class T, class Out>
void launch_reduction(const NestPart& results, const ReduceNests& reduction, Stream stream,
                      Out* out, const T* x) {
  using R = typename F::template Result<T>;
  const auto parts = parts_of(reduction.reduced, most_elements);
  const std::int64_t count = results.count();
  const ReducePlan plan = plan_reduction(count, parts.front().count(), reduction.is_across());
  const std::int64_t rows = plan.splits * static_cast<std::int64_t>(parts.size());
  const OffsetCalculator<2> offsets(results);
  const Grid grid{plan.blocks(), stream};
  const auto task = [&](const NestPart& part) {
    return Task{offsets, OffsetCalculator<1>(part), plan.lanes, plan.is_across,
                static_cast<std::uint32_t>(plan.splits)};
  };
  x += results.start[0];
  out += results.start[1];
  const auto kernel = reduce_elements<F, T, R, Out>;
  if (rows == 1) return launch(kernel, grid, task(parts[0]), x, out, nullptr);
  const Scratch scratch(rows * count * sizeof(Partial<F, R>), stream);
  auto* const partials = scratch.as<Partial<F, R>>();
  auto* row = partials;
  for (const NestPart& part : parts) {
    launch(kernel, grid, task(part), x + part.start[0], nullptr, row);
    row += plan.splits * count;
  }
  const auto most = static_cast<std::uint64_t>(std::min<std::int64_t>(rows, threads));
  const int lanes = static_cast<int>(std::bit_floor(most));
  launch(reduce_partials<F, R, Out>, {divided_up(count, threads / lanes), stream}, offsets, lanes,
         static_cast<std::uint32_t>(rows), out, partials);
}

template <class F>
void reduce(const View& out, const View& x, Stream stream) {
  const ReduceNests reduction(out, x);
  if (reduction.kept.count() == 0) return;
  visit_dtype(x.dtype, [&]<class T>(Type<T>) {
    const auto launch_all = [&]<class Out>(Type<Out>) {
      for (const NestPart& results : parts_of(reduction.kept, most_elements))
        launch_reduction<F>(results, reduction, stream, out.as<Out>(), x.as<T>());
    };
    using R = typename F::template Result<T>;
    if constexpr (functors::Half<T> && !std::is_same_v<R, bool>)
      if (out.dtype == x.dtype) return launch_all(Type<T>{});
    launch_all(Type<R>{});
  });
}

}  // namespace

void fill_reduce(Table& table) {
  for_each_type(functors::ReduceFunctors{},
                [&]<class F> { table.reduce[index_in<F, functors::ReduceFunctors>] = reduce<F>; });
}

}  // namespace garboard::kernels::cuda
