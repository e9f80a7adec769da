// Softmax and its relatives along any dim: the lanes of a slice meet in a tree.
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

template <bool is_log>
void forward(const AlongDim& of, Stream stream) {
  visit_floating(of.x.dtype, [&]<class T>(Type<T>) {
    for_each_part_of_slices({&of.y, &of.x}, of.dim, [&](const Slices<2>& slices, const auto& at) {
      launch(softmax<T, is_log>, {slices.blocks(), stream}, slices, of.y.as<T>() + at[0],
             of.x.as<T>() + at[1]);
    });
  });
}

template <bool is_log>
void backward(const AlongDimGradient& of, Stream stream) {
  visit_floating(of.y.dtype, [&]<class T>(Type<T>) {
    for_each_part_of_slices(
        {&of.dx, &of.dy, &of.y}, of.dim, [&](const Slices<3>& slices, const auto& at) {
          launch(softmax_gradient<T, is_log>, {slices.blocks(), stream}, slices,
                 of.dx.as<T>() + at[0], of.dy.as<T>() + at[1], of.y.as<T>() + at[2]);
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
