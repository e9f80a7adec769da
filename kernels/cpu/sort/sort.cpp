// Slices in order. Each is read once into entries, key and place; what is written is fetched anew
// by its place, so that 0 keeps its sign and NaN its bits.
#include <algorithm>
#include <cstddef>

#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/order/extent.h"
#include "kernels/cpu/order/results.h"
#include "kernels/cpu/order/short_slices.h"
#include "kernels/cpu/order/sort_entries.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

template <class Entry, class T>
void write_all(const Results<T>& out, StridedSlice<const T> x, const Entry* sorted,
               std::int64_t wanted) {
  for (const auto [first, last] : Pieces<>(wanted)) {
    for (std::int64_t i = first; i < last; ++i)
      out.write(i, x[sorted[i].place()], sorted[i].place());
  }
}

/// Sorts integers that lie within 2^32 of each other by how far they are from the first in order,
/// in as few digits as that takes: false of others.
template <class T>
bool sort_by_distance(const Results<T>& out, StridedSlice<const T> x, bool descending,
                      std::byte* memory) {
  const IntegerExtent<T> extent = extent_of(x);
  if (!extent.is_narrow() || x.count > std::int64_t{UINT32_MAX}) return false;
  auto* const entries = reinterpret_cast<functors::NarrowEntry*>(memory);
  for (const auto [first, last] : Pieces<>(x.count)) {
    for (std::int64_t i = first; i < last; ++i)
      entries[i] = functors::NarrowEntry::of(extent.from_first(x[i], descending), i);
  }
  const int bits = 64 - __builtin_clzll(distance(extent.least, extent.most) | 1);
  write_all(out, x, sort_by_radix(entries, entries + x.count, x.count, bits), x.count);
  return true;
}

/// Counts integers that lie so close together that most may occur, and writes each as often: false
/// of others. Who asks for places cannot be told them.
template <class T>
bool sort_by_counting(StridedSlice<T> out, StridedSlice<const T> x, bool descending) {
  const IntegerExtent<T> extent = extent_of(x);
  const std::uint64_t farthest = distance(extent.least, extent.most);
  if (farthest >= static_cast<std::uint64_t>(smaller(x.count, tuning::counted_values)))
    return false;
  const auto kinds = static_cast<std::int64_t>(farthest) + 1;
  const Scratch memory(kinds, sizeof(std::int64_t));
  auto* const counts = memory.as<std::int64_t>();
  std::fill_n(counts, kinds, 0);
  for (const auto [first, last] : Pieces<>(x.count)) {
    for (std::int64_t i = first; i < last; ++i) ++counts[extent.from_first(x[i], descending)];
  }
  std::int64_t start = 0;
  for (std::int64_t kind = 0; kind < kinds; ++kind) {
    const T value = extent.at_distance(static_cast<std::uint64_t>(kind), descending);
    for (const std::int64_t end = start + counts[kind]; start < end; ++start) out[start] = value;
  }
  return true;
}

constexpr std::int64_t looked_at_once = 32;

/// Whether one of the next elements of a dense slice may come before `bound`; also where one is
/// NaN.
template <bool descending, class T>
bool may_come_before(T bound, const T* x) {
  const auto last = functors::widened(bound);
  BitsOf<T> found = 0;
  for (int i = 0; i < looked_at_once; ++i) {
    const auto next = functors::widened(x[i]);
    found |= (descending ? next <= last : next >= last) ? BitsOf<T>{0} : BitsOf<T>{1};
  }
  return found;
}

/// Calls `take(entry)` for the elements of a slice that may come before `bound()`, which is null at
/// first: many that do not are passed over at once.
template <class Entry, class T, class Bound, class Take>
void for_each_candidate(StridedSlice<const T> x, bool descending, Bound bound, Take take) {
  const auto can_pass_over = [&](std::int64_t first) {
    const Entry* const last = bound();
    if (!last || x.stride != 1) return false;
    const T value = x[last->place()];
    return !(descending ? may_come_before<true>(value, x.data + first)
                        : may_come_before<false>(value, x.data + first));
  };
  for (const auto [first, last] : Pieces<>(x.count)) {
    for (std::int64_t i = first; i < last; i += looked_at_once) {
      const std::int64_t end = smaller(i + looked_at_once, last);
      if (end - i == looked_at_once && can_pass_over(i)) continue;
      for (std::int64_t k = i; k < end; ++k) take(entry_of<Entry>(x, k, descending));
    }
  }
}

/// The first in order, of a stream of entries: what comes after the last of them is passed over.
template <class Entry, class T>
void sort_first(const Results<T>& out, StridedSlice<const T> x, std::int64_t wanted,
                bool descending, Entry* kept, std::int64_t room) {
  std::int64_t count = 0;
  bool is_full = false;
  Entry bound{};
  Pace pace;
  const auto last_kept = [&] { return is_full ? &bound : nullptr; };
  for_each_candidate<Entry>(x, descending, last_kept, [&](Entry entry) {
    if (is_full && !(entry < bound)) return;
    kept[count++] = entry;
    if (count < room) return;
    pace.advance(count);
    select_entries(kept, count, wanted - 1);
    bound = kept[wanted - 1];
    is_full = true;
    count = wanted;
  });
  select_entries(kept, count, wanted - 1);
  // By merging, which compares places too: a radix sort takes entries in the order of their places.
  write_all(out, x, sort_by_merging(kept, kept + room, wanted), wanted);
}

/// So few that each of the others is compared with the last of them, and seldom put among them.
constexpr std::int64_t very_few = 16;

template <class Entry, class T>
void sort_very_few(const Results<T>& out, StridedSlice<const T> x, std::int64_t wanted,
                   bool descending) {
  Entry kept[very_few];
  std::int64_t count = 0;
  const auto last_kept = [&] { return count == wanted ? &kept[count - 1] : nullptr; };
  for_each_candidate<Entry>(x, descending, last_kept, [&](Entry entry) {
    if (count == wanted && !(entry < kept[count - 1])) return;
    std::int64_t at = count < wanted ? count++ : count - 1;
    for (; at > 0 && entry < kept[at - 1]; --at) kept[at] = kept[at - 1];
    kept[at] = entry;
  });
  write_all(out, x, kept, wanted);
}

/// Slices to this length are sorted whole where a few are asked for.
constexpr std::int64_t longest_sorted_for_few = 32;

double log2_of(std::int64_t count) {
  return count > 1 ? 63 - __builtin_clzll(static_cast<std::uint64_t>(count)) : 1;
}

double sorting_ns(std::int64_t count, std::size_t item) {
  const double each =
      count < long_enough_for_radix ? 1.2 * log2_of(count) : 4.0 + 3.0 * static_cast<double>(item);
  return static_cast<double>(count) * each;
}

template <class T>
void sort(const Sort& of) {
  const StridedSlice<const T> shape = slice_of<const T>(of.x, of.dim, of.x.as<char>());
  const View& results = of.values.data ? of.values : of.indices;
  const std::int64_t count = shape.count;
  const std::int64_t wanted = results.sizes.empty() ? 1 : results.sizes.data()[of.dim];
  if (count == 0 || wanted == 0) return;
  const bool takes_few = wanted <= count / 8;
  if (count <= (takes_few ? longest_sorted_for_few : longest_short_slice))
    return sort_short(of, count, wanted);
  const std::int64_t room = takes_few ? 2 * wanted + 64 : count;
  const double slice_ns = takes_few
                              ? 2.0 * static_cast<double>(count) + sorting_ns(wanted, sizeof(T))
                              : sorting_ns(count, sizeof(T));
  with_entry<T>(count, [&]<class Entry>(Entry) {
    for_each_slice({&of.values, &of.indices, &of.x}, of.dim, slice_ns, [&](char* const* data) {
      const StridedSlice<const T> x = slice_of<const T>(of.x, of.dim, data[2]);
      const Results<T> out = results_of<T>(of.values, of.indices, of.dim, data);
      if (wanted <= very_few) return sort_very_few<Entry>(out, x, wanted, of.descending);
      if constexpr (std::is_integral_v<T>) {
        if (wanted == count && !out.indices && sort_by_counting(out.values, x, of.descending))
          return;
      }
      EntryRoom<Entry> memory(room, 2);
      Entry* const entries = memory.entries();
      if (takes_few) return sort_first(out, x, wanted, of.descending, entries, room);
      if constexpr (std::is_integral_v<T> && sizeof(T) > 1) {
        if (wanted == count && count >= long_enough_for_radix &&
            sort_by_distance(out, x, of.descending, reinterpret_cast<std::byte*>(entries)))
          return;
      }
      read_entries(entries, x, of.descending);
      const Entry* const sorted =
          sort_entries(entries, entries + count, count, static_cast<int>(8 * sizeof(T)));
      write_all(out, x, sorted, wanted);
    });
  });
}

template <class T>
void mode(const Mode& of) {
  const std::int64_t count = slice_of<const T>(of.x, of.dim, of.x.as<char>()).count;
  with_entry<T>(count, [&]<class Entry>(Entry) {
    for_each_slice({&of.values, &of.indices, &of.x}, of.dim, sorting_ns(count, sizeof(T)),
                   [&](char* const* data) {
                     const StridedSlice<const T> x = slice_of<const T>(of.x, of.dim, data[2]);
                     const Results<T> out = results_of<T>(of.values, of.indices, of.dim, data);
                     EntryRoom<Entry> memory(count, 2);
                     Entry* const entries = memory.entries();
                     read_entries(entries, x, false);
                     const Entry* const sorted = sort_entries(entries, entries + count, count,
                                                              static_cast<int>(8 * sizeof(T)));
                     std::int64_t run = 0, longest = 0, place = 0;
                     for (const auto [first, last] : Pieces<>(count)) {
                       for (std::int64_t i = first; i < last; ++i) {
                         run = i > 0 && sorted[i].key() == sorted[i - 1].key() ? run + 1 : 1;
                         if (run <= longest) continue;
                         longest = run;
                         place = sorted[i].place();
                       }
                     }
                     out.write(0, x[place], place);
                   });
  });
}

}  // namespace

template <>
void kernel(const Sort& of, Stream) {
  visit_real(of.name, of.x.dtype, [&]<class T>(Type<T>) { sort<T>(of); });
}
template <>
void kernel(const Mode& of, Stream) {
  visit_real(of.name, of.x.dtype, [&]<class T>(Type<T>) { mode<T>(of); });
}

}  // namespace garboard::kernels::GARBOARD_ISA
