// Softmax and its relatives along any dim. Dense slices of a moderate size are held in registers:
// each element is read once and written once. Others are read again for each step.
#include "kernels/cuda/launch/held_row.h"
#include "kernels/cuda/launch/parts.h"
#include "kernels/cuda/launch/slices.h"
#include "kernels/cuda/reduce/partial.h"
#include "kernels/functors/scalar_math.h"

namespace garboard::kernels::cuda {
namespace {

template <class Wide>
using SumPartial = Partial<functors::SumOf, Wide>;
template <class Wide>
using MaximumPartial = Partial<functors::MaximumOf, Wide>;

template <class T, bool is_log>
__global__ void softmax(const __grid_constant__ Slices<2> slices, T* y, const T* x) {
  using Wide = functors::Widened<T>;
  __shared__ MaximumPartial<Wide> maxima[threads];
  __shared__ SumPartial<Wide> sums[threads];
  const Slice<2> slice(slices, static_cast<int>(threadIdx.x), blockIdx.x);
  const auto at = [&](std::int64_t i) {
    return functors::widened(x[slice.start[1] + i * slices.strides[1]]);
  };
  auto maximum = MaximumPartial<Wide>::none();
  for (std::int64_t i = slice.seat.lane; i < slice.size; i += slices.lanes) maximum.add(at(i));
  const Wide top = meet(maxima, maximum, slice.seat, slices.lanes).result();
  auto sum = SumPartial<Wide>::none();
  for (std::int64_t i = slice.seat.lane; i < slice.size; i += slices.lanes)
    sum.add(functors::exp(at(i) - top));
  const Wide total = meet(sums, sum, slice.seat, slices.lanes).result();
  const Wide scale = Wide(1) / total, log_sum = functors::log(total);
  for (std::int64_t i = slice.seat.lane; i < slice.size; i += slices.lanes) {
    const Wide result = is_log ? (at(i) - top) - log_sum : functors::exp(at(i) - top) * scale;
    y[slice.start[0] + i * slices.strides[0]] = static_cast<T>(result);
  }
}

/// dx = y (dy - sum(dy y)), or, of a logarithm, dx = dy - e^y sum(dy).
template <class T, bool is_log>
__global__ void softmax_gradient(const __grid_constant__ Slices<3> slices, T* dx, const T* dy,
                                 const T* y) {
  using Wide = functors::Widened<T>;
  __shared__ SumPartial<Wide> sums[threads];
  const Slice<3> slice(slices, static_cast<int>(threadIdx.x), blockIdx.x);
  const auto slope = [&](std::int64_t i) {
    return functors::widened(dy[slice.start[1] + i * slices.strides[1]]);
  };
  const auto result = [&](std::int64_t i) {
    return functors::widened(y[slice.start[2] + i * slices.strides[2]]);
  };
  auto sum = SumPartial<Wide>::none();
  for (std::int64_t i = slice.seat.lane; i < slice.size; i += slices.lanes)
    sum.add(is_log ? slope(i) : slope(i) * result(i));
  const Wide total = meet(sums, sum, slice.seat, slices.lanes).result();
  for (std::int64_t i = slice.seat.lane; i < slice.size; i += slices.lanes) {
    const Wide gradient =
        is_log ? slope(i) - functors::exp(result(i)) * total : result(i) * (slope(i) - total);
    dx[slice.start[0] + i * slices.strides[0]] = static_cast<T>(gradient);
  }
}

template <class T, int packs>
__global__ void softmax_of_held(const __grid_constant__ Slices<2> slices, bool is_log, T* y,
                                const T* x) {
  using Wide = functors::Widened<T>;
  using Row = HeldRow<T, packs>;
  __shared__ MaximumPartial<Wide> maxima[threads / warp_threads];
  __shared__ SumPartial<Wide> sums[threads / warp_threads];
  const Slice<2> slice(slices, static_cast<int>(threadIdx.x), blockIdx.x);
  const int size = static_cast<int>(slice.size);
  const Row row(x + slice.start[1], slice.seat.lane, slices.lanes, size,
                static_cast<T>(-functors::infinity<Wide>));  // e^-infinity adds nothing
  auto maximum = MaximumPartial<Wide>::none();
  Row::for_each([&](int k, int i) { maximum.add(functors::widened(row(k, i))); });
  const Wide top = meet_along(maxima, maximum, slice.seat.lane, slices.lanes).result();
  Wide kept[packs][Row::pack];  // the powers, or of a logarithm the exponents
  auto sum = SumPartial<Wide>::none();
  Row::for_each([&](int k, int i) {
    const Wide exponent = functors::widened(row(k, i)) - top, power = functors::exp(exponent);
    sum.add(power);
    kept[k][i] = is_log ? exponent : power;
  });
  const Wide total = meet_along(sums, sum, slice.seat.lane, slices.lanes).result();
  const Wide scale = is_log ? Wide(1) : Wide(1) / total;
  const Wide log_sum = is_log ? functors::log(total) : Wide(0);
  row.write(y + slice.start[0], size, [&](int k, int i) {
    return static_cast<T>(is_log ? kept[k][i] - log_sum : kept[k][i] * scale);
  });
}

template <class T, int packs>
__global__ void softmax_gradient_of_held(const __grid_constant__ Slices<3> slices, bool is_log,
                                         T* dx, const T* dy, const T* y) {
  using Wide = functors::Widened<T>;
  using Row = HeldRow<T, packs>;
  __shared__ SumPartial<Wide> sums[threads / warp_threads];
  const Slice<3> slice(slices, static_cast<int>(threadIdx.x), blockIdx.x);
  const int size = static_cast<int>(slice.size);
  const Row slopes(dy + slice.start[1], slice.seat.lane, slices.lanes, size, static_cast<T>(0));
  const Row results(y + slice.start[2], slice.seat.lane, slices.lanes, size, static_cast<T>(0));
  auto sum = SumPartial<Wide>::none();
  Row::for_each([&](int k, int i) {
    const Wide slope = functors::widened(slopes(k, i));
    sum.add(is_log ? slope : slope * functors::widened(results(k, i)));
  });
  const Wide total = meet_along(sums, sum, slice.seat.lane, slices.lanes).result();
  slopes.write(dx + slice.start[0], size, [&](int k, int i) {
    const Wide slope = functors::widened(slopes(k, i)), result = functors::widened(results(k, i));
    return static_cast<T>(is_log ? slope - functors::exp(result) * total
                                 : result * (slope - total));
  });
}

/// Calls `run(slices, held, starts)` for the slices of `views`, `held` as a constant: how many
/// packs a thread holds of one, or 0 where rows are no rows, or too long.
template <class T, int operands, class Run>
void for_slices_of(const View* const (&views)[operands], int dim, Run run) {
  for_each_part_of_slices(views, dim, [&](Slices<operands> slices, const auto& starts) {
    const HeldPlan plan = plan_held_rows<T>(slices.size);
    bool is_dense = plan.packs > 0 && slices.size > 1;
    for (const std::int64_t stride : slices.strides) is_dense &= stride == 1;
    if (!is_dense) return run(slices, std::integral_constant<int, 0>{}, starts);
    slices.lanes = plan.lanes;
    slices.is_across = false;
    with_held_packs<T>(plan.packs, [&](auto packs) { run(slices, packs, starts); });
  });
}

template <bool is_log>
void forward(const AlongDim& of, Stream stream) {
  visit_floating(of.x.dtype, [&]<class T>(Type<T>) {
    for_slices_of<T>({&of.y, &of.x}, of.dim, [&](const auto& slices, auto held, const auto& at) {
      const Grid grid{slices.blocks(), stream};
      T* const y = of.y.as<T>() + at[0];
      const T* const x = of.x.as<T>() + at[1];
      if constexpr (held() > 0)
        launch(softmax_of_held<T, held()>, grid, slices, is_log, y, x);
      else
        launch(softmax<T, is_log>, grid, slices, y, x);
    });
  });
}

template <bool is_log>
void backward(const AlongDimGradient& of, Stream stream) {
  visit_floating(of.y.dtype, [&]<class T>(Type<T>) {
    for_slices_of<T>(
        {&of.dx, &of.dy, &of.y}, of.dim, [&](const auto& slices, auto held, const auto& at) {
          const Grid grid{slices.blocks(), stream};
          T* const dx = of.dx.as<T>() + at[0];
          const T *const dy = of.dy.as<T>() + at[1], *const y = of.y.as<T>() + at[2];
          if constexpr (held() > 0)
            launch(softmax_gradient_of_held<T, held()>, grid, slices, is_log, dx, dy, y);
          else
            launch(softmax_gradient<T, is_log>, grid, slices, dx, dy, y);
        });
  });
}

}  // namespace

template <>
void kernel(const Softmax& of, Stream stream) {
  forward<false>(of, stream);
}
template <>
void kernel(const LogSoftmax& of, Stream stream) {
  forward<true>(of, stream);
}
template <>
void kernel(const SoftmaxGradient& of, Stream stream) {
  backward<false>(of, stream);
}
template <>
void kernel(const LogSoftmaxGradient& of, Stream stream) {
  backward<true>(of, stream);
}

}  // namespace garboard::kernels::cuda
