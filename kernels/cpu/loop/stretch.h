// The flat loops of a functor, and the short way to them.
#pragma once

#include <algorithm>
#include <type_traits>

#include "kernels/cpu/loop/loop.h"
#include "kernels/cpu/loop/stretch_in_float.h"
#include "kernels/cpu/loop/swift_halves.h"
#include "kernels/cpu/wide/divisor.h"
#include "kernels/cpu/wide/wide_angle.h"
#include "kernels/cpu/wide/wide_exponential.h"
#include "kernels/cpu/wide/wide_pieces.h"
#include "kernels/cpu/wide/wide_power.h"
#include "kernels/cpu/wide/wide_remainder.h"
#include "kernels/cpu/wide/wide_sine.h"
#include "kernels/cpu/wide/wide_vector.h"
#include "kernels/functors/in_float.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

using functors::InMemory;
using functors::loaded;

// ivdep: `out` may be an input, but then element i alone is read for element i.

template <class F, class T>
concept HasEasyCase = requires(T x) {
  F::is_easy(x);
  F::easy(x);
};

/// In blocks: one hard element keeps no more than its block from the fast loop.
template <class F, class T>
void easy_stretch(T* y, const T* x, std::int64_t count) {
  constexpr std::int64_t block = 256;
  for (; count > 0; count -= block, x += block, y += block) {
    const std::int64_t n = count < block ? count : block;
    unsigned hard = 0;
    for (std::int64_t i = 0; i < n; ++i) hard |= !F::is_easy(x[i]);
    if (hard) {
      for (std::int64_t i = 0; i < n; ++i) y[i] = F{}(x[i]);
    } else {
#pragma GCC ivdep
      for (std::int64_t i = 0; i < n; ++i) y[i] = F::easy(x[i]);
    }
  }
}

template <class F, class T>
concept HasEasyPair = requires(T x) {
  F::is_easy(x, x);
  F::easy(x, x);
};

/// Likewise of two inputs. What is easy and whether it was are one loop, whose results wait beside
/// `y`, which may be an input.
template <class F, class T, class Left, class Right>
void easy_pairs(T* y, std::int64_t count, Left left, Right right) {
  constexpr std::int64_t block = 256;
  T results[block];
  for (std::int64_t first = 0; first < count; first += block) {
    const std::int64_t n = count - first < block ? count - first : block;
    unsigned hard = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const T a = left(first + i), b = right(first + i);
      hard |= !F::is_easy(a, b);
      results[i] = F::easy(a, b);
    }
    if (hard)
      for (std::int64_t i = 0; i < n; ++i) results[i] = F{}(left(first + i), right(first + i));
    __builtin_memcpy(y + first, results, static_cast<std::size_t>(n) * sizeof(T));
  }
}

/// Whether F takes less time than its operands do from the second cache.
template <class F>
inline constexpr bool is_swift = functors::effort_of<F> == functors::Effort::least;

/// y[i] = at(i). Asks for y's lines ahead: in the second cache, stores wait longer than loads.
template <class T, class At>
void store_ahead(T* y, std::int64_t count, At at) {
  constexpr std::int64_t block = tuning::stored_block, ahead = tuning::stored_ahead,
                         line = tuning::line_bytes / sizeof(T);
  std::int64_t i = 0;
  for (; i + block <= count; i += block) {
    for (std::int64_t l = 0; l < block && i + ahead + block <= count; l += line)
      __builtin_prefetch(y + i + ahead + l, 1);
#pragma GCC ivdep
    for (std::int64_t j = i; j < i + block; ++j) y[j] = at(j);
  }
#pragma GCC ivdep
  for (; i < count; ++i) y[i] = at(i);
}

/// What a call of F with elements of T gives.
template <class F, class... T>
using ResultOn = std::invoke_result_t<F, functors::Widened<T>...>;

template <class F, class T>
void unary_stretch(void* out, const void* const* in, std::int64_t count, unsigned scalars) {
  if constexpr (functors::Half<T>) {
    if constexpr (requires { F::of_half_bits; })
      return half_bits_stretch<F>(out, in[0], count);
    if constexpr (is_swift<F>)
      return swift_stretch<F>(static_cast<T*>(out), count, static_cast<const T*>(in[0]));
    constexpr StretchForm form{1, 0, 0, std::is_same_v<ResultOn<F, T>, bool>};
    return stretch_in_float<T, form>(unary_stretch<F, float>, out, in, count, scalars);
  } else {
    auto* y = static_cast<InMemory<std::invoke_result_t<F, T>>*>(out);
    auto* x = static_cast<const InMemory<T>*>(in[0]);
    if constexpr (HasWide<F, T>) return wide_stretch<F>(y, x, count);
    if constexpr (HasEasyCase<F, T>) return easy_stretch<F>(y, x, count);
    if constexpr (is_swift<F>)
      return store_ahead(
          y, count, [=](std::int64_t i) __attribute__((always_inline)) {
            return F{}(loaded<T>(x[i]));
          });
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) y[i] = F{}(loaded<T>(x[i]));
  }
}

/// A swift functor on a half type; false, with nothing done, where an array is in float already.
template <class F, class T, unsigned floats>
bool binary_swiftly(T* y, const void* const* in, std::int64_t count, unsigned scalars) {
  if (floats & ~scalars) return false;
  auto* const a = static_cast<const T*>(in[0]);
  auto* const b = static_cast<const T*>(in[1]);
  if (scalars == 0)
    swift_stretch<F>(y, count, a, b);
  else if (scalars == 1)
    swift_stretch<F>(y, count, number_of<T>(in[0], floats & 1), b);
  else
    swift_stretch<F>(y, count, a, number_of<T>(in[1], floats & 2));
  return true;
}

/// `stretch` of two vectors, where one of the two is a number.
template <class Y, class T>
void with_vectors(void (*stretch)(void*, const void* const*, std::int64_t, unsigned), Y* y,
                  const T* a, const T* b, std::int64_t count, unsigned scalars) {
  constexpr std::int64_t most = 128;
  T same[most];
  std::fill_n(same, std::min(count, most), scalars == 1 ? *a : *b);
  for (std::int64_t i = 0; i < count; i += most) {
    const void* const in[] = {scalars == 1 ? same : a + i, scalars == 1 ? b + i : same};
    stretch(y + i, in, std::min(count - i, most), 0);
  }
}

/// `floats`: which inputs of a half type are floats already, a bit each.
template <class F, class T, unsigned floats = 0>
void binary_stretch(void* out, const void* const* in, std::int64_t count, unsigned scalars) {
  if constexpr (functors::Half<T>) {
    if constexpr (is_swift<F>)
      if (binary_swiftly<F, T, floats>(static_cast<T*>(out), in, count, scalars)) return;
    constexpr StretchForm form{2, 0, floats, std::is_same_v<ResultOn<F, T, T>, bool>};
    return stretch_in_float<T, form>(binary_stretch<F, float>, out, in, count, scalars);
  } else {
    auto* y = static_cast<InMemory<std::invoke_result_t<F, T, T>>*>(out);
    auto* a = static_cast<const InMemory<T>*>(in[0]);
    auto* b = static_cast<const InMemory<T>*>(in[1]);
    if constexpr (HasWide<F, T>) return wide_stretch<F>(y, a, b, count, scalars);
    if constexpr (HasEasyPair<F, T>) {
      const auto each = [](const T* x) {
        return [=](std::int64_t i) __attribute__((always_inline)) { return x[i]; };
      };
      const auto same = [](const T* x) {
        return [number = *x](std::int64_t) __attribute__((always_inline)) { return number; };
      };
      if (scalars == 0) return easy_pairs<F>(y, count, each(a), each(b));
      if (scalars == 1) return easy_pairs<F>(y, count, same(a), each(b));
      return easy_pairs<F>(y, count, each(a), same(b));
    }
    if constexpr (requires { F::wants_vectors; } && std::is_same_v<T, double>)
      if (scalars != 0) return with_vectors(binary_stretch<F, T>, y, a, b, count, scalars);
    if (scalars == 0) {
      if constexpr (is_swift<F>)
        return store_ahead(
            y, count, [=](std::int64_t i) __attribute__((always_inline)) {
              return F{}(loaded<T>(a[i]), loaded<T>(b[i]));
            });
#pragma GCC ivdep
      for (std::int64_t i = 0; i < count; ++i) y[i] = F{}(loaded<T>(a[i]), loaded<T>(b[i]));
    } else if (scalars == 1) {
      const T left = loaded<T>(*a);
#pragma GCC ivdep
      for (std::int64_t i = 0; i < count; ++i) y[i] = F{}(left, loaded<T>(b[i]));
    } else {
      const T right = loaded<T>(*b);
      if constexpr (Divides<F> && functors::Integer<T>)
        if (Divisor<T>::takes(right) && count > 8) return divide_by_one<F>(y, a, count, right);
#pragma GCC ivdep
      for (std::int64_t i = 0; i < count; ++i) y[i] = F{}(loaded<T>(a[i]), right);
    }
  }
}
inline constexpr unsigned binary_scalar_sets = 0b111;

/// Whether rows of F are short: what is done once a row would take longer than the rest.
template <class F, class T>
inline constexpr bool has_rows = functors::Real<T> &&
                                 (is_swift<F> || std::is_same_v<F, functors::Divide>);

template <class T, int count>
struct VectorOf {
  typedef T Type __attribute__((vector_size(count * sizeof(T))));
};

/// The elements of an array from i on.
template <class T>
struct EachOf {
  const T* from;
  template <class Vector>
  [[gnu::always_inline]] Vector at(std::int64_t i) const {
    Vector x;
    __builtin_memcpy(&x, from + i, sizeof x);
    return x;
  }
};
/// One element for all.
template <class T>
struct SameFor {
  T value;
  template <class Vector>
  [[gnu::always_inline]] Vector at(std::int64_t) const {
    return value - Vector{};
  }
};

/// y = F(left, right), of a row: by whole vectors, by quarters of one, and one by one.
template <class F, class T, class Left, class Right>
[[gnu::always_inline]] inline void store_row(T* y, std::int64_t count, Left left, Right right) {
  constexpr std::int64_t lanes = WideVector<T>::lanes, few = lanes < 4 ? 1 : lanes / 4;
  std::int64_t i = 0;
  const auto store_by = [&]<std::int64_t n>(std::integral_constant<std::int64_t, n>) {
    using Vector = typename VectorOf<T, n>::Type;
    for (; i + n <= count; i += n) {
      Vector x = left.template at<Vector>(i);
      const Vector z = right.template at<Vector>(i);
      for (std::int64_t j = 0; j < n; ++j) x[j] = F{}(x[j], z[j]);
      __builtin_memcpy(y + i, &x, sizeof x);
    }
  };
  store_by(std::integral_constant<std::int64_t, lanes>{});
  store_by(std::integral_constant<std::int64_t, few>{});
  store_by(std::integral_constant<std::int64_t, 1>{});
}

template <class F, class T>
void binary_rows(void* out, const void* const* in, std::int64_t rows, const std::int64_t* steps,
                 std::int64_t count, unsigned scalars) {
  auto* y = static_cast<char*>(out);
  auto* a = static_cast<const char*>(in[0]);
  auto* b = static_cast<const char*>(in[1]);
  const auto each_row = [&](auto left, auto right) {
    for (std::int64_t r = 0; r < rows; ++r, y += steps[0], a += steps[1], b += steps[2])
      store_row<F>(reinterpret_cast<T*>(y), count, left(reinterpret_cast<const T*>(a)),
                   right(reinterpret_cast<const T*>(b)));
  };
  const auto each = [](const T* from) { return EachOf<T>{from}; };
  const auto same = [](const T* from) { return SameFor<T>{*from}; };
  if (scalars == 0)
    each_row(each, each);
  else if (scalars == 1)
    each_row(same, each);
  else
    each_row(each, same);
}

/// Those of F, or null.
template <class F, class T>
constexpr RowsStretch rows_of() {
  if constexpr (has_rows<F, T>)
    return binary_rows<F, T>;
  else
    return nullptr;
}

/// Runs a stretch over dense views of few elements, for which nothing is set up. False if any is
/// not, or more of them are one element than the stretch takes.
template <Stretch stretch, unsigned scalar_sets, class... Views>
bool run_short(const View& out, const Views&... in) {
  if (!out.contiguous || out.count >= tuning::long_elements) return false;
  bool is_dense = true;
  unsigned scalars = 0, bit = 1;
  const auto look_at = [&](const View& x) {
    if (!is_flat(x, out)) {
      is_dense &= is_scalar(x);
      scalars |= bit;
    }
    bit <<= 1;
  };
  (look_at(in), ...);
  if (!is_dense || !(scalar_sets >> scalars & 1)) return false;
  const void* const data[] = {in.data...};
  stretch(out.data, data, out.count, scalars);
  return true;
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
