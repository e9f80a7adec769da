// Layer normalisation. Rows of a moderate size are held in registers: each element is read once and
// written once. Longer ones are read again for each step. The gradients of weight and bias are
// summed by groups of rows, whose number follows from the sizes, and the groups in order.
#include "kernels/cuda/launch/held_row.h"
#include "kernels/cuda/launch/lanes.h"
#include "kernels/cuda/launch/parts.h"
#include "kernels/cuda/reduce/partial.h"
#include "kernels/functors/scalar_math.h"

namespace garboard::kernels::cuda {
namespace {

template <class T>
struct NormTask {
  using Wide = functors::Widened<T>;

  std::int64_t rows, columns;
  int lanes;
  const T *x, *weight, *bias;
  Wide *means, *inverses;
  double epsilon;

  explicit NormTask(const LayerNorm& of)
      : rows(of.x.sizes[0]),
        columns(of.x.sizes[1]),
        lanes(plan_reduction(rows, columns, false).lanes),
        x(of.x.as<T>()),
        weight(of.weight.as<T>()),
        bias(of.bias.as<T>()),
        means(of.means.as<Wide>()),
        inverses(of.inverses.as<Wide>()),
        epsilon(of.epsilon) {}
  Grid grid(Stream stream) const { return {divided_up(rows, threads / lanes), stream}; }

  GARBOARD_HD Wide at(std::int64_t row, std::int64_t i) const {
    return functors::widened(x[row * columns + i]);
  }
  GARBOARD_HD Wide scale(std::int64_t i) const {
    return weight ? functors::widened(weight[i]) : Wide(1);
  }
};

template <class T>
__global__ void layer_norm(const __grid_constant__ NormTask<T> task, T* out) {
  using Wide = functors::Widened<T>;
  using Sum = Partial<functors::SumOf, Wide>;
  __shared__ Sum sums[threads];
  const Seat seat(static_cast<int>(threadIdx.x), blockIdx.x, task.lanes, false);
  const std::int64_t row = seat.result, columns = row < task.rows ? task.columns : 0;
  auto sum = Sum::none();
  for (std::int64_t i = seat.lane; i < columns; i += task.lanes) sum.add(task.at(row, i));
  const double count = static_cast<double>(task.columns);
  const Wide mean = static_cast<Wide>(meet(sums, sum, seat, task.lanes).result() / count);
  auto squares = Sum::none();
  for (std::int64_t i = seat.lane; i < columns; i += task.lanes) {
    const Wide distance = task.at(row, i) - mean;
    squares.add(distance * distance);
  }
  const double variance = meet(sums, squares, seat, task.lanes).result() / count;
  const Wide inverse = static_cast<Wide>(1 / functors::sqrt(variance + task.epsilon));
  if (row >= task.rows) return;
  if (seat.lane == 0) {
    task.means[row] = mean;
    task.inverses[row] = inverse;
  }
  for (std::int64_t i = seat.lane; i < columns; i += task.lanes) {
    const Wide shift = task.bias ? functors::widened(task.bias[i]) : Wide(0);
    out[row * columns + i] =
        static_cast<T>((task.at(row, i) - mean) * inverse * task.scale(i) + shift);
  }
}

/// With g = dy weight and n = (x - mean) inverse: dx = inverse (g - average(g) - n average(g n)).
template <class T>
__global__ void layer_norm_gradient(const __grid_constant__ NormTask<T> task, T* dx, const T* dy) {
  using Wide = functors::Widened<T>;
  using Sum = Partial<functors::SumOf, Wide>;
  __shared__ Sum sums[threads];
  const Seat seat(static_cast<int>(threadIdx.x), blockIdx.x, task.lanes, false);
  const std::int64_t row = seat.result, columns = row < task.rows ? task.columns : 0;
  const Wide mean = columns ? task.means[row] : Wide(0);
  const Wide inverse = columns ? task.inverses[row] : Wide(0);
  const auto slope = [&](std::int64_t i) {
    return functors::widened(dy[row * columns + i]) * task.scale(i);
  };
  auto sum = Sum::none(), tilts = Sum::none();
  for (std::int64_t i = seat.lane; i < columns; i += task.lanes) {
    sum.add(slope(i));
    tilts.add(slope(i) * (task.at(row, i) - mean));
  }
  const Wide share = Wide(1) / static_cast<Wide>(task.columns);
  const Wide average = share * meet(sums, sum, seat, task.lanes).result();
  const Wide tilt = share * inverse * inverse * meet(sums, tilts, seat, task.lanes).result();
  for (std::int64_t i = seat.lane; i < columns; i += task.lanes)
    dx[row * columns + i] =
        static_cast<T>(inverse * ((slope(i) - average) - (task.at(row, i) - mean) * tilt));
}

template <class T, int packs>
__global__ void layer_norm_of_held(const __grid_constant__ NormTask<T> task, T* out) {
  using Wide = functors::Widened<T>;
  using Sum = Partial<functors::SumOf, Wide>;
  using Row = HeldRow<T, packs>;
  __shared__ Sum sums[threads / warp_threads];
  const Seat seat(static_cast<int>(threadIdx.x), blockIdx.x, task.lanes, false);
  const std::int64_t row = seat.result;
  const int columns = row < task.rows ? static_cast<int>(task.columns) : 0;
  const Row x(task.x + row * columns, seat.lane, task.lanes, columns, static_cast<T>(0));
  auto sum = Sum::none();
  Row::for_each([&](int k, int i) { sum.add(functors::widened(x(k, i))); });
  const double count = static_cast<double>(task.columns);
  const Wide mean =
      static_cast<Wide>(meet_along(sums, sum, seat.lane, task.lanes).result() / count);
  auto squares = Sum::none();
  Row::for_each([&](int k, int i) {
    const Wide distance = functors::widened(x(k, i)) - mean;
    squares.add(x.place(k, i) < columns ? distance * distance : Wide(0));
  });
  const double variance = meet_along(sums, squares, seat.lane, task.lanes).result() / count;
  const Wide inverse = static_cast<Wide>(1 / functors::sqrt(variance + task.epsilon));
  if (row >= task.rows) return;
  if (seat.lane == 0) {
    task.means[row] = mean;
    task.inverses[row] = inverse;
  }
  unrolled<packs>([&](int k) {
    const auto scale = x.beside(k, task.weight, columns, static_cast<T>(1));
    const auto shift = x.beside(k, task.bias, columns, static_cast<T>(0));
    x.write_pack(k, out + row * columns, columns, [&](int i) {
      return static_cast<T>((functors::widened(x(k, i)) - mean) * inverse *
                                functors::widened(scale[i]) +
                            functors::widened(shift[i]));
    });
  });
}

template <class T, int packs>
__global__ void layer_norm_gradient_of_held(const __grid_constant__ NormTask<T> task, T* dx,
                                            const T* dy) {
  using Wide = functors::Widened<T>;
  using Sum = Partial<functors::SumOf, Wide>;
  using Row = HeldRow<T, packs>;
  __shared__ Sum sums[threads / warp_threads];
  const Seat seat(static_cast<int>(threadIdx.x), blockIdx.x, task.lanes, false);
  const std::int64_t row = seat.result;
  const int columns = row < task.rows ? static_cast<int>(task.columns) : 0;
  const Wide mean = columns ? task.means[row] : Wide(0);
  const Wide inverse = columns ? task.inverses[row] : Wide(0);
  const Row x(task.x + row * columns, seat.lane, task.lanes, columns, static_cast<T>(0));
  const Row given(dy + row * columns, seat.lane, task.lanes, columns, static_cast<T>(0));
  Wide slopes[packs][Row::pack];
  unrolled<packs>([&](int k) {
    const auto scale = x.beside(k, task.weight, columns, static_cast<T>(1));
    unrolled<Row::pack>([&](int i) {
      slopes[k][i] = functors::widened(given(k, i)) * functors::widened(scale[i]);
    });
  });
  auto sum = Sum::none(), tilts = Sum::none();
  Row::for_each([&](int k, int i) {
    sum.add(slopes[k][i]);
    tilts.add(slopes[k][i] * (functors::widened(x(k, i)) - mean));
  });
  const Wide share = Wide(1) / static_cast<Wide>(task.columns);
  const Wide average = share * meet_along(sums, sum, seat.lane, task.lanes).result();
  const Wide tilt =
      share * inverse * inverse * meet_along(sums, tilts, seat.lane, task.lanes).result();
  x.write(dx + row * columns, columns, [&](int k, int i) {
    return static_cast<T>(inverse *
                          ((slopes[k][i] - average) - (functors::widened(x(k, i)) - mean) * tilt));
  });
}

/// Of a group of rows and each column: the sums of dy n, and of dy.
struct GroupSums {
  double d_weight, d_bias;
};

constexpr std::int64_t least_group = 32, most_groups = 256;

template <class T>
__global__ void sum_up_groups(const __grid_constant__ NormTask<T> task, std::int64_t group_rows,
                              std::int64_t groups, GroupSums* sums, const T* dy) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= groups * task.columns) return;
  const std::int64_t column = i % task.columns, first = i / task.columns * group_rows;
  const std::int64_t last = first + group_rows < task.rows ? first + group_rows : task.rows;
  GroupSums mine{0, 0};
  for (std::int64_t row = first; row < last; ++row) {
    const double slope = static_cast<double>(dy[row * task.columns + column]);
    mine.d_weight += slope * ((task.at(row, column) - task.means[row]) * task.inverses[row]);
    mine.d_bias += slope;
  }
  sums[i] = mine;
}

template <class T>
__global__ void finish_parameters(T* d_weight, T* d_bias, std::int64_t columns, std::int64_t groups,
                                  const GroupSums* sums) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= columns) return;
  GroupSums all{0, 0};
  for (std::int64_t group = 0; group < groups; ++group) {
    all.d_weight += sums[group * columns + i].d_weight;
    all.d_bias += sums[group * columns + i].d_bias;
  }
  if (d_weight) d_weight[i] = static_cast<T>(all.d_weight);
  if (d_bias) d_bias[i] = static_cast<T>(all.d_bias);
}

/// Calls `run(task, held)`: how many packs a thread holds of a row is a constant, 0 where the row
/// is too long.
template <class T, class Run>
void with_task(const LayerNorm& of, Run run) {
  NormTask<T> task(of);
  const HeldPlan plan = plan_held_rows<T>(task.columns);
  if (plan.packs == 0) return run(task, std::integral_constant<int, 0>{});
  task.lanes = plan.lanes;
  with_held_packs<T>(plan.packs, [&](auto packs) { run(task, packs); });
}

template <class T>
void gradients_of(const LayerNormGradient& to, Stream stream) {
  const NormTask<T> task(to.of);
  if (task.columns == 0) return;
  const T* const dy = to.d_out.as<T>();
  if (to.d_x.data && task.rows > 0)
    with_task<T>(to.of, [&](const NormTask<T>& of, auto held) {
      auto kernel = layer_norm_gradient<T>;
      if constexpr (held() > 0) kernel = layer_norm_gradient_of_held<T, held()>;
      launch(kernel, of.grid(stream), of, to.d_x.as<T>(), dy);
    });
  if (!to.d_weight.data && !to.d_bias.data) return;
  const std::int64_t group_rows = std::max(least_group, divided_up(task.rows, most_groups));
  const std::int64_t groups = divided_up(task.rows, group_rows), all = groups * task.columns;
  const Scratch scratch(all * sizeof(GroupSums), stream);
  auto* const sums = scratch.as<GroupSums>();
  if (groups > 0)
    launch(sum_up_groups<T>, {divided_up(all, threads), stream}, task, group_rows, groups, sums,
           dy);
  launch(finish_parameters<T>, {divided_up(task.columns, threads), stream}, to.d_weight.as<T>(),
         to.d_bias.as<T>(), task.columns, groups, sums);
}

}  // namespace

template <>
void kernel(const LayerNorm& of, Stream stream) {
  if (of.x.sizes[0] == 0) return;
  visit_floating(of.x.dtype, [&]<class T>(Type<T>) {
    with_task<T>(of, [&](const NormTask<T>& task, auto held) {
      auto kernel = layer_norm<T>;
      if constexpr (held() > 0) kernel = layer_norm_of_held<T, held()>;
      launch(kernel, task.grid(stream), task, of.out.as<T>());
    });
  });
}
template <>
void kernel(const LayerNormGradient& to, Stream stream) {
  visit_floating(to.of.x.dtype, [&]<class T>(Type<T>) { gradients_of<T>(to, stream); });
}

}  // namespace garboard::kernels::cuda
