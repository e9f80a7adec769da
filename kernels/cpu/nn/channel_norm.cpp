// Batch and group normalisation: what is normalised together is a slab of rows, a row being the
// places of a channel in a sample. A slab is read from memory once, forward and backward; further
// passes find it in the second cache, where it fits. SlabRows are what threads share, and sums over
// samples are made in order.
#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/nn/exponential_sum.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// A channel of all samples, or a group of channels of one.
struct SlabRows {
  std::int64_t samples, channels, places, groups;

  explicit SlabRows(const ChannelNorm& of)
      : samples(of.x.sizes.data()[0]),
        channels(of.x.sizes.data()[1]),
        places(of.x.sizes.data()[2]),
        groups(of.groups) {}

  std::int64_t count() const { return groups > 0 ? samples * groups : channels; }
  std::int64_t rows() const { return groups > 0 ? channels / groups : samples; }
  /// The number of a slab's row among all.
  std::int64_t row(std::int64_t slab, std::int64_t i) const {
    return groups > 0 ? slab * rows() + i : i * channels + slab;
  }
  std::int64_t channel(std::int64_t slab, std::int64_t i) const {
    return groups > 0 ? slab % groups * rows() + i : slab;
  }

  /// Calls `run(slab)` for each.
  template <class Run>
  void for_each(double element_ns, Run run) const {
    const std::int64_t elements = rows() * places;
    for_each_part(count(), tuning::nn_part / (elements + 1) + 1,
                  static_cast<double>(count()) * static_cast<double>(elements) * element_ns,
                  [&](std::int64_t first, std::int64_t last) {
                    for (std::int64_t slab = first; slab < last; ++slab) {
                      interruption_point();
                      run(slab);
                    }
                  });
  }
};

/// What a row's gradient comes to: the sums of dy, and of dy (x - mean).
struct RowSums {
  double all = 0, tilted = 0;
};

template <class T>
RowSums row_sums(const T* dy, const T* x, T mean, std::int64_t count) {
  constexpr int width = 32;
  RowSums sums;
  for (std::int64_t done = 0; done < count; done += row_block) {
    T all[width] = {}, tilted[width] = {};
    const auto take = [&](std::int64_t i, int l) __attribute__((always_inline)) {
      all[l] += dy[i + l];
      tilted[l] += dy[i + l] * (x[i + l] - mean);
    };
    const std::int64_t end = smaller(done + row_block, count);
    std::int64_t i = done;
#pragma GCC unroll 1  // peeled, the lanes would go through memory
    for (; i + width <= end; i += width)
      for (int l = 0; l < width; ++l) take(i, l);
    for (int l = 0; l < end - i; ++l) take(i, l);
    sums.all += fold_lanes<width / 2>(all, functors::SumOf{});
    sums.tilted += fold_lanes<width / 2>(tilted, functors::SumOf{});
  }
  return sums;
}

template <class T>
void normalize(const ChannelNorm& of) {
  const SlabRows slabs(of);
  const std::int64_t rows = slabs.rows(), places = slabs.places;
  const double count = static_cast<double>(rows) * static_cast<double>(places);
  // The rows of a group follow each other.
  const bool is_group = of.groups > 0;
  const std::int64_t runs = is_group ? 1 : rows, length = is_group ? rows * places : places;
  slabs.for_each(tuning::layer_norm_ns, [&](std::int64_t slab) {
    const auto x_of = [&](std::int64_t i) { return of.x.as<T>() + slabs.row(slab, i) * places; };
    double sum = 0, squares = 0;
    for (std::int64_t i = 0; i < runs; ++i)
      sum += sum_dense<T>(
          length, [x = x_of(i)](std::int64_t j) __attribute__((always_inline)) { return x[j]; });
    const T mean = static_cast<T>(sum / count);
    for (std::int64_t i = 0; i < runs; ++i)
      squares += sum_dense<T>(
          length, [ x = x_of(i), mean ](std::int64_t j)
                      __attribute__((always_inline)) { return (x[j] - mean) * (x[j] - mean); });
    const T inverse = static_cast<T>(1 / functors::sqrt(squares / count + of.epsilon));
    of.means.as<T>()[slab] = mean;
    of.variances.as<T>()[slab] = static_cast<T>(squares / count);
    of.inverses.as<T>()[slab] = inverse;
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::int64_t channel = slabs.channel(slab, i);
      const T scale = of.weight.data ? of.weight.as<T>()[channel] : T(1);
      const T shift = of.bias.data ? of.bias.as<T>()[channel] : T(0);
      const T* const x = x_of(i);
      T* const y = of.out.as<T>() + slabs.row(slab, i) * places;
#pragma GCC ivdep
      for (std::int64_t j = 0; j < places; ++j) y[j] = (x[j] - mean) * inverse * scale + shift;
    }
  });
}

/// With g = dy weight and n = (x - mean) inverse: dx = inverse (g - average(g) - n average(g n)).
template <class T>
void gradients_of(const ChannelNormGradient& to) {
  const ChannelNorm& of = to.of;
  const SlabRows slabs(of);
  const std::int64_t rows = slabs.rows(), places = slabs.places;
  const std::int64_t all = slabs.samples * slabs.channels;
  const Scratch memory(2 * all * std::int64_t{sizeof(double)});
  double *const sums = memory.as<double>(), *const tilts = sums + all;  // of each row: dy, dy n
  const double share = 1 / (static_cast<double>(rows) * static_cast<double>(places));
  slabs.for_each(2 * tuning::layer_norm_ns, [&](std::int64_t slab) {
    const T mean = of.means.as<T>()[slab], inverse = of.inverses.as<T>()[slab];
    const auto weight_of = [&](std::int64_t i) {
      return of.weight.data ? of.weight.as<T>()[slabs.channel(slab, i)] : T(1);
    };
    double sum = 0, tilt = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::int64_t row = slabs.row(slab, i);
      const T *const x = of.x.as<T>() + row * places, *const dy = to.d_out.as<T>() + row * places;
      const RowSums found = row_sums(dy, x, mean, places);
      sums[row] = found.all;
      tilts[row] = inverse * found.tilted;
      sum += weight_of(i) * sums[row];
      tilt += weight_of(i) * tilts[row];
    }
    if (!to.d_x.data) return;
    const T average = static_cast<T>(sum * share), slope = static_cast<T>(tilt * share * inverse);
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::int64_t row = slabs.row(slab, i);
      const T *const x = of.x.as<T>() + row * places, *const dy = to.d_out.as<T>() + row * places;
      T* const dx = to.d_x.as<T>() + row * places;
      const T weight = weight_of(i);
#pragma GCC ivdep
      for (std::int64_t j = 0; j < places; ++j)
        dx[j] = inverse * ((dy[j] * weight - average) - (x[j] - mean) * slope);
    }
  });
  for (std::int64_t c = 0; c < slabs.channels; ++c) {
    double d_weight = 0, d_bias = 0;
    for (std::int64_t row = c; row < all; row += slabs.channels) {
      d_weight += tilts[row];
      d_bias += sums[row];
    }
    if (to.d_weight.data) to.d_weight.as<T>()[c] = static_cast<T>(d_weight);
    if (to.d_bias.data) to.d_bias.as<T>()[c] = static_cast<T>(d_bias);
  }
}

}  // namespace

template <>
void kernel(const ChannelNorm& of, Stream) {
  of.x.dtype == DType::float32 ? normalize<float>(of) : normalize<double>(of);
}
template <>
void kernel(const ChannelNormGradient& of, Stream) {
  of.of.x.dtype == DType::float32 ? gradients_of<float>(of) : gradients_of<double>(of);
}

}  // namespace garboard::kernels::GARBOARD_ISA
