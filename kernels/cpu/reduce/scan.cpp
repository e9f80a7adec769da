// Running results along a dim: sums and products of floats, complex ones too, in double, so that a
// long one keeps its digits, of all else in int64. Every element is read and written once.
#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/rows.h"
#include "kernels/cpu/wide/half_conversions.h"
#include "kernels/functors/reduce.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// What came before goes on in `folded`; `y` may be `x`.
template <class F, class T, class Folded>
void fold_dense(T* y, const T* x, std::int64_t count, Folded& folded) {
  if constexpr (functors::Half<T>) {  // one by one they are converted by bits
    constexpr std::int64_t block = 512;
    alignas(64) float wide[block];
    for (std::int64_t i = 0; i < count; i += block) {
      const std::int64_t n = smaller(count - i, block);
      widen(wide, x + i, n);
      fold_dense<F, float>(wide, wide, n, folded);
      narrow(y + i, wide, n);
    }
  } else {
    std::int64_t i = 0;
    if constexpr (std::is_same_v<T, float>) {  // each waits for one fold in four
      for (; i + 4 <= count; i += 4) {
        const Folded a = x[i], c = x[i + 2], ab = F{}(a, static_cast<Folded>(x[i + 1])),
                     cd = F{}(c, static_cast<Folded>(x[i + 3]));
        y[i] = static_cast<float>(F{}(folded, a));
        y[i + 1] = static_cast<float>(F{}(folded, ab));
        y[i + 2] = static_cast<float>(F{}(folded, F{}(ab, c)));
        folded = F{}(folded, F{}(ab, cd));
        y[i + 3] = static_cast<float>(folded);
      }
    }
    for (; i < count; ++i) {
      folded = F{}(folded, static_cast<Folded>(x[i]));
      y[i] = static_cast<T>(folded);
    }
  }
}

template <class F, class T>
void fold_row(void* const* data, std::int64_t count) {
  using Folded = functors::Gathered<T>;
  T* const y = static_cast<T*>(data[0]);
  const T* const x = static_cast<const T*>(data[1]);
  Folded folded = F::template identity<Folded>;
  for (const auto [first, last] : Pieces<>(count))
    fold_dense<F>(y + first, x + first, last - first, folded);
}

/// Of slices side by side.
template <class F, class T>
void fold_side_by_side(void* const* data, const std::int64_t* strides, std::int64_t count,
                       std::int64_t slices) {
  using Folded = functors::Gathered<T>;
  T* const y = static_cast<T*>(data[0]);
  const T* const x = static_cast<const T*>(data[1]);
  Folded folded[tuning::columns_at_once];
  constexpr Folded start = F::template identity<Folded>;  // a copy: the linker shall not see it
  for (std::int64_t k = 0; k < slices; ++k) folded[k] = start;
  for (std::int64_t i = 0; i < count; ++i) {
#pragma GCC ivdep
    for (std::int64_t k = 0; k < slices; ++k) {
      folded[k] = F{}(folded[k], static_cast<Folded>(x[i * strides[1] + k]));
      y[i * strides[0] + k] = static_cast<T>(folded[k]);
    }
  }
}

template <class F, class T>
void fold(const View& out, const View& x, int dim) {
  const View* views[] = {&out, &x};
  constexpr bool turns = sizeof(T) == 4 || sizeof(T) == 8;
  for_each_row({fold_row<F, T>, 2, 1, turns ? fold_side_by_side<F, T> : nullptr}, views, dim);
}

/// Down `rows` rows of a dense matrix, some columns side by side.
template <class T>
void sum_columns(T* y, const T* x, std::int64_t rows, std::int64_t row_stride,
                 std::int64_t columns) {
  constexpr std::int64_t at_once = 512;
  for (std::int64_t first = 0; first < columns; first += at_once) {
    const std::int64_t n = smaller(columns - first, at_once);
    functors::Gathered<T> sums[at_once] = {};
    for (const auto [first_row, last_row] : Pieces<>(rows, at_once)) {
      for (std::int64_t r = first_row; r < last_row; ++r) {
        const T* const from = x + r * row_stride + first;
        T* const to = y + r * row_stride + first;
#pragma GCC ivdep
        for (std::int64_t c = 0; c < n; ++c) {
          sums[c] += static_cast<functors::Gathered<T>>(from[c]);
          to[c] = static_cast<T>(sums[c]);
        }
      }
    }
  }
}

template <class T>
void running_sums(const View& out, const View& x, int dim) {
  std::int64_t inner = 1;
  for (int d = dim + 1; d < x.sizes.size(); ++d) inner *= x.sizes.data()[d];
  if (inner == 1 || !x.contiguous || !out.contiguous || x.count == 0)
    return fold<functors::SumOf, T>(out, x, dim);
  const std::int64_t rows = x.sizes.data()[dim];
  const std::int64_t slabs = x.count / (rows * inner);
  constexpr double element_ns = tuning::scanned_ns;
  if (slabs > 1) {
    return for_each_part(slabs, tuning::row_part / (rows * inner) + 1,
                         static_cast<double>(x.count) * element_ns,
                         [&](std::int64_t first, std::int64_t last) {
                           for (std::int64_t s = first; s < last; ++s)
                             sum_columns(out.as<T>() + s * rows * inner,
                                         x.as<T>() + s * rows * inner, rows, inner, inner);
                         });
  }
  for_each_part(inner, larger(tuning::row_part / rows, 128),
                static_cast<double>(x.count) * element_ns,
                [&](std::int64_t first, std::int64_t last) {
                  sum_columns(out.as<T>() + first, x.as<T>() + first, rows, inner, last - first);
                });
}

/// log(sum of e^x so far), as the largest x and the sum of e^(x - largest).
template <class T>
void add_exponentials(void* const* data, std::int64_t count) {
  T* const y = static_cast<T*>(data[0]);
  const T* const x = static_cast<const T*>(data[1]);
  double largest = -__builtin_inf(), sum = 0;
  for (const auto [first, last] : Pieces<>(count)) {
    for (std::int64_t i = first; i < last; ++i) {
      const double next = static_cast<double>(x[i]);
      if (next == largest) {  // both may be infinite
        sum += 1;
      } else if (next < largest) {
        sum += functors::exp(next - largest);
      } else {  // larger, or NaN
        sum = sum * functors::exp(largest - next) + 1;
        largest = next;
      }
      const bool is_nothing = largest == -__builtin_inf();
      y[i] = static_cast<T>(is_nothing ? largest : largest + functors::log(sum));
    }
  }
}

/// Of equal ones the last counts; NaN is beyond everything.
template <class F, class T>
void find_row(void* const* data, std::int64_t count) {
  T* const values = static_cast<T*>(data[0]);
  auto* const places = static_cast<std::int64_t*>(data[1]);
  const auto* const x = static_cast<const functors::InMemory<T>*>(data[2]);
  functors::Widened<T> best = functors::widened(functors::loaded<T>(x[0]));
  std::int64_t place = 0;
  for (const auto [first, last] : Pieces<>(count)) {
    for (std::int64_t i = first; i < last; ++i) {
      const functors::Widened<T> next = functors::widened(functors::loaded<T>(x[i]));
      const bool is_beyond = std::is_same_v<F, functors::MaximumOf> ? next >= best : next <= best;
      const bool is_better = is_beyond | (next != next);
      best = is_better ? next : best;
      place = is_better ? i : place;
      values[i] = static_cast<T>(best);
      places[i] = place;
    }
  }
}

template <class F>
void running_extrema(const char* name, const CumulativeExtremum& of) {
  const View* views[] = {&of.values, &of.indices, &of.x};
  visit_real(name, of.x.dtype, [&]<class T>(Type<T>) {
    for_each_row({find_row<F, T>, 3, 2}, views, of.dim);
  });
}

/// Of what is neither floating nor complex as int64, which it was converted to.
template <class Visit>
void visit_counted(DType dtype, Visit visit) {
  visit_dtype(dtype, [&]<class T>(Type<T> type) {
    if constexpr (functors::Floating<T> || functors::ComplexNumber<T>)
      visit(type);
    else
      visit(Type<std::int64_t>{});
  });
}

}  // namespace

template <>
void kernel(const CumulativeMaximum& of, Stream) {
  running_extrema<functors::MaximumOf>(of.name, of);
}
template <>
void kernel(const CumulativeMinimum& of, Stream) {
  running_extrema<functors::MinimumOf>(of.name, of);
}
template <>
void kernel(const CumulativeProduct& of, Stream) {
  visit_counted(of.x.dtype,
                [&]<class T>(Type<T>) { fold<functors::ProductOf, T>(of.out, of.x, of.dim); });
}
template <>
void kernel(const LogCumulativeSumExp& of, Stream) {
  const View* views[] = {&of.out, &of.x};
  visit_floating(of.x.dtype, [&]<class T>(Type<T>) {
    for_each_row({add_exponentials<T>, 2, 1}, views, of.dim);
  });
}
template <>
void kernel(const CumulativeSum& of, Stream) {
  visit_counted(of.x.dtype, [&]<class T>(Type<T>) { running_sums<T>(of.out, of.x, of.dim); });
}

}  // namespace garboard::kernels::GARBOARD_ISA
