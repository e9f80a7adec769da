// The element of a slice by its rank.
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/sort/results.h"
#include "kernels/cpu/sort/sort_entries.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

template <class T>
void select(const Select& of) {
  const std::int64_t count = slice_of<const T>(of.x, of.dim, of.x.as<char>()).count;
  with_entry<T>(count, [&]<class Entry>(Entry) {
    for_each_slice({&of.values, &of.indices, &of.x}, of.dim, 8.0 * static_cast<double>(count),
                   [&](char* const* data) {
                     const StridedSlice<const T> x = slice_of<const T>(of.x, of.dim, data[2]);
                     const Results<T> out = results_of<T>(of.values, of.indices, of.dim, data);
                     EntryRoom<Entry> room(count);
                     Entry* const entries = room.entries();
                     std::int64_t numbers = 0, first_nan = -1;
                     read_entries(entries, x, false);
                     for (const auto [first, last] : Pieces<>(count)) {
                       for (std::int64_t i = first; i < last; ++i) {
                         const bool is_number = !is_nan(x[i]);
                         numbers += is_number;
                         if (!is_number && first_nan < 0) first_nan = i;
                       }
                     }
                     if (first_nan >= 0 && (of.nans == NaNs::win || numbers == 0))
                       return out.write(0, x[first_nan], first_nan);
                     const std::int64_t rank =
                         of.nans == NaNs::passed_over ? (numbers - 1) / 2 : of.rank;
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
