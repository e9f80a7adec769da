// Where what is found of a slice goes, and how the slice is read.
#pragma once

#include "kernels/cpu/sort/entries.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

template <class T>
struct Results {
  StridedSlice<T> values;
  StridedSlice<std::int64_t> indices;

  void write(std::int64_t i, T value, std::int64_t place) const {
    if (values) values[i] = value;
    if (indices) indices[i] = place;
  }
};

template <class T>
Results<T> results_of(const View& values, const View& indices, int dim, char* const* data) {
  return {slice_of<T>(values, dim, data[0]), slice_of<std::int64_t>(indices, dim, data[1])};
}

template <class Entry, class T>
void read_entries(Entry* entries, StridedSlice<const T> x, bool descending) {
  for (const auto [first, last] : Pieces<>(x.count)) {
    for (std::int64_t i = first; i < last; ++i) entries[i] = entry_of<Entry>(x, i, descending);
  }
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
