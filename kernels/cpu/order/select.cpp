// The element of a slice by its rank.
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/order/results.h"
#include "kernels/cpu/order/short_slices.h"
#include "kernels/cpu/order/sort_entries.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// The numbers of a slice, and where its first NaN is.
struct Census {
  std::int64_t numbers = 0, first_nan = -1;

  bool gives_nan(NaNs nans) const { return first_nan >= 0 && (nans == NaNs::win || numbers == 0); }
  std::int64_t rank_of(const Select& of) const {
    return of.nans == NaNs::passed_over ? (numbers - 1) / 2 : of.rank;
  }
};

template <class T>
Census census_of(StridedSlice<const T> x) {
  if constexpr (std::is_integral_v<T>) return {.numbers = x.count};
  Census census;
  for (const auto [first, last] : Pieces<>(x.count)) {
    for (std::int64_t i = first; i < last; ++i) census.numbers += !is_nan(x[i]);
  }
  if (census.numbers == x.count) return census;
  census.first_nan = 0;
  while (!is_nan(x[census.first_nan])) ++census.first_nan;
  return census;
}

template <class T>
void select(const Select& of) {
  const std::int64_t count = slice_of<const T>(of.x, of.dim, of.x.as<char>()).count;
  if (count > 0 && count <= longest_column) return select_short(of, count);
  with_entry<T>(count, [&]<class Entry>(Entry) {
    for_each_slice({&of.values, &of.indices, &of.x}, of.dim, 8.0 * static_cast<double>(count),
                   [&](char* const* data) {
                     const StridedSlice<const T> x = slice_of<const T>(of.x, of.dim, data[2]);
                     const Results<T> out = results_of<T>(of.values, of.indices, of.dim, data);
                     const Census census = census_of(x);
                     if (census.gives_nan(of.nans))
                       return out.write(0, x[census.first_nan], census.first_nan);
                     EntryRoom<Entry> room(count);
                     Entry* const entries = room.entries();
                     read_entries(entries, x, false);
                     const std::int64_t rank = census.rank_of(of);
                     select_entries(entries, count, rank);
                     out.write(0, x[entries[rank].place()], entries[rank].place());
                   });
  });
}

}  // namespace

template <>
void kernel(const Select& of, Stream) {
  visit_real(of.name, of.x.dtype, [&]<class T>(Type<T>) { select<T>(of); });
}

}  // namespace garboard::kernels::GARBOARD_ISA
