// Where the extremum of each slice stands. Lanes carry the place of their best element along, as an
// integer of the element's size, so that g++ vectorises the search: every element is read once.
#include <cstring>
#include <limits>

#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/rows.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/reduce/dense_reduce.h"
#include "kernels/cpu/wide/wide_vector.h"
#include "kernels/functors/reduce.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// Whether `x` comes before `best`, which was met earlier: it is beyond it, or the first NaN.
template <class F, class T>
__attribute__((always_inline)) inline bool is_better(T x, T best) {
  if constexpr (std::is_same_v<F, functors::MaximumOf>)
    return !(x <= best) & (best == best);
  else
    return !(x >= best) & (best == best);
}

using functors::InMemory;
using functors::loaded;

template <class T>
__attribute__((always_inline)) inline functors::Widened<T> taken(InMemory<T> x) {
  return functors::widened(functors::loaded<T>(x));
}

/// As wide as T, for a place that goes where the element goes.
template <class T>
using PlaceOf = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

/// One by one.
template <class F, class T>
std::int64_t search_singly(const InMemory<T>* x, std::int64_t count) {
  std::int64_t at = 0;
  for (std::int64_t i = 1; i < count; ++i)
    at = is_better<F>(taken<T>(x[i]), taken<T>(x[at])) ? i : at;
  return at;
}

/// Numbers of 4 or 8 bytes by vectors, a vector of them at least. What does not fill the last one
/// is read with what is before it, once more.
template <class F, class T>
class Vectors {
 public:
  using V = WideVector<T>;
  static constexpr std::int64_t width = V::lanes;

  /// The extremum, or NaN where there is one.
  static T extremum(const T* x, std::int64_t count) {
    constexpr int apart = 4;  // so that no comparison waits for the one before
    Values best[apart];
    Places nan[apart];
#pragma GCC unroll 4
    for (int n = 0; n < apart; ++n) {
      best[n] = V::load(x);
      nan[n] = Places{};
    }
    std::int64_t i = 0;
    const auto meet = [&](int n, std::int64_t at) __attribute__((always_inline)) {
      const Values rival = V::load(x + at);
      best[n] = is_beyond(rival, best[n]) ? rival : best[n];
      if constexpr (std::is_floating_point_v<T>) nan[n] |= rival != rival;
    };
    for (; i + apart * width <= count; i += apart * width)
#pragma GCC unroll 4
      for (int n = 0; n < apart; ++n) meet(n, i + n * width);
    for (; i + width <= count; i += width) meet(0, i);
    if (i < count) meet(0, count - width);
#pragma GCC unroll 4
    for (int n = 1; n < apart; ++n) {
      best[0] = is_beyond(best[n], best[0]) ? best[n] : best[0];
      nan[0] |= nan[n];
    }
    T lanes[width];
    PlaceOf<T> nan_lanes[width];
    V::store(lanes, best[0]);
    WideVector<PlaceOf<T>>::store(nan_lanes, nan[0]);
    const T found = fold_lanes<width / 2>(lanes, F{});
    if constexpr (std::is_floating_point_v<T>)
      if (fold_lanes<width / 2>(nan_lanes, functors::MinimumOf{}) != 0)
        return std::numeric_limits<T>::quiet_NaN();
    return found;
  }

  /// The first place of `value`, which a NaN is, too; `count` if there is none.
  static std::int64_t first_place(const T* x, std::int64_t count, T value) {
    const Places nowhere = Places{} + static_cast<PlaceOf<T>>(count);
    Places here, first = nowhere;
    for (int l = 0; l < int{width}; ++l) here[l] = l;
    const Values wanted = Values{} + value;
    const bool is_nan = value != value;
    const auto look = [&](std::int64_t at, const Places& places) __attribute__((always_inline)) {
      const Values rival = V::load(x + at);
      const Places is_it = is_nan ? rival != rival : rival == wanted;
      const Places found = is_it ? places : nowhere;
      first = found < first ? found : first;
    };
    std::int64_t i = 0;
    for (; i + width <= count; i += width, here += static_cast<PlaceOf<T>>(width)) look(i, here);
    if (i < count) look(count - width, here - static_cast<PlaceOf<T>>(i + width - count));
    PlaceOf<T> lanes[width];
    WideVector<PlaceOf<T>>::store(lanes, first);
    return fold_lanes<width / 2>(lanes, functors::MinimumOf{});
  }

 private:
  using Values = typename V::Type;
  using Places = typename WideVector<PlaceOf<T>>::Type;

  __attribute__((always_inline)) static Places is_beyond(const Values& a, const Values& b) {
    if constexpr (std::is_same_v<F, functors::MaximumOf>)
      return a > b;
    else
      return a < b;
  }
};

/// Lane l has met the elements l, l + width, ...; of equals the earliest counts. `count` fits into
/// a place.
template <class F, class T>
std::int64_t search_lanes(const InMemory<T>* x, std::int64_t count) {
  using Wide = functors::Widened<T>;
  constexpr int width = 64;
  Wide best[width];
  PlaceOf<T> round_of[width] = {};
  for (int l = 0; l < width; ++l) best[l] = taken<T>(x[l]);
  PlaceOf<T> round = 1;
  std::int64_t i = width;
  for (; i + width <= count; i += width, ++round) {
    for (int l = 0; l < width; ++l) {
      const Wide rival = taken<T>(x[i + l]);
      const bool better = is_better<F>(rival, best[l]);
      best[l] = better ? rival : best[l];
      round_of[l] = better ? round : round_of[l];
    }
  }
  Wide values[width];
  for (int l = 0; l < width; ++l) values[l] = best[l];
  Wide value = fold_lanes<width / 2>(values, F{});
  const bool is_nan = value != value;
  PlaceOf<T> places[width];
  for (int l = 0; l < width; ++l) {
    const bool is_it = is_nan ? best[l] != best[l] : best[l] == value;
    places[l] = is_it ? round_of[l] * width + l : static_cast<PlaceOf<T>>(i);
  }
  std::int64_t place = fold_lanes<width / 2>(places, functors::MinimumOf{});
  for (; i < count; ++i) {
    const Wide rival = taken<T>(x[i]);
    const bool better = is_better<F>(rival, value);
    value = better ? rival : value;
    place = better ? i : place;
  }
  return place;
}

template <class T>
constexpr bool fills_vectors = std::is_same_v<T, InMemory<T>> && (sizeof(T) == 4 || sizeof(T) == 8);

/// By blocks, whose extrema are found at the speed of memory; only the first block that holds the
/// extremum is searched for its place. Bounded: a thread may overwrite meanwhile, through memory
/// that NumPy shares, what was found.
template <class F, class T>
std::int64_t search_blocks(const InMemory<T>* x, std::int64_t count) {
  constexpr std::int64_t block = 512;
  T best{};
  std::int64_t at = 0, end = 0;
  for (std::int64_t first = 0; first < count && best == best; first = end) {
    end = count - first < 2 * block ? count : first + block;
    const InMemory<T>* const from = x + first;
    T found;
    if constexpr (fills_vectors<T>)
      found = Vectors<F, T>::extremum(from, end - first);
    else
      found = reduce_dense<T>(
          end - first, loaded<T>(*from),
          F{}, [from](std::int64_t i) __attribute__((always_inline)) {
            return loaded<T>(from[i]);
          });
    if (first > 0 && F{}(best, found) == best) continue;  // not if it is NaN
    best = found;
    at = first;
  }
  const std::int64_t last = count - at < 2 * block ? count - 1 : at + block - 1;
  if constexpr (fills_vectors<T>)
    return smaller(at + Vectors<F, T>::first_place(x + at, last + 1 - at, best), last);
  while (at < last && loaded<T>(x[at]) != best) ++at;
  return at;
}

/// Whichever of these is the fastest.
template <class F, class T>
std::int64_t search_places(const InMemory<T>* x, std::int64_t count) {
  constexpr bool is_byte = sizeof(T) == 1;  // of which a place has no room in a lane
  if constexpr (is_byte || fills_vectors<T>) {
    constexpr std::int64_t few = is_byte ? 64 : 16;
    return count < few ? search_singly<F, T>(x, count) : search_blocks<F, T>(x, count);
  } else {
    return count < 64 ? search_singly<F, T>(x, count) : search_lanes<F, T>(x, count);
  }
}

template <class F, class T>
void find_extremum(void* const* data, std::int64_t count) {
  const auto* const x = static_cast<const InMemory<T>*>(data[2]);
  const std::int64_t at = search_places<F, T>(x, count);
  if (data[0]) *static_cast<T*>(data[0]) = loaded<T>(x[at]);
  *static_cast<std::int64_t*>(data[1]) = at;
}

constexpr std::int64_t apart_row = 1 << 20;
constexpr double element_ns = tuning::searched_ns;

/// Of rows beyond `apart_row`, by pieces: they may be broadcast, and need not fit into memory.
void search_long_rows(RowFunction find, const View& values, const View& indices, const View& x,
                      int dim) {
  constexpr std::int64_t piece = tuning::reduce_part, pieces = tuning::reduce_parts;
  const std::int64_t count = x.sizes.data()[dim], stride = x.strides.data()[dim];
  const auto item = static_cast<std::int64_t>(item_size(x.dtype));
  LoopPlan whole;
  whole.operands = 3;
  whole.operand[0] = operand_of(values);
  whole.operand[1] = operand_of(indices);
  whole.operand[2] = operand_of(x);
  for (int d = 0, n = x.sizes.size(); d < n; ++d) {
    if (d == dim) continue;
    whole.insert({x.sizes.data()[d],
                  {values.data ? values.strides.data()[d] : 0, indices.strides.data()[d],
                   x.strides.data()[d]}});
  }
  whole.pad(1);
  const auto take = [&](char* const* data) {
    // The best of each piece, and behind those the best so far; the earliest of several equal ones.
    alignas(8) char best[(pieces + 1) * 8];
    std::int64_t place[pieces + 1];
    const auto find_in_piece = [&](std::int64_t from, std::int64_t i) {
      const std::int64_t first = from + i * piece, n = smaller(count - first, piece);
      char* some = data[2] + first * stride * item;
      const Scratch scratch(stride == 1 ? 0 : piece * item);
      if (stride != 1) {
        gather(static_cast<int>(item), scratch.data(), some, {1, n, 0, stride});
        some = scratch.data();
      }
      std::int64_t found;
      void* const to[] = {best + (i + 1) * item, &found, some};
      find(to, n);
      place[i + 1] = first + found;
    };
    for (std::int64_t from = 0; from < count; from += pieces * piece) {
      const std::int64_t n = smaller(count - from, pieces * piece);
      if (from > 0) interruption_point();
      for_each_part(divided_up(n, piece), 1, static_cast<double>(n) * element_ns,
                    [&](std::int64_t first, std::int64_t last) {
                      for (std::int64_t i = first; i < last; ++i) find_in_piece(from, i);
                    });
      const std::int64_t start = from == 0 ? 1 : 0;
      std::int64_t winner;
      void* const to[] = {nullptr, &winner, best + start * item};
      find(to, divided_up(n, piece) + 1 - start);
      winner += start;
      std::memmove(best, best + winner * item, static_cast<std::size_t>(item));
      place[0] = place[winner];
    }
    if (data[0]) std::memcpy(data[0], best, static_cast<std::size_t>(item));
    std::memcpy(data[1], place, sizeof *place);
  };
  for_each_part(whole.dim[0].size, 1, static_cast<double>(x.count) * element_ns,
                [&](std::int64_t first, std::int64_t last) {
                  for_each_place(whole.part(first, last), 0, take);
                });
}

/// Rows [first, last) of n columns, whose best elements so far stand in `best`.
template <class F, class T>
[[gnu::noinline]] void search_rows(functors::Widened<T>* __restrict best,
                                   PlaceOf<T>* __restrict row_of, const InMemory<T>* x,
                                   std::int64_t first, std::int64_t last, std::int64_t row_stride,
                                   std::int64_t n) {
  for (std::int64_t r = first; r < last; ++r) {
    const InMemory<T>* const from = x + r * row_stride;
    const auto row = static_cast<PlaceOf<T>>(r);
    for (std::int64_t c = 0; c < n; ++c) {
      const functors::Widened<T> rival = taken<T>(from[c]);
      const bool better = is_better<F>(rival, best[c]);
      best[c] = better ? rival : best[c];
      row_of[c] = better ? row : row_of[c];
    }
  }
}

/// Down the rows of a dense matrix, some columns side by side.
template <class F, class T>
void search_columns(T* values, std::int64_t* indices, const InMemory<T>* x, std::int64_t rows,
                    std::int64_t row_stride, std::int64_t columns) {
  constexpr std::int64_t at_once = 512;
  functors::Widened<T> best[at_once];
  PlaceOf<T> row_of[at_once];
  for (std::int64_t first = 0; first < columns; first += at_once) {
    const std::int64_t n = smaller(columns - first, at_once);
    for (std::int64_t c = 0; c < n; ++c) {
      best[c] = taken<T>(x[first + c]);
      row_of[c] = 0;
    }
    for (const auto [first_row, last_row] : Pieces<>(rows, at_once))
      search_rows<F, T>(best, row_of, x + first, larger(first_row, 1), last_row, row_stride, n);
    for (std::int64_t c = 0; c < n; ++c) {
      indices[first + c] = row_of[c];
      if (values) values[first + c] = static_cast<T>(best[c]);
    }
  }
}

/// Whether the slices along `dim` lie side by side in dense views.
template <class T>
bool is_columns(const View& values, const View& indices, const View& x, std::int64_t rows,
                std::int64_t columns) {
  const bool fits = sizeof(T) == 8 || rows <= std::int64_t{1} << 31;
  return columns >= 16 && fits && x.contiguous && x.count > 0 && indices.contiguous &&
         (!values.data || values.contiguous);
}

template <class F, class T>
void indexed_of(const View& values, const View& indices, const View& x, int dim) {
  std::int64_t columns = 1;
  for (int d = dim + 1, n = x.sizes.size(); d < n; ++d) columns *= x.sizes.data()[d];
  const std::int64_t rows = x.sizes.size() ? x.sizes.data()[dim] : 1;
  if (!is_columns<T>(values, indices, x, rows, columns)) {
    if (rows > apart_row && x.count > 0)
      return search_long_rows(find_extremum<F, T>, values, indices, x, dim);
    const View* views[] = {&values, &indices, &x};
    return for_each_row({find_extremum<F, T>, 3, 2}, views, dim);
  }
  const std::int64_t slabs = x.count / (rows * columns);
  // Threads get whole slabs, or of a single one columns enough to fill lines and lanes.
  const bool is_one = slabs == 1;
  constexpr std::int64_t part_elements = tuning::reduce_part;
  const std::int64_t grain = is_one ? divided_up(part_elements / rows + 1, 128) * 128
                                    : part_elements / (rows * columns) + 1;
  for_each_part(is_one ? columns : slabs, grain, static_cast<double>(x.count) * element_ns,
                [&](std::int64_t first, std::int64_t last) {
                  const auto search = [&](std::int64_t result, std::int64_t element,
                                          std::int64_t count) {
                    search_columns<F, T>(values.data ? values.as<T>() + result : nullptr,
                                         indices.as<std::int64_t>() + result,
                                         x.as<InMemory<T>>() + element, rows, columns, count);
                  };
                  if (is_one) return search(first, first, last - first);
                  for (std::int64_t slab = first; slab < last; ++slab)
                    search(slab * columns, slab * rows * columns, columns);
                });
}

template <class F>
void indexed(const char* name, const IndexedReduce& of) {
  visit_real(name, of.x.dtype,
             [&]<class T>(Type<T>) { indexed_of<F, T>(of.values, of.indices, of.x, of.dim); });
}

}  // namespace

template <>
void kernel(const MaximumIndex& of, Stream) {
  indexed<functors::MaximumOf>(of.name, of);
}
template <>
void kernel(const MinimumIndex& of, Stream) {
  indexed<functors::MinimumOf>(of.name, of);
}

}  // namespace garboard::kernels::GARBOARD_ISA
