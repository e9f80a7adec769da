// A channel at a time: it is copied with the zeros around it into the first cache, so that every
// tap meets every place, and sums stay in registers over all taps.
#include "kernels/cpu/convolution/depthwise.h"

#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/taps/moved.h"
#include "kernels/cpu/wide/wide_vector.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

constexpr std::int64_t most_rows = 8, most_taps = 512, most_padded = 1 << 20;

/// A channel between zeros, as taps and steps reach it.
template <class T>
class Padded {
 public:
  Padded(const Convolution& of, const Sizes& sizes) : of_(of), sizes_(sizes) {
    for (int d = 0; d < space_dims; ++d)
      size_[d] = (sizes.places[d] - 1) * of.stride[d] + (sizes.taps[d] - 1) * of.dilation[d] + 1;
    for (std::int64_t t = 0; t < product(sizes.taps); ++t) {
      const std::int64_t z = t / sizes.taps[2] / sizes.taps[1],
                         y = t / sizes.taps[2] % sizes.taps[1];
      offset_[t] = at(z * of.dilation[0], y * of.dilation[1]) + t % sizes.taps[2] * of.dilation[2];
    }
  }

  std::int64_t count() const { return product(size_); }
  /// Bytes, with what the last vector may read behind.
  std::int64_t bytes() const {
    return (count() + WideVector<T>::lanes * of_.stride[2]) * std::int64_t{sizeof(T)};
  }
  /// What tap `t` meets lies so far behind where the window begins.
  std::int64_t offset(std::int64_t t) const { return offset_[t]; }
  /// Where the window of the first place of a line begins.
  std::int64_t line(std::int64_t line) const {
    return at(line / sizes_.places[1] * of_.stride[0], line % sizes_.places[1] * of_.stride[1]);
  }
  std::int64_t lines() const { return sizes_.places[0] * sizes_.places[1]; }

  void read(T* to, const T* channel) const {
    fill(to, count(), T(0));
    for_each_line([&](std::int64_t inside, std::int64_t outside, std::int64_t width) {
      copy_dense(to + inside, channel + outside, width);
    });
  }
  /// What of the channel the windows reach; elsewhere it keeps what it has.
  void write(T* channel, const T* from) const {
    for_each_line([&](std::int64_t inside, std::int64_t outside, std::int64_t width) {
      copy_dense(channel + outside, from + inside, width);
    });
  }

 private:
  std::int64_t at(std::int64_t z, std::int64_t y) const { return (z * size_[1] + y) * size_[2]; }

  template <class Visit>
  void for_each_line(Visit visit) const {
    std::int64_t first[space_dims], last[space_dims];  // of the channel
    for (int d = 0; d < space_dims; ++d) {
      first[d] = larger(-of_.padding[d], 0);
      last[d] = smaller(sizes_.sizes[d], size_[d] - of_.padding[d]);
    }
    if (last[2] <= first[2]) return;
    for (std::int64_t z = first[0]; z < last[0]; ++z)
      for (std::int64_t y = first[1]; y < last[1]; ++y)
        visit(at(z + of_.padding[0], y + of_.padding[1]) + first[2] + of_.padding[2],
              (z * sizes_.sizes[1] + y) * sizes_.sizes[2] + first[2], last[2] - first[2]);
  }

  const Convolution& of_;
  const Sizes& sizes_;
  std::int64_t size_[space_dims];
  std::int64_t offset_[most_taps];
};

/// Calls `run(channel, scratch)` for each channel of each sample: its number among all.
template <class T, class Run>
void for_each_channel(std::int64_t channels, const Sizes& sizes, std::int64_t bytes, Run run) {
  const double ns = 0.02 * sizeof(T) *
                    static_cast<double>(sizes.samples * sizes.groups * sizes.rows) *
                    static_cast<double>(product(sizes.places) * product(sizes.taps));
  for_each_part(channels, 1, ns, [&](std::int64_t first, std::int64_t last) {
    const Scratch scratch(bytes);
    Pace pace;
    for (std::int64_t i = first; i < last; ++i) {
      pace.advance(product(sizes.places) * product(sizes.taps));
      run(i, scratch.as<T>());
    }
  });
}

/// out = bias + the taps' sum, a row of an out channel at a time.
template <class T>
void gather_lines(T* out, const Padded<T>& padded, const T* from, const T* weight, T bias,
                  const Sizes& sizes, std::int64_t stride) {
  using V = WideVector<T>;
  const std::int64_t width = sizes.places[2], taps = product(sizes.taps);
  for (std::int64_t line = 0; line < padded.lines(); ++line, out += width) {
    const T* const begin = from + padded.line(line);
    std::int64_t w = 0;
    for (; w + V::lanes < width; w += 2 * V::lanes) {
      typename V::Type sum = typename V::Type{} + bias, next = sum;
      for (std::int64_t t = 0; t < taps; ++t) {
        const T* const at = begin + padded.offset(t) + w * stride;
        sum += weight[t] * V::load(at, stride);
        next += weight[t] * V::load(at + V::lanes * stride, stride);
      }
      V::store(out + w, sum, V::lanes);
      V::store(out + w + V::lanes, next, width - w - V::lanes);
    }
    if (w >= width) continue;
    typename V::Type sum = typename V::Type{} + bias;
    for (std::int64_t t = 0; t < taps; ++t)
      sum += weight[t] * V::load(begin + padded.offset(t) + w * stride, stride);
    V::store(out + w, sum, width - w);
  }
}

template <class T>
void convolve_each(const Convolve& of) {
  const Sizes sizes(of);
  const Padded<T> padded(of, sizes);
  const std::int64_t places = product(sizes.places), taps = product(sizes.taps);
  for_each_channel<T>(
      sizes.samples * sizes.groups, sizes, padded.bytes(), [&](std::int64_t i, T* scratch) {
        padded.read(scratch, of.x.as<T>() + i * product(sizes.sizes));
        for (std::int64_t r = 0; r < sizes.rows; ++r) {
          const std::int64_t row = i % sizes.groups * sizes.rows + r;
          gather_lines(of.out.as<T>() + (i * sizes.rows + r) * places, padded, scratch,
                       of.weight.as<T>() + row * taps, of.bias.data ? of.bias.as<T>()[row] : T(0),
                       sizes, of.stride[2]);
        }
      });
}

template <class T>
void spread_each(const ConvolutionInputGradient& of) {
  const Sizes sizes(of);
  const Padded<T> padded(of, sizes);
  const std::int64_t width = sizes.places[2], taps = product(sizes.taps), stride = of.stride[2];
  for_each_channel<T>(sizes.samples * sizes.groups, sizes, padded.bytes(),
                      [&](std::int64_t i, T* scratch) {
                        const T bias = of.bias.data ? of.bias.as<T>()[i % sizes.groups] : T(0);
                        fill(scratch, padded.count(), bias);
                        const T* from = of.out.as<T>() + i * sizes.rows * product(sizes.places);
                        const T* weight = of.weight.as<T>() + i % sizes.groups * sizes.rows * taps;
                        for (std::int64_t r = 0; r < sizes.rows; ++r, weight += taps)
                          for (std::int64_t line = 0; line < padded.lines(); ++line, from += width)
                            for (std::int64_t t = 0; t < taps; ++t) {
                              T* const to = scratch + padded.line(line) + padded.offset(t);
                              const T factor = weight[t];
                              if (stride == 1)
                                for (std::int64_t w = 0; w < width; ++w) to[w] += factor * from[w];
                              else
                                for (std::int64_t w = 0; w < width; ++w)
                                  to[w * stride] += factor * from[w];
                            }
                        T* const x = of.x.as<T>() + i * product(sizes.sizes);
                        fill(x, product(sizes.sizes), bias);
                        padded.write(x, scratch);
                      });
}

/// Of a group, over all samples in order.
template <class T>
void sum_each(const ConvolutionWeightGradient& of) {
  using V = WideVector<T>;
  const Sizes sizes(of);
  const Padded<T> padded(of, sizes);
  const std::int64_t width = sizes.places[2], taps = product(sizes.taps), stride = of.stride[2];
  const std::int64_t places = product(sizes.places);
  const auto sum_of = [&](const T* from, const T* met) {
    typename V::Type sum{};
    T rest = 0;
    for (std::int64_t line = 0; line < padded.lines(); ++line, from += width) {
      const T* const at = met + padded.line(line);
      std::int64_t w = 0;
      for (; w + V::lanes <= width; w += V::lanes)
        sum += V::load(from + w) * V::load(at + w * stride, stride);
      for (; w < width; ++w) rest += from[w] * at[w * stride];
    }
    for (int i = 0; i < V::lanes; ++i) rest += sum[i];
    return rest;
  };
  for_each_channel<T>(sizes.groups, sizes, padded.bytes(), [&](std::int64_t group, T* scratch) {
    T* const weight = of.weight.as<T>() + group * sizes.rows * taps;
    fill(weight, sizes.rows * taps, T(0));
    for (std::int64_t n = 0; n < sizes.samples; ++n) {
      interruption_point();
      const std::int64_t channel = n * sizes.groups + group;
      padded.read(scratch, of.x.as<T>() + channel * product(sizes.sizes));
      for (std::int64_t r = 0; r < sizes.rows; ++r)
        for (std::int64_t t = 0; t < taps; ++t)
          weight[r * taps + t] += sum_of(of.out.as<T>() + (channel * sizes.rows + r) * places,
                                         scratch + padded.offset(t));
    }
  });
}

}  // namespace

bool is_depthwise(const Convolution& of) noexcept {
  const Sizes sizes(of);
  if (sizes.channels != 1 || sizes.groups == 1 || sizes.rows > most_rows) return false;
  double padded = 1, taps = 1;
  for (int d = 0; d < space_dims; ++d) {
    padded *= static_cast<double>(sizes.places[d] - 1) * static_cast<double>(of.stride[d]) +
              static_cast<double>(sizes.taps[d] - 1) * static_cast<double>(of.dilation[d]) + 1;
    taps *= static_cast<double>(sizes.taps[d]);
  }
  return padded > 0 && padded <= most_padded && taps <= most_taps && of.stride[2] <= most_taps;
}

void convolve_depthwise(const Convolve& of) {
  if (has_planes_for_lanes(of)) return convolve_in_lanes(of);
  of.x.dtype == DType::float32 ? convolve_each<float>(of) : convolve_each<double>(of);
}
void depthwise_input_gradient(const ConvolutionInputGradient& of) {
  if (has_planes_for_lanes(of)) return input_gradient_in_lanes(of);
  of.x.dtype == DType::float32 ? spread_each<float>(of) : spread_each<double>(of);
}
void depthwise_weight_gradient(const ConvolutionWeightGradient& of) {
  if (has_planes_for_lanes(of)) return weight_gradient_in_lanes(of);
  of.x.dtype == DType::float32 ? sum_each<float>(of) : sum_each<double>(of);
}

}  // namespace garboard::kernels::GARBOARD_ISA
