// What is sorted: a key, an unsigned integer whose order is that of the elements, and the place it
// came from. Places ascend, so no two entries are equal, and every order of them is stable.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/cpu/sort/slices.h"
#include "kernels/functors/element.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// The bits of an element, as wide as it is.
template <class T>
using BitsOf = std::conditional_t<
    sizeof(T) == 1, std::uint8_t,
    std::conditional_t<sizeof(T) == 2, std::uint16_t,
                       std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

/// Floats by sign and magnitude: all bits of a negative one are turned over, of others the sign.
template <class T>
__attribute__((always_inline)) inline BitsOf<T> key_of(T x) {
  using Bits = BitsOf<T>;
  constexpr auto sign = static_cast<Bits>(Bits{1} << (8 * sizeof(T) - 1));
  Bits bits;
  std::memcpy(&bits, &x, sizeof x);
  if constexpr (std::is_same_v<T, bool>) {
    return bits != 0;
  } else if constexpr (std::is_integral_v<T>) {
    return std::is_signed_v<T> ? static_cast<Bits>(bits ^ sign) : bits;
  } else {
    const auto ordered = static_cast<Bits>(bits & sign ? ~bits : bits | sign);
    const bool is_zero = static_cast<Bits>(bits << 1) == 0;
    return functors::widened(x) != functors::widened(x) ? static_cast<Bits>(~Bits{0})
           : is_zero                                    ? sign
                                                        : ordered;
  }
}

template <class T>
inline bool is_nan(T x) {
  return functors::widened(x) != functors::widened(x);
}

/// Of up to 2^32 elements, keys of up to 32 bits.
struct NarrowEntry {
  std::uint64_t word;

  static NarrowEntry of(std::uint64_t key, std::int64_t place) {
    return {key << 32 | static_cast<std::uint64_t>(place)};
  }
  std::uint64_t key() const { return word >> 32; }
  std::int64_t place() const { return static_cast<std::uint32_t>(word); }
  friend bool operator<(NarrowEntry a, NarrowEntry b) { return a.word < b.word; }
};

struct WideEntry {
  std::uint64_t of_key;
  std::int64_t of_place;

  static WideEntry of(std::uint64_t key, std::int64_t place) { return {key, place}; }
  std::uint64_t key() const { return of_key; }
  std::int64_t place() const { return of_place; }
  friend bool operator<(WideEntry a, WideEntry b) {
    return a.of_key != b.of_key ? a.of_key < b.of_key : a.of_place < b.of_place;
  }
};

/// Calls `run(Entry)` with the kind of entry that holds `count` elements of T.
template <class T, class Run>
void with_entry(std::int64_t count, Run run) {
  if constexpr (sizeof(T) <= 4) {
    if (count <= std::int64_t{UINT32_MAX}) return run(NarrowEntry());
  }
  run(WideEntry());
}

template <class Entry, class T>
Entry entry_of(StridedSlice<const T> x, std::int64_t i, bool descending) {
  const BitsOf<T> key = key_of(x[i]);
  return Entry::of(descending ? static_cast<BitsOf<T>>(~key) : key, i);
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
