// Slices in order. Each is read once into entries, key and place; what is written is fetched anew
// by its place, so that 0 keeps its sign and NaN its bits.
#include <cstddef>

#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/sort/results.h"
#include "kernels/cpu/sort/sort_entries.h"

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
  T least = x[0], most = x[0];
  for (const auto [first, last] : Pieces<>(x.count)) {
    for (std::int64_t i = first; i < last; ++i) {
      least = x[i] < least ? x[i] : least;
      most = x[i] > most ? x[i] : most;
    }
  }
  const auto distance = [](T from, T to) {
    return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
  };
  const std::uint64_t widest = distance(least, most);
  if (widest > UINT32_MAX || x.count > std::int64_t{UINT32_MAX}) return false;
  auto* const entries = reinterpret_cast<functors::NarrowEntry*>(memory);
  for (const auto [first, last] : Pieces<>(x.count)) {
    for (std::int64_t i = first; i < last; ++i)
      entries[i] =
          functors::NarrowEntry::of(descending ? distance(x[i], most) : distance(least, x[i]), i);
  }
  const int bits = 64 - __builtin_clzll(widest | 1);
  write_all(out, x, sort_by_radix(entries, entries + x.count, x.count, bits), x.count);
  return true;
}

/// The first in order, of a stream of entries: what comes after the last of them is passed over.
template <class Entry, class T>
void sort_first(const Results<T>& out, StridedSlice<const T> x, std::int64_t wanted,
                bool descending, Entry* kept, std::int64_t room) {
  std::int64_t count = 0;
  bool is_full = false;
  Entry bound{};
  Pace pace;
  for (const auto [first, last] : Pieces<>(x.count)) {
    for (std::int64_t i = first; i < last; ++i) {
      const Entry entry = entry_of<Entry>(x, i, descending);
      if (is_full && !(entry < bound)) continue;
      kept[count++] = entry;
      if (count < room) continue;
      pace.advance(count);
      select_entries(kept, count, wanted - 1);
      bound = kept[wanted - 1];
      is_full = true;
      count = wanted;
    }
  }
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
  for (const auto [first, last] : Pieces<>(x.count)) {
    for (std::int64_t i = first; i < last; ++i) {
      const Entry entry = entry_of<Entry>(x, i, descending);
      if (count == wanted && !(entry < kept[count - 1])) continue;
      std::int64_t at = count < wanted ? count++ : count - 1;
      for (; at > 0 && entry < kept[at - 1]; --at) kept[at] = kept[at - 1];
      kept[at] = entry;
    }
  }
  write_all(out, x, kept, wanted);
}

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
  const std::int64_t room = takes_few ? 2 * wanted + 64 : count;
  const double slice_ns = takes_few
                              ? 2.0 * static_cast<double>(count) + sorting_ns(wanted, sizeof(T))
                              : sorting_ns(count, sizeof(T));
  with_entry<T>(count, [&]<class Entry>(Entry) {
    for_each_slice({&of.values, &of.indices, &of.x}, of.dim, slice_ns, [&](char* const* data) {
      const StridedSlice<const T> x = slice_of<const T>(of.x, of.dim, data[2]);
      const Results<T> out = results_of<T>(of.values, of.indices, of.dim, data);
      if (wanted <= very_few) return sort_very_few<Entry>(out, x, wanted, of.descending);
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
