// The largest that each place meets, and which that is, or the value alone where nobody asks: then
// lines are put together first, and walked once.
#include <utility>

#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/windows/pool_shape.h"
#include "kernels/functors/reduce.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

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

/// Of elements side by side the largest, or the last NaN, if it is better than what `best` has.
template <class T, class I>
void keep_largest(T& best, I& where, const T* x, std::int64_t count, I at) {
  constexpr std::int64_t block = 64, few = 8;
  const auto look_through = [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i)
      if (x[i] > best || x[i] != x[i]) {
        best = x[i];
        where = static_cast<I>(at + i);
      }
  };
  if (count < few) return look_through(0, count);
  for (std::int64_t first = 0; first < count; first += block) {
    const std::int64_t last = smaller(first + block, count);
    const T least = best;
    int better = 0;  // of most blocks none, and they are only looked at
    for (std::int64_t i = first; i < last; ++i) better += !(x[i] <= least);
    if (better > 0) look_through(first, last);
  }
}

template <class T>
T larger_or_nan(T best, T value) {
  const T larger = value > best ? value : best;
  return value != value ? value : larger;
}

/// to[i] = the larger of best[i] and x[i * stride], or NaN if either is.
template <class T>
void keep_larger(T* to, const T* best, const T* x, std::int64_t count, std::int64_t stride) {
  const auto keep = [=](std::int64_t by) __attribute__((always_inline)) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) to[i] = larger_or_nan(best[i], x[i * by]);
  };
  stride == 1 ? keep(1) : stride == 2 ? keep(2) : keep(stride);
}

/// Of each few elements, one behind the other, the largest.
template <class T, int... later>
void keep_largest_of_each(T* __restrict out, const T* __restrict x, std::int64_t count,
                          std::integer_sequence<int, later...>) {
  constexpr int few = sizeof...(later) + 1;
#pragma GCC ivdep
  for (std::int64_t i = 0; i < count; ++i) {
    T best = x[i * few];
    ((best = larger_or_nan(best, x[i * few + later + 1])), ...);
    out[i] = best;
  }
}
template <int few, class T>
void keep_largest_of_each(T* out, const T* x, std::int64_t count) {
  keep_largest_of_each(out, x, count, std::make_integer_sequence<int, few - 1>());
}

/// What a line of places meets in a line of elements, where nobody asks which elements these are.
template <class T>
void keep_line(T* out, const T* x, const PoolShape& shape, Pace& pace) {
  const PoolDim& wide = shape.dim[2];
  const bool are_apart = !wide.adapts && wide.stride == wide.taps && wide.padding == 0 &&
                         wide.dilation == 1 && wide.places * wide.taps <= wide.size;
  if (are_apart && wide.taps == 2) return keep_largest_of_each<2>(out, x, wide.places);
  if (are_apart && wide.taps == 3) return keep_largest_of_each<3>(out, x, wide.places);
  if (are_apart && wide.taps == 4) return keep_largest_of_each<4>(out, x, wide.places);
  for (std::int64_t i = 0; i < wide.places; ++i) out[i] = functors::lowest<T>;
  if (!shape.has_long_windows())
    return shape.for_each_tap(pace, [&](std::int64_t begin, std::int64_t end, std::int64_t at) {
      keep_larger(out + begin, out + begin, x + at, end - begin, wide.stride);
    });
  shape.for_each_window([&](std::int64_t i, std::int64_t at, std::int64_t count) {
    std::int64_t where;
    keep_largest(out[i], where, x + at, count, at);
  });
}

template <class T>
void max_pool(const MaxPool& of) {
  const PoolShape shape(of.out, of.x, of.window);
  const PoolDim& wide = shape.dim[2];
  shape.for_each_plane(0.3, [&](std::int64_t plane, Pace& pace) {
    const T* const x = of.x.as<T>() + plane * shape.size;
    T* out = of.out.as<T>() + plane * shape.places;
    const Scratch scratch(wide.size * std::int64_t{sizeof(T)});
    T* const best = scratch.as<T>();  // of the lines that a line of places meets
    const std::int64_t lines = shape.dim[0].places * shape.dim[1].places;
    for (std::int64_t line = 0; line < lines; ++line, out += wide.places) {
      const T* met = nullptr;
      shape.for_each_line(line / shape.dim[1].places, line % shape.dim[1].places, pace,
                          [&](std::int64_t first) {
                            if (met) keep_larger(best, met, x + first, wide.size, 1);
                            met = met ? best : x + first;
                          });
      if (met)
        keep_line(out, met, shape, pace);
      else
        for (std::int64_t i = 0; i < wide.places; ++i) out[i] = functors::lowest<T>;
    }
  });
}

template <class T, class I>
void max_pool(const MaxPool& of) {
  const PoolShape shape(of.out, of.x, of.window);
  const PoolDim& wide = shape.dim[2];
  shape.for_each_plane(0.5, [&](std::int64_t plane, Pace& pace) {
    const T* const x = of.x.as<T>() + plane * shape.size;
    T* best = of.out.as<T>() + plane * shape.places;
    I* where = of.indices.as<I>() + plane * shape.places;
    if (shape.is_one_place()) {
      *best = functors::lowest<T>;
      *where = 0;
      return keep_largest(*best, *where, x, shape.size, I(0));
    }
    const std::int64_t lines = shape.dim[0].places * shape.dim[1].places;
    for (std::int64_t line = 0; line < lines; ++line, best += wide.places, where += wide.places) {
      const std::int64_t z = line / shape.dim[1].places, y = line % shape.dim[1].places;
      for (std::int64_t i = 0; i < wide.places; ++i) {
        best[i] = functors::lowest<T>;
        where[i] = -1;
      }
      shape.for_each_line(z, y, pace, [&](std::int64_t first) {
        if (!shape.has_long_windows())
          return shape.for_each_tap(
              pace, [&](std::int64_t begin, std::int64_t end, std::int64_t at) {
                keep_larger(best + begin, where + begin, x + first + at, end - begin, wide.stride,
                            static_cast<I>(first + at));
              });
        shape.for_each_window([&](std::int64_t i, std::int64_t at, std::int64_t count) {
          keep_largest(best[i], where[i], x + first + at, count, static_cast<I>(first + at));
        });
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

}  // namespace

template <>
void kernel(const MaxPool& of, Stream) {
  visit_real(of.name, of.x.dtype, [&]<class T>(Type<T> type) {
    if constexpr (functors::Real<T>)
      if (!of.indices.data) return max_pool<T>(of);
    if constexpr (functors::Number<T>)
      visit_indices(type, of.indices.dtype, [&]<class I>(Type<T>, Type<I>) { max_pool<T, I>(of); });
    else
      __builtin_trap();  // the op lets none through
  });
}

}  // namespace garboard::kernels::GARBOARD_ISA
