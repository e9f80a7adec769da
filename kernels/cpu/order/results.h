// Where what is found of a slice goes, and how the slice is read.
#pragma once

#include "kernels/cpu/order/entries.h"

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
struct ResultsOf {
  Slicing<T> values;
  Slicing<std::int64_t> indices;

  ResultsOf(const View& values, const View& indices, int dim)
      : values(values, dim), indices(indices, dim) {}
  Results<T> at(char* const* data) const { return {values.at(data[0]), indices.at(data[1])}; }
};

template <class T>
Results<T> results_of(const View& values, const View& indices, int dim, char* const* data) {
  return ResultsOf<T>(values, indices, dim).at(data);
}

template <class Entry, class T>
void read_entries(Entry* entries, StridedSlice<const T> x, bool descending) {
  for (const auto [first, last] : Pieces<>(x.count)) {
    for (std::int64_t i = first; i < last; ++i) entries[i] = entry_of<Entry>(x, i, descending);
  }
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
