// What is sorted on the CPU: entries, of the kind that holds a slice.
#pragma once

#include "kernels/cpu/order/slices.h"
#include "kernels/functors/order.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

using functors::BitsOf;
using functors::key_at;

template <class T>
inline bool is_nan(T x) {
  return functors::widened(x) != functors::widened(x);
}

/// Calls `run(Entry)` with the kind of entry that holds `count` elements of T.
template <class T, class Run>
void with_entry(std::int64_t count, Run run) {
  if constexpr (sizeof(T) <= 4) {
    if (count <= std::int64_t{UINT32_MAX}) return run(functors::NarrowEntry());
  }
  run(functors::WideEntry());
}

template <class Entry, class T>
Entry entry_of(StridedSlice<const T> x, std::int64_t i, bool descending) {
  const BitsOf<T> key = key_at(x[i]);
  return Entry::of(descending ? static_cast<BitsOf<T>>(~key) : key, i);
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
