// Distances between the rows of matrices, and the way back. The rows of one matrix stand side by
// side, one in each lane of some vectors, and meet those of the other one after another.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/cpu/loop/loop.h"
#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/tuning.h"
#include "kernels/cpu/wide/wide_vector.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

constexpr int vectors = 4;
template <class T>
using RowLanes = typename WideVector<T>::Type;
/// Rows side by side.
template <class T>
constexpr std::int64_t beside = vectors* WideVector<T>::lanes;

/// Element `column` of row `row` of matrix `batch`.
template <class T>
struct Matrices {
  T* data;
  std::int64_t of_batch, of_row, of_column, rows, columns;

  explicit Matrices(const View& of)
      : data(of.as<T>()),
        of_batch(of.strides.data()[0]),
        of_row(of.strides.data()[1]),
        of_column(of.strides.data()[2]),
        rows(of.sizes.data()[1]),
        columns(of.sizes.data()[2]) {}

  T* at(std::int64_t batch, std::int64_t row) const {
    return data + batch * of_batch + row * of_row;
  }
};

/// Columns [begin, end) of rows from `first` on, side by side. Where fewer rows are left, their
/// last one stands for the rest.
template <class T>
void set_beside(T* to, const Matrices<const T>& x, std::int64_t batch, std::int64_t first,
                std::int64_t begin, std::int64_t end) {
  const T* const from = x.at(batch, first) + begin * x.of_column;
  if (x.rows - first >= beside<T>)
    return gather(sizeof(T), to, from, {end - begin, beside<T>, x.of_column, x.of_row});
  for (std::int64_t r = 0; r < beside<T>; ++r) {
    const T* const row = from + smaller(r, x.rows - first - 1) * x.of_row;
    for (std::int64_t c = 0; c < end - begin; ++c) to[c * beside<T> + r] = row[c * x.of_column];
  }
}

/// Where the distance of row i from row j > i stands among those of all pairs of rows.
inline std::int64_t place_of_pair(std::int64_t rows, std::int64_t i, std::int64_t j) {
  return i * (2 * rows - i - 1) / 2 + j - i - 1;
}

/// As `set_beside` of the square of all distances, of which `pairs` has those above its diagonal.
template <class T>
void set_pairs_beside(T* to, const T* pairs, std::int64_t rows, std::int64_t first,
                      std::int64_t begin, std::int64_t end) {
  for (std::int64_t r = 0; r < beside<T>; ++r) {
    const std::int64_t row = smaller(first + r, rows - 1), met = smaller(larger(row, begin), end);
    T* const lane = to + r - begin * beside<T>;
    for (std::int64_t j = begin, at = place_of_pair(rows, j, row); j < met; at += rows - j++ - 2)
      lane[j * beside<T>] = pairs[at];
    const T* const later = pairs + place_of_pair(rows, row, 0);
    for (std::int64_t j = met; j < end; ++j) lane[j * beside<T>] = j == row ? T(0) : later[j];
  }
}

template <class T>
RowLanes<T> size_of(RowLanes<T> x) {
  using Bits = decltype(x < x);
  using Bit = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  return (RowLanes<T>)((Bits)x & std::numeric_limits<Bit>::max());
}
/// -1, 0 or 1.
template <class T>
RowLanes<T> sign_of(RowLanes<T> x) {
  const RowLanes<T> nothing{}, one = nothing + T(1);
  return (x > 0 ? one : nothing) - (x < 0 ? one : nothing);
}

// The norms, of what the elements of two rows are apart. `slope`, times the gradient and `share`,
// is the derivative by such an element.
template <class T>
struct SumOfSizes {
  static RowLanes<T> with(RowLanes<T> sum, RowLanes<T> apart) { return sum + size_of<T>(apart); }
  static RowLanes<T> joined(RowLanes<T> sum, RowLanes<T> part) { return sum + part; }
  static T finished(T sum) { return sum; }
  static T share(T) { return 1; }
  static RowLanes<T> slope(RowLanes<T> apart, RowLanes<T>) { return sign_of<T>(apart); }
};
template <class T>
struct RootOfSquares {
  static RowLanes<T> with(RowLanes<T> sum, RowLanes<T> apart) { return sum + apart * apart; }
  static RowLanes<T> joined(RowLanes<T> sum, RowLanes<T> part) { return sum + part; }
  static T finished(T sum) { return std::sqrt(sum); }
  static T share(T far) { return far == 0 ? T(0) : 1 / far; }
  static RowLanes<T> slope(RowLanes<T> apart, RowLanes<T>) { return apart; }
};
template <class T>
struct Largest {
  static RowLanes<T> with(RowLanes<T> most, RowLanes<T> apart) {
    return joined(most, size_of<T>(apart));
  }
  static RowLanes<T> joined(RowLanes<T> most, RowLanes<T> part) {  // NaN stays
    return (part > most) | (part != part) ? part : most;
  }
  static T finished(T most) { return most; }
  static T share(T) { return 1; }
  static RowLanes<T> slope(RowLanes<T> apart, RowLanes<T> far) {
    return size_of<T>(apart) == far ? sign_of<T>(apart) : RowLanes<T>{};
  }
};

/// What the norm makes of columns [0, count) of a row and of those beside, added to `sums`.
template <class T, class Norm>
void meet(T* sums, const T* row, std::int64_t step, const T* others, std::int64_t count) {
  RowLanes<T> part[vectors] = {};
  for (std::int64_t c = 0; c < count; ++c)
    for (int v = 0; v < vectors; ++v)
      part[v] = Norm::with(
          part[v],
          WideVector<T>::load(others + c * beside<T> + v * WideVector<T>::lanes) - row[c * step]);
  for (int v = 0; v < vectors; ++v) {
    T* const to = sums + v * WideVector<T>::lanes;
    WideVector<T>::store(to, Norm::joined(WideVector<T>::load(to), part[v]));
  }
}

/// What threads share: rows side by side, `turns` times each.
template <class T>
struct Units {
  std::int64_t batches, groups, turns;
  double cost_ns;

  /// `others` rows meet each of `rows` along the columns.
  Units(std::int64_t batches, std::int64_t rows, std::int64_t others, std::int64_t columns,
        std::int64_t turns)
      : batches(batches),
        groups(divided_up(rows, beside<T>)),
        turns(turns),
        cost_ns(tuning::distance_ns * static_cast<double>(batches * others) *
                static_cast<double>(groups * beside<T>) * static_cast<double>(columns + 1)) {}

  /// Calls `run(batch, first row of those side by side, turn, memory)`, each with memory for so
  /// many times all rows side by side.
  template <class Run>
  void for_each(std::int64_t numbers, Run run) const {
    for_each_part(batches * groups * turns, 1, cost_ns, [&](std::int64_t begin, std::int64_t end) {
      const Scratch memory(numbers * beside<T>, sizeof(T));
      for (std::int64_t unit = begin; unit < end; ++unit)
        run(unit / turns / groups, unit / turns % groups * beside<T>, unit % turns, memory.as<T>());
    });
  }
};

/// `out` has a number for each row of x and of y, or, `of_pairs`, for each two rows of one matrix.
template <class T, class Norm>
void find_distances(const RowDistances& of, bool of_pairs) {
  Matrices<const T> x(of.x), y(of.y);
  T* to = of.out.as<T>();
  std::int64_t of_batch = 0, of_row = 0, of_column = 1;
  if (!of_pairs) {
    of_batch = of.out.strides.data()[0];
    of_row = of.out.strides.data()[1];
    of_column = of.out.strides.data()[2];
    if (y.rows < beside<T> && y.rows < x.rows) {
      std::swap(x, y);
      std::swap(of_row, of_column);
    }
  }
  const std::int64_t columns = x.columns, at_a_time = smaller(columns, tuning::distance_columns);
  const Units<T> units(of_pairs ? 1 : of.out.sizes.data()[0], y.rows, x.rows, columns,
                       divided_up(x.rows, tuning::distance_rows));
  const std::int64_t room = tuning::distance_rows + at_a_time;
  units.for_each(room, [&](std::int64_t batch, std::int64_t place, std::int64_t turn, T* sums) {
    T* const others = sums + tuning::distance_rows * beside<T>;
    const std::int64_t first = turn * tuning::distance_rows,
                       end = smaller(place + beside<T>, y.rows);
    std::int64_t rows = smaller(tuning::distance_rows, x.rows - first);
    if (of_pairs) rows = larger(smaller(rows, end - 1 - first), 0);
    const std::int64_t count = rows * beside<T>;
    std::fill_n(sums, count, T(0));
    Pace pace;
    for (std::int64_t c = 0; c < columns && rows; c += tuning::distance_columns) {
      const std::int64_t some = smaller(tuning::distance_columns, columns - c);
      set_beside(others, y, batch, place, c, c + some);
      for (std::int64_t r = 0; r < rows; ++r)
        meet<T, Norm>(sums + r * beside<T>, x.at(batch, first + r) + c * x.of_column, x.of_column,
                      others, some);
      pace.advance(rows * some);
    }
    for (std::int64_t i = 0; i < count; ++i) sums[i] = Norm::finished(sums[i]);
    for (std::int64_t r = 0; r < rows; ++r) {
      const std::int64_t row = first + r, begin = of_pairs ? larger(place, row + 1) : place;
      T* const line =
          to + batch * of_batch + (of_pairs ? place_of_pair(x.rows, row, 0) : row * of_row);
      const T* const from = sums + r * beside<T> - place;
      for (std::int64_t j = begin; j < end; ++j) line[j * of_column] = from[j];
    }
  });
}

/// The part of columns [place, place + count) of the rows `given` side by side that the shares of
/// `few` others have in their gradient, added to `sums`.
template <class T, class Norm>
void add_shares(T* sums, const T* given, std::int64_t count, const T* shares, const T* far,
                const T* others, const Matrices<const T>& y, std::int64_t few) {
  for (std::int64_t c = 0; c < count; ++c) {
    const T* const other = others + c * y.of_column;
    for (int v = 0; v < vectors; ++v) {
      const std::int64_t lane = v * WideVector<T>::lanes;
      const RowLanes<T> x_c = WideVector<T>::load(given + c * beside<T> + lane);
      RowLanes<T> sum{};
      for (std::int64_t r = 0; r < few; ++r)
        sum +=
            WideVector<T>::load(shares + r * beside<T> + lane) *
            Norm::slope(x_c - other[r * y.of_row], WideVector<T>::load(far + r * beside<T> + lane));
      T* const to = sums + c * beside<T> + lane;
      WideVector<T>::store(to, WideVector<T>::load(to) + sum);
    }
  }
}

template <class T, class Norm>
void find_gradient(const RowDistancesGradient& of, bool of_pairs) {
  const Matrices<T> x_gradient(of.x_gradient);
  const Matrices<const T> x(of.x), y(of.y);
  const std::int64_t columns = x.columns, at_a_time = smaller(columns, tuning::distance_columns);
  const Units<T> units(of.x.sizes.data()[0], x.rows, y.rows, columns,
                       divided_up(columns, tuning::distance_columns));
  const auto set = [&](T* to, const View& from, std::int64_t batch, std::int64_t first,
                       std::int64_t begin, std::int64_t end) {
    of_pairs ? set_pairs_beside(to, from.as<const T>(), x.rows, first, begin, end)
             : set_beside(to, Matrices<const T>(from), batch, first, begin, end);
  };
  const std::int64_t room = 2 * (at_a_time + tuning::distance_shares);
  units.for_each(room, [&](std::int64_t batch, std::int64_t first, std::int64_t turn, T* given) {
    T *const sums = given + at_a_time * beside<T>, *const shares = sums + at_a_time * beside<T>;
    T* const far = shares + tuning::distance_shares * beside<T>;
    const std::int64_t place = turn * tuning::distance_columns;
    const std::int64_t count = smaller(tuning::distance_columns, columns - place);
    set_beside(given, x, batch, first, place, place + count);
    std::fill_n(sums, count * beside<T>, T(0));
    Pace pace;
    for (std::int64_t j = 0; j < y.rows; j += tuning::distance_shares) {
      const std::int64_t few = smaller(tuning::distance_shares, y.rows - j);
      set(shares, of.gradient, batch, first, j, j + few);
      set(far, of.out, batch, first, j, j + few);
      for (std::int64_t i = 0; i < few * beside<T>; ++i) shares[i] *= Norm::share(far[i]);
      add_shares<T, Norm>(sums, given, count, shares, far, y.at(batch, j) + place * y.of_column, y,
                          few);
      pace.advance(few * count);
    }
    const std::int64_t live = smaller(beside<T>, x.rows - first);
    for (std::int64_t r = 0; r < live; ++r) {
      T* const to = x_gradient.at(batch, first + r) + place * x_gradient.of_column;
      for (std::int64_t c = 0; c < count; ++c)
        to[c * x_gradient.of_column] = sums[c * beside<T> + r];
    }
  });
}

template <class Call>
void with_norm(DType dtype, double power, Call call) {
  const auto of = [&]<class T>() {
    if (power == 1) return call.template operator()<T, SumOfSizes<T>>();
    if (power == 2) return call.template operator()<T, RootOfSquares<T>>();
    return call.template operator()<T, Largest<T>>();
  };
  dtype == DType::float32 ? of.template operator()<float>() : of.template operator()<double>();
}

}  // namespace

template <>
void kernel(const RowDistances& of, Stream) {
  if (of.out.count == 0) return;
  with_norm(of.out.dtype, of.power,
            [&]<class T, class Norm>() { find_distances<T, Norm>(of, of.out.ndim() == 1); });
}

template <>
void kernel(const RowDistancesGradient& of, Stream) {
  if (of.x_gradient.count == 0) return;
  with_norm(of.out.dtype, of.power,
            [&]<class T, class Norm>() { find_gradient<T, Norm>(of, of.out.ndim() == 1); });
}

}  // namespace garboard::kernels::GARBOARD_ISA
