// Where numbers would stand in a sorted row: by halving, without a branch on what is compared.
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/sort/entries.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// How many of `sorted` come before `key`, or with `right` no later.
template <bool right, class T>
std::int64_t place_in(StridedSlice<const T> sorted, BitsOf<T> key) {
  std::int64_t first = 0, count = sorted.count;
  while (count > 0) {
    const std::int64_t half = count / 2;
    const BitsOf<T> there = key_at(sorted[first + half]);
    const bool is_before = right ? there <= key : there < key;
    first += is_before ? half + 1 : 0;
    count = is_before ? count - half - 1 : half;
  }
  return first;
}

template <bool right, class T>
void search(const SearchSorted& of) {
  const int dim = of.out.sizes.size() - 1;
  const std::int64_t count = of.out.sizes.data()[dim];
  if (of.out.count == 0) return;
  const double slice_ns = tuning::looked_for_ns * static_cast<double>(count);
  for_each_slice({&of.out, &of.values, &of.sorted}, dim, slice_ns, [&](char* const* data) {
    const StridedSlice<std::int64_t> out = slice_of<std::int64_t>(of.out, dim, data[0]);
    const StridedSlice<const T> values = slice_of<const T>(of.values, dim, data[1]);
    const StridedSlice<const T> sorted = slice_of<const T>(of.sorted, dim, data[2]);
    for_each_part(count, tuning::looked_for_part, slice_ns,
                  [&](std::int64_t first, std::int64_t last) {
                    for (std::int64_t i = first; i < last; ++i)
                      out[i] = place_in<right, T>(sorted, key_at(values[i]));
                  });
  });
}

}  // namespace

template <>
void kernel(const SearchSorted& of, Stream) {
  visit_real(of.name, of.values.dtype,
             [&]<class T>(Type<T>) { of.right ? search<true, T>(of) : search<false, T>(of); });
}

}  // namespace garboard::kernels::GARBOARD_ISA
