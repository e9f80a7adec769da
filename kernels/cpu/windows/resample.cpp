// Sampling along one dim: each place is a sum of one, two or four elements. Tables of where and how
// much are made once; planes of several dims are sampled dim by dim.
#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/formulas/resampled_place.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

template <class T>
class ResampledPlaces {
 public:
  explicit ResampledPlaces(const Resample& of)
      : form_(Resampling<T>::of(of, of.x.sizes.data()[1])),
        memory_(of.out.sizes.data()[1] * std::int64_t{sizeof(ResampledPlace<T>)}) {
    for (std::int64_t i = 0; i < of.out.sizes.data()[1]; ++i)
      memory_.template as<ResampledPlace<T>>()[i] = form_.place(i);
  }

  int taps() const { return form_.taps(); }
  /// How often each of `size` elements is taken, where that is all that `places` do; else 0.
  std::int64_t repeats(std::int64_t size, std::int64_t places) const {
    if (taps() != 1 || size == 0 || places % size != 0) return 0;
    const std::int64_t times = places / size;
    for (std::int64_t i = 0; i < places; ++i)
      if ((*this)[i].at[0] != i / times) return 0;
    return times;
  }
  const ResampledPlace<T>& operator[](std::int64_t i) const {
    return memory_.template as<ResampledPlace<T>>()[i];
  }

 private:
  Resampling<T> form_;
  Scratch memory_;
};

/// Where the nearest elements are, for lines that are shorter than 2^31.
class NearestElements {
 public:
  template <class T>
  NearestElements(const ResampledPlaces<T>& places, std::int64_t count)
      : count_(count), memory_(count * std::int64_t{sizeof(std::int32_t)}) {
    for (std::int64_t i = 0; i < count; ++i)
      memory_.as<std::int32_t>()[i] = static_cast<std::int32_t>(places[i].at[0]);
  }

  template <class T>
  void take(T* out, const T* x) const {
    const std::int32_t* const at = memory_.as<std::int32_t>();
    for (std::int64_t i = 0; i < count_; ++i) out[i] = x[at[i]];
  }

 private:
  std::int64_t count_;
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
void repeat(T* out, const T* x, std::int64_t size, std::int64_t times) {
  if (times == 2) {
    for (std::int64_t i = 0; i < size; ++i) out[2 * i] = out[2 * i + 1] = x[i];
    return;
  }
  for (std::int64_t i = 0; i < size; ++i, out += times)
    for (std::int64_t k = 0; k < times; ++k) out[k] = x[i];
}

template <class T>
void sum_repeated(T* x, const T* out, std::int64_t size, std::int64_t times) {
  if (times == 2) {
    for (std::int64_t i = 0; i < size; ++i) x[i] = out[2 * i] + out[2 * i + 1];
    return;
  }
  for (std::int64_t i = 0; i < size; ++i, out += times) {
    x[i] = 0;
    for (std::int64_t k = 0; k < times; ++k) x[i] += out[k];
  }
}

template <class T>
void resample(const Resample& of) {
  const ResampledPlaces<T> samples(of);
  const std::int64_t size = of.x.sizes.data()[1], places = of.out.sizes.data()[1];
  const std::int64_t inner = of.out.sizes.data()[2];
  const int taps = samples.taps();
  const std::int64_t times = inner == 1 ? samples.repeats(size, places) : 0;
  const bool takes = taps == 1 && inner == 1 && times == 0 && size < std::int64_t{1} << 31;
  const NearestElements nearest(samples, takes ? places : 0);
  for_each_slice(of, [&](std::int64_t i) {
    const T* const x = of.x.as<T>() + i * size * inner;
    T* out = of.out.as<T>() + i * places * inner;
    if (times > 0) return repeat(out, x, size, times);
    if (takes) return nearest.take(out, x);
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
  const ResampledPlaces<T> samples(of);
  const std::int64_t size = of.x.sizes.data()[1], places = of.out.sizes.data()[1];
  const std::int64_t inner = of.out.sizes.data()[2];
  const int taps = samples.taps();
  const std::int64_t times = inner == 1 ? samples.repeats(size, places) : 0;
  for_each_slice(of, [&](std::int64_t i) {
    T* const x = of.x.as<T>() + i * size * inner;
    const T* out = of.out.as<T>() + i * places * inner;
    if (times > 0) return sum_repeated(x, out, size, times);
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
