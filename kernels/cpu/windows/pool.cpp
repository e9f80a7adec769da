// Pools, a plane at a time and a line of places for each tap: the innermost loop runs along the
// line, over elements that lie as far apart as the places.
#include <vector>

#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/formulas/pool_dim.h"
#include "kernels/functors/element.h"
#include "kernels/functors/reduce.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

struct PoolShape {
  std::int64_t planes, size = 1, places = 1;
  PoolDim dim[space_dims];

  PoolShape(const View& out, const View& x, const PoolWindow& window) : planes(x.sizes.data()[0]) {
    for (int d = 0; d < space_dims; ++d) {
      dim[d] = PoolDim::of(window, d, x.sizes.data()[d + 1], out.sizes.data()[d + 1]);
      size *= dim[d].size;
      places *= dim[d].places;
    }
  }

  /// Calls `visit(first)` for each line that a line of places meets: `first` is the number in the
  /// plane of the line's first element.
  template <class Visit>
  void for_each_line(std::int64_t z, std::int64_t y, Pace& pace, Visit visit) const {
    const PoolDim &deep = dim[0], &high = dim[1], &wide = dim[2];
    const std::int64_t taps = wide.adapts ? 1 : smaller(wide.taps, wide.size);
    const std::int64_t from_z = deep.first(z), from_y = high.first(y);
    for (std::int64_t i = deep.first_tap(z); i < deep.last_tap(z); ++i)
      for (std::int64_t j = high.first_tap(y); j < high.last_tap(y); ++j) {
        pace.advance(wide.size + wide.places * taps);
        visit(((from_z + i * deep.step()) * high.size + from_y + j * high.step()) * wide.size);
      }
  }

  /// Calls `visit(begin, end, at)` for each tap of a line: places [begin, end) meet elements at,
  /// at + stride, ... of it. Not for what adapts.
  template <class Visit>
  void for_each_tap(Pace& pace, Visit visit) const {
    const PoolDim& wide = dim[2];
    // The last place meets the first taps, the first place the last ones.
    const std::int64_t from = wide.first_tap(wide.places - 1), to = wide.last_tap(0);
    for (std::int64_t k = from; k < to; ++k) {
      const std::int64_t offset = k * wide.dilation - wide.padding;
      const std::int64_t begin = smaller(larger(divided_up(-offset, wide.stride), 0), wide.places);
      const std::int64_t end =
          smaller(larger(divided_up(wide.size - offset, wide.stride), begin), wide.places);
      if (begin >= end) continue;
      pace.advance(end - begin);
      visit(begin, end, begin * wide.stride + offset);
    }
  }

  template <class Run>
  void for_each_plane(double element_ns, Run run) const {
    double met = element_ns;
    for (const PoolDim& one : dim)
      met *= one.adapts ? static_cast<double>(one.size + one.places)
                        : static_cast<double>(one.places) *
                              static_cast<double>(smaller(one.taps, one.size));
    const std::int64_t grain = (1 << 14) / (places + size) + 1;
    for_each_part(planes, grain, met * static_cast<double>(planes),
                  [&](std::int64_t first, std::int64_t last) {
                    Pace pace;
                    for (std::int64_t plane = first; plane < last; ++plane) {
                      pace.advance(size + places);
                      run(plane, pace);
                    }
                  });
  }
};

/// Keeps the larger of each, and its place; NaN once it is met, and the last one's place.
template <class T, class I>
void keep_larger(T* best, I* where, const T* x, std::int64_t count, std::int64_t stride, I at) {
  if (stride == 1) {
    for (std::int64_t i = 0; i < count; ++i) {
      const bool is_better = x[i] > best[i] || x[i] != x[i];
      best[i] = is_better ? x[i] : best[i];
      where[i] = is_better ? static_cast<I>(at + i) : where[i];
    }
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const T value = x[i * stride];
    const bool is_better = value > best[i] || value != value;
    best[i] = is_better ? value : best[i];
    where[i] = is_better ? static_cast<I>(at + i * stride) : where[i];
  }
}

template <class T, class I>
void max_pool(const MaxPool& of) {
  const PoolShape shape(of.out, of.x, of.window);
  const PoolDim& wide = shape.dim[2];
  shape.for_each_plane(0.5, [&](std::int64_t plane, Pace& pace) {
    const T* const x = of.x.as<T>() + plane * shape.size;
    T* best = of.out.as<T>() + plane * shape.places;
    I* where = of.indices.as<I>() + plane * shape.places;
    const std::int64_t lines = shape.dim[0].places * shape.dim[1].places;
    for (std::int64_t line = 0; line < lines; ++line, best += wide.places, where += wide.places) {
      const std::int64_t z = line / shape.dim[1].places, y = line % shape.dim[1].places;
      for (std::int64_t i = 0; i < wide.places; ++i) {
        best[i] = functors::lowest<T>;
        where[i] = -1;
      }
      shape.for_each_line(z, y, pace, [&](std::int64_t first) {
        if (!wide.adapts)
          return shape.for_each_tap(
              pace, [&](std::int64_t begin, std::int64_t end, std::int64_t at) {
                keep_larger(best + begin, where + begin, x + first + at, end - begin, wide.stride,
                            static_cast<I>(first + at));
              });
        for (std::int64_t i = 0; i < wide.places; ++i)
          for (std::int64_t k = 0; k < wide.count(i); ++k) {
            const std::int64_t at = first + wide.first(i) + k;
            keep_larger(best + i, where + i, x + at, 1, 1, static_cast<I>(at));
          }
      });
      // All that was met is -inf: the first of it. What met nothing, between dilated taps, stays.
      for (std::int64_t i = 0; i < wide.places; ++i)
        if (where[i] < 0 && wide.first_tap(i) < wide.last_tap(i)) {
          const std::int64_t inside = wide.first(i) + wide.first_tap(i) * wide.step();
          bool is_found = false;
          shape.for_each_line(z, y, pace, [&](std::int64_t first) {
            if (!is_found) where[i] = static_cast<I>(first + inside);
            is_found = true;
          });
        }
    }
  });
}

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
      for (std::int64_t i = 0; met && wide.adapts && i < wide.places; ++i)
        for (std::int64_t k = 0; k < wide.count(i); ++k)
          out[i] = pool_sum(out[i], met[wide.first(i) + k]);
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
      for (std::int64_t i = 0; wide.adapts && i < wide.places; ++i)
        for (std::int64_t k = 0; k < wide.count(i); ++k) spread[wide.first(i) + k] += share[i];
      shape.for_each_line(z, y, pace, [&](std::int64_t first) {
#pragma GCC ivdep
        for (std::int64_t i = 0; i < wide.size; ++i) x[first + i] += spread[i];
      });
    }
  });
}

/// Calls `run(Type<T>, Type<I>)`.
template <class T, class Run>
void visit_indices(Type<T> type, DType indices, Run run) {
  indices == DType::int32 ? run(type, Type<std::int32_t>{}) : run(type, Type<std::int64_t>{});
}
template <class Run>
void visit_indexed(DType dtype, DType indices, Run run) {
  dtype == DType::float32 ? visit_indices(Type<float>{}, indices, run)
                          : visit_indices(Type<double>{}, indices, run);
}

}  // namespace

template <>
void kernel(const MaxPool& of, Stream) {
  visit_real(of.name, of.x.dtype, [&]<class T>(Type<T> type) {
    if constexpr (functors::Number<T>)
      visit_indices(type, of.indices.dtype, [&]<class I>(Type<T>, Type<I>) { max_pool<T, I>(of); });
    else
      __builtin_trap();  // the op lets none through
  });
}
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
