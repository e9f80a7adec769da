// Averages of pools, and what indices of a pool send to elements and take from them.
#include <vector>

#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/windows/pool_shape.h"
#include "kernels/functors/element.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// Where nothing was picked, the number is -1. Any other comes of a hook that gave back other
/// numbers than it was given to keep: a plane's own memory is all that they reach.
template <class I>
bool is_place(I at, std::int64_t size) {
  return static_cast<std::uint64_t>(at) < static_cast<std::uint64_t>(size);
}

template <class T, class I>
void scatter_planes(const PlaneScatter& of) {
  const std::int64_t planes = of.x.sizes.data()[0], size = of.x.count / larger(planes, 1);
  const std::int64_t picked = of.from.count / larger(planes, 1);
  for_each_part(planes, (1 << 14) / (size + picked) + 1,
                static_cast<double>(of.x.count) * 0.1 + static_cast<double>(of.from.count),
                [&](std::int64_t first, std::int64_t last) {
                  Pace pace;
                  for (std::int64_t plane = first; plane < last; ++plane) {
                    pace.advance(size + picked);
                    T* const x = of.x.as<T>() + plane * size;
                    const T* const from = of.from.as<T>() + plane * picked;
                    const I* const at = of.indices.as<I>() + plane * picked;
                    for (std::int64_t i = 0; i < size; ++i) x[i] = 0;
                    for (std::int64_t i = 0; i < picked; ++i) {
                      if (!is_place(at[i], size)) continue;
                      x[at[i]] = of.adds ? x[at[i]] + from[i] : from[i];
                    }
                  }
                });
}

template <class T, class I>
void gather_planes(const PlaneGather& of) {
  const std::int64_t planes = of.x.sizes.data()[0], size = of.x.count / larger(planes, 1);
  const std::int64_t picked = of.out.count / larger(planes, 1);
  for_each_part(planes, (1 << 14) / (picked + 1) + 1, static_cast<double>(of.out.count),
                [&](std::int64_t first, std::int64_t last) {
                  Pace pace;
                  for (std::int64_t plane = first; plane < last; ++plane) {
                    pace.advance(picked);
                    const T* const x = of.x.as<T>() + plane * size;
                    T* const to = of.out.as<T>() + plane * picked;
                    const I* const at = of.indices.as<I>() + plane * picked;
                    for (std::int64_t i = 0; i < picked; ++i)
                      to[i] = is_place(at[i], size) ? x[at[i]] : T(0);
                  }
                });
}

/// What sums are divided by, found dim by dim.
class Divisors {
 public:
  Divisors(const AveragePool& of, const PoolShape& shape) : of_(of), shape_(shape) {
    for (std::int64_t w = 0; w < shape.dim[2].places; ++w)
      across_.push_back(of.divisor != 0 ? 1 : along(2, w));
  }

  /// values[w] = from[w] by the divisor of place w of a line.
  template <class T>
  void divide(T* values, const T* from, std::int64_t z, std::int64_t y) const {
    const double line =
        of_.divisor != 0 ? static_cast<double>(of_.divisor) : along(0, z) * along(1, y);
    const double* const across = across_.data();
    const auto count = static_cast<std::int64_t>(across_.size());
#pragma GCC ivdep
    for (std::int64_t w = 0; w < count; ++w) values[w] = pool_mean(from[w], line * across[w]);
  }

 private:
  double along(int d, std::int64_t place) const {  // their product may be beyond 2^63
    return static_cast<double>(shape_.dim[d].divisor(place, of_.counts_padding));
  }

  const AveragePool& of_;
  const PoolShape& shape_;
  std::vector<double> across_;
};

/// to[i] += from[i * by].
template <class T>
void add_every(T* to, const T* from, std::int64_t count, std::int64_t by) {
  if (by == 1)
    for (std::int64_t i = 0; i < count; ++i) to[i] = pool_sum(to[i], from[i]);
  else if (by == 2)  // for which there are shuffles
    for (std::int64_t i = 0; i < count; ++i) to[i] = pool_sum(to[i], from[2 * i]);
  else
    for (std::int64_t i = 0; i < count; ++i) to[i] = pool_sum(to[i], from[i * by]);
}

template <class T>
void average_pool(const AveragePool& of) {
  const PoolShape shape(of.out, of.x, of.window);
  const PoolDim& wide = shape.dim[2];
  const Divisors divisors(of, shape);
  shape.for_each_plane(0.3, [&](std::int64_t plane, Pace& pace) {
    const T* const x = of.x.as<T>() + plane * shape.size;
    T* out = of.out.as<T>() + plane * shape.places;
    const Scratch scratch(wide.size * std::int64_t{sizeof(T)});
    T* const total = scratch.as<T>();
    const std::int64_t lines = shape.dim[0].places * shape.dim[1].places;
    for (std::int64_t line = 0; line < lines; ++line, out += wide.places) {
      const std::int64_t z = line / shape.dim[1].places, y = line % shape.dim[1].places;
      const T* met = nullptr;  // what all lines together have
      shape.for_each_line(z, y, pace, [&](std::int64_t first) {
        const T* const from = x + first;
        if (met)
          for (std::int64_t i = 0; i < wide.size; ++i) total[i] = pool_sum(met[i], from[i]);
        met = met ? total : from;
      });
      for (std::int64_t i = 0; i < wide.places; ++i) out[i] = 0;
      if (met && !wide.adapts)
        shape.for_each_tap(pace, [&](std::int64_t begin, std::int64_t end, std::int64_t at) {
          add_every(out + begin, met + at, end - begin, wide.stride);
        });
      if (met && wide.adapts)
        shape.for_each_window([&](std::int64_t i, std::int64_t at, std::int64_t count) {
          for (std::int64_t k = 0; k < count; ++k) out[i] = pool_sum(out[i], met[at + k]);
        });
      divisors.divide(out, out, z, y);
    }
  });
}

template <class T>
void spread_average(const AveragePoolGradient& of) {
  const PoolShape shape(of.out, of.x, of.window);
  const PoolDim& wide = shape.dim[2];
  const Divisors divisors(of, shape);
  shape.for_each_plane(0.4, [&](std::int64_t plane, Pace& pace) {
    T* const x = of.x.as<T>() + plane * shape.size;
    const T* out = of.out.as<T>() + plane * shape.places;
    for (std::int64_t i = 0; i < shape.size; ++i) x[i] = 0;
    const Scratch scratch((wide.places + wide.size) * std::int64_t{sizeof(T)});
    T* const share = scratch.as<T>();
    T* const spread = share + wide.places;  // what each line gets
    const std::int64_t lines = shape.dim[0].places * shape.dim[1].places;
    for (std::int64_t line = 0; line < lines; ++line, out += wide.places) {
      const std::int64_t z = line / shape.dim[1].places, y = line % shape.dim[1].places;
      divisors.divide(share, out, z, y);
      for (std::int64_t i = 0; i < wide.size; ++i) spread[i] = 0;
      if (!wide.adapts)
        shape.for_each_tap(pace, [&](std::int64_t begin, std::int64_t end, std::int64_t at) {
          T* const to = spread + at;
          const std::int64_t by = wide.stride;
          if (by == 1)
            for (std::int64_t i = begin; i < end; ++i) to[i - begin] += share[i];
          else
            for (std::int64_t i = begin; i < end; ++i) to[(i - begin) * by] += share[i];
        });
      if (wide.adapts)
        shape.for_each_window([&](std::int64_t i, std::int64_t at, std::int64_t count) {
          for (std::int64_t k = 0; k < count; ++k) spread[at + k] += share[i];
        });
      shape.for_each_line(z, y, pace, [&](std::int64_t first) {
#pragma GCC ivdep
        for (std::int64_t i = 0; i < wide.size; ++i) x[first + i] += spread[i];
      });
    }
  });
}

template <class Run>
void visit_indexed(DType dtype, DType indices, Run run) {
  dtype == DType::float32 ? visit_indices(Type<float>{}, indices, run)
                          : visit_indices(Type<double>{}, indices, run);
}

}  // namespace

template <>
void kernel(const PlaneScatter& of, Stream) {
  visit_indexed(of.x.dtype, of.indices.dtype,
                [&]<class T, class I>(Type<T>, Type<I>) { scatter_planes<T, I>(of); });
}
template <>
void kernel(const PlaneGather& of, Stream) {
  visit_indexed(of.x.dtype, of.indices.dtype,
                [&]<class T, class I>(Type<T>, Type<I>) { gather_planes<T, I>(of); });
}
template <>
void kernel(const AveragePool& of, Stream) {
  of.x.dtype == DType::int64     ? average_pool<std::int64_t>(of)
  : of.x.dtype == DType::float32 ? average_pool<float>(of)
                                 : average_pool<double>(of);
}
template <>
void kernel(const AveragePoolGradient& of, Stream) {
  of.x.dtype == DType::float32 ? spread_average<float>(of) : spread_average<double>(of);
}

}  // namespace garboard::kernels::GARBOARD_ISA
