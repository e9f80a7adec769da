// Sampling along one dim: each place is a sum of one, two or four elements. Tables of where and how
// much are made once; planes of several dims are sampled dim by dim.
#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/scratch.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

constexpr int most_taps = 4;

std::int64_t floor_of(double x) {
  const auto cut = static_cast<std::int64_t>(x);
  return static_cast<double>(cut) > x ? cut - 1 : cut;
}

/// What a place is made of.
template <class T>
struct Sample {
  std::int64_t at[most_taps];
  T factor[most_taps];
};

/// Cubic convolution with a = -0.75 at distance x from 0 to 2 (Keys, "Cubic convolution
/// interpolation for digital image processing", 1981).
template <class T>
T cubic(T x) {
  constexpr T a = T(-0.75);
  return x <= 1 ? ((a + 2) * x - (a + 3)) * x * x + 1 : ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
}

template <class T>
class Samples {
 public:
  explicit Samples(const Resample& of)
      : size_(of.x.sizes.data()[1]),
        places_(of.out.sizes.data()[1]),
        taps_(of.sampling == Sampling::cubic    ? 4
              : of.sampling == Sampling::linear ? 2
                                                : 1),
        memory_(places_ * std::int64_t{sizeof(Sample<T>)}) {
    for (std::int64_t i = 0; i < places_; ++i) memory_.template as<Sample<T>>()[i] = sample(of, i);
  }

  int taps() const { return taps_; }
  const Sample<T>& operator[](std::int64_t i) const { return memory_.template as<Sample<T>>()[i]; }

 private:
  std::int64_t inside(std::int64_t at) const {
    return larger(smaller(at, size_ - 1), std::int64_t{0});
  }

  // Positions with the digits that PyTorch gives them, single ones for the nearest: with more, some
  // places would fall on another element.
  Sample<T> sample(const Resample& of, std::int64_t i) const {
    if (of.sampling == Sampling::nearest || of.sampling == Sampling::nearest_exact) {
      const auto step = static_cast<float>(of.scale), number = static_cast<float>(i);
      const float from = of.sampling == Sampling::nearest ? number : number + 0.5f;
      return {{inside(floor_of(from * step))}, {T(1)}};
    }
    const auto scale = static_cast<T>(of.scale), place = static_cast<T>(i);
    T from = of.aligns_corners ? place * scale : (place + T(0.5)) * scale - T(0.5);
    if (of.sampling == Sampling::linear) {
      if (from < 0) from = 0;
      const std::int64_t first = inside(floor_of(static_cast<double>(from)));
      T rest = from - static_cast<T>(first);
      rest = rest < 0 ? T(0) : rest > 1 ? T(1) : rest;
      return {{first, inside(first + 1)}, {1 - rest, rest}};
    }
    const std::int64_t first = floor_of(static_cast<double>(from));
    const T rest = from - static_cast<T>(first);
    return {{inside(first - 1), inside(first), inside(first + 1), inside(first + 2)},
            {cubic(rest + 1), cubic(rest), cubic(1 - rest), cubic(2 - rest)}};
  }

  std::int64_t size_, places_;
  int taps_;
  Scratch memory_;
};

/// For parts of the outer dim.
template <class Run>
void for_each_slice(const Resample& of, Run run) {
  const std::int64_t outer = of.out.sizes.data()[0];
  const std::int64_t elements = (of.out.count + of.x.count) / larger(outer, 1);
  for_each_part(outer, (1 << 14) / (elements + 1) + 1, static_cast<double>(of.out.count),
                [&](std::int64_t first, std::int64_t last) {
                  Pace pace;
                  for (std::int64_t i = first; i < last; ++i) {
                    pace.advance(elements);
                    run(i);
                  }
                });
}

template <class T>
void resample(const Resample& of) {
  const Samples<T> samples(of);
  const std::int64_t size = of.x.sizes.data()[1], places = of.out.sizes.data()[1];
  const std::int64_t inner = of.out.sizes.data()[2];
  const int taps = samples.taps();
  for_each_slice(of, [&](std::int64_t i) {
    const T* const x = of.x.as<T>() + i * size * inner;
    T* out = of.out.as<T>() + i * places * inner;
    for (std::int64_t place = 0; place < places; ++place, out += inner) {
      const auto& [at, factor] = samples[place];
      if (inner == 1) {
        T sum = factor[0] * x[at[0]];
        for (int k = 1; k < taps; ++k) sum += factor[k] * x[at[k]];
        *out = sum;
        continue;
      }
      const T *a = x + at[0] * inner, *b = x + (taps > 1 ? at[1] * inner : 0);
      const T f = factor[0], g = factor[1];
      if (taps == 1)
        for (std::int64_t j = 0; j < inner; ++j) out[j] = a[j];
      else
        for (std::int64_t j = 0; j < inner; ++j) out[j] = f * a[j] + g * b[j];
      for (int k = 2; k < taps; ++k) {
        const T* const c = x + at[k] * inner;
        const T h = factor[k];
        for (std::int64_t j = 0; j < inner; ++j) out[j] += h * c[j];
      }
    }
  });
}

template <class T>
void spread_samples(const ResampleGradient& of) {
  const Samples<T> samples(of);
  const std::int64_t size = of.x.sizes.data()[1], places = of.out.sizes.data()[1];
  const std::int64_t inner = of.out.sizes.data()[2];
  const int taps = samples.taps();
  for_each_slice(of, [&](std::int64_t i) {
    T* const x = of.x.as<T>() + i * size * inner;
    const T* out = of.out.as<T>() + i * places * inner;
    for (std::int64_t j = 0; j < size * inner; ++j) x[j] = 0;
    for (std::int64_t place = 0; place < places; ++place, out += inner) {
      const auto& [at, factor] = samples[place];
      for (int k = 0; k < taps; ++k) {
        T* const to = x + at[k] * inner;
        const T f = factor[k];
        for (std::int64_t j = 0; j < inner; ++j) to[j] += f * out[j];
      }
    }
  });
}

}  // namespace

template <>
void kernel(const Resample& of, Stream) {
  of.x.dtype == DType::float32 ? resample<float>(of) : resample<double>(of);
}
template <>
void kernel(const ResampleGradient& of, Stream) {
  of.x.dtype == DType::float32 ? spread_samples<float>(of) : spread_samples<double>(of);
}

}  // namespace garboard::kernels::GARBOARD_ISA
