#include "kernels/cpu/order/short_slices.h"

#include <algorithm>

#include "kernels/cpu/order/columns.h"
#include "kernels/cpu/order/words.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// How the slices of a dtype are read, alone or as many as there are lanes; elsewhere elements are
/// known by their bits alone.
template <class Bits>
struct Reader {
  using Slice = StridedSlice<const Bits>;

  bool (*read)(SliceWords<1>, Slice, bool descending);
  void (*mend)(SliceWords<1>, Slice, bool descending);
  /// Returns the slices whose words are clipped, a bit each.
  unsigned (*read_group)(std::int64_t*, const SliceGroup<word_lanes>&, Slicing<const Bits>,
                         bool descending);
  void (*mend_group)(std::int64_t*, const SliceGroup<word_lanes>&, Slicing<const Bits>,
                     unsigned clipped, bool descending);
  std::int64_t nan;
};

template <class T>
StridedSlice<const T> typed(StridedSlice<const BitsOf<T>> x) {
  return {reinterpret_cast<const T*>(x.data), x.count, x.stride};
}

template <class T>
unsigned read_group(std::int64_t* words, const SliceGroup<word_lanes>& group,
                    Slicing<const BitsOf<T>> slicing, bool descending) {
  unsigned clipped = 0;
  for (int k = 0; k < group.count; ++k) {
    const StridedSlice<const T> x = typed<T>(slicing.at(group.data[k][2]));
    clipped |= unsigned{!read_words(SliceWords<word_lanes>{words + k}, x, descending)} << k;
  }
  return clipped;
}

template <class T>
void mend_group(std::int64_t* words, const SliceGroup<word_lanes>& group,
                Slicing<const BitsOf<T>> slicing, unsigned clipped, bool descending) {
  for (int k = 0; k < group.count; ++k) {
    if (!(clipped >> k & 1)) continue;
    mend_order(SliceWords<word_lanes>{words + k}, typed<T>(slicing.at(group.data[k][2])),
               descending);
  }
}

template <class T>
constexpr Reader<BitsOf<T>> reader_of{
    [](SliceWords<1> words, StridedSlice<const BitsOf<T>> x, bool descending) {
      return read_words(words, typed<T>(x), descending);
    },
    [](SliceWords<1> words, StridedSlice<const BitsOf<T>> x, bool descending) {
      mend_order(words, typed<T>(x), descending);
    },
    read_group<T>, mend_group<T>, first_nan_word<T>()};

/// Calls `visit(data, x, words)` for each slice of the last view, with its words in order.
template <class Bits, class Visit>
void for_each_sorted(const View* const (&views)[3], int dim, std::int64_t count, bool descending,
                     const Reader<Bits>& reader, Visit visit) {
  const double slice_ns = 3.0 * static_cast<double>(count) + 10;
  const Slicing<const Bits> slicing(*views[2], dim);
  const auto sort_alone = [=](char* const* data) __attribute__((noinline)) {
    SplitColumn<longest_short_slice> column;
    const StridedSlice<const Bits> x = slicing.at(data[2]);
    const bool are_whole = reader.read({column.words}, x, descending);
    const SliceWords<1> words{column.sort(count)};
    if (!are_whole) reader.mend(words, x, descending);
    visit(data, x, words);
  };
  if (count > longest_column)
    return for_each_slice({views[0], views[1], views[2]}, dim, slice_ns, sort_alone);
  for_each_group<word_lanes>(views, dim, slice_ns, [=](const SliceGroup<word_lanes>& group) {
    if (2 * group.count <= word_lanes) {
      for (int k = 0; k < group.count; ++k) sort_alone(group.data[k]);
      return;
    }
    alignas(sizeof(WordLanes)) std::int64_t words[longest_column * word_lanes];
    if (group.count < word_lanes) std::fill_n(words, count * word_lanes, 0);
    const unsigned clipped = reader.read_group(words, group, slicing, descending);
    sort_columns(reinterpret_cast<WordLanes*>(words), static_cast<int>(count));
    if (clipped) reader.mend_group(words, group, slicing, clipped, descending);
    for (int k = 0; k < group.count; ++k)
      visit(group.data[k], slicing.at(group.data[k][2]), SliceWords<word_lanes>{words + k});
  });
}

template <class Bits>
void sort_bits(const Sort& of, std::int64_t count, std::int64_t wanted,
               const Reader<Bits>& reader) {
  const ResultsOf<Bits> results(of.values, of.indices, of.dim);
  for_each_sorted({&of.values, &of.indices, &of.x}, of.dim, count, of.descending, reader,
                  [=](char* const* data, StridedSlice<const Bits> x, auto words) {
                    const Results<Bits> out = results.at(data);
                    for (std::int64_t i = 0; i < wanted; ++i)
                      out.write(i, x[words.place(i)], words.place(i));
                  });
}

template <class Bits>
void select_bits(const Select& of, std::int64_t count, const Reader<Bits>& reader) {
  const ResultsOf<Bits> results(of.values, of.indices, of.dim);
  for_each_sorted(
      {&of.values, &of.indices, &of.x}, of.dim, count, false, reader,
      [=, &of, nan = reader.nan](char* const* data, StridedSlice<const Bits> x, auto words) {
        std::int64_t numbers = count;
        while (numbers > 0 && words[numbers - 1] >= nan) --numbers;
        const bool gives_nan = numbers < count && (of.nans == NaNs::win || numbers == 0);
        const std::int64_t rank = of.nans == NaNs::passed_over ? (numbers - 1) / 2 : of.rank;
        const std::int64_t place = words.place(gives_nan ? numbers : rank);
        results.at(data).write(0, x[place], place);
      });
}

}  // namespace

void sort_short(const Sort& of, std::int64_t count, std::int64_t wanted) {
  visit_real(of.name, of.x.dtype,
             [&]<class T>(Type<T>) { sort_bits(of, count, wanted, reader_of<T>); });
}

void select_short(const Select& of, std::int64_t count) {
  visit_real(of.name, of.x.dtype, [&]<class T>(Type<T>) { select_bits(of, count, reader_of<T>); });
}

}  // namespace garboard::kernels::GARBOARD_ISA
