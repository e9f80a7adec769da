// The order of elements, for sorting: a key, an unsigned integer whose order is theirs, and the
// place an element came from. NaN comes after every number, and 0 and -0 are equal. No two entries
// of a slice are equal, for their places are not, so every order of entries is a stable one.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/functors/element.h"

namespace garboard::functors {

/// The bits of an element, as wide as it is.
template <class T>
using BitsOf = std::conditional_t<
    sizeof(T) == 1, std::uint8_t,
    std::conditional_t<sizeof(T) == 2, std::uint16_t,
                       std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

/// Of NaN.
template <Stored T>
inline constexpr auto last_key = static_cast<BitsOf<T>>(~BitsOf<T>{0});

/// Floats by sign and magnitude: all bits of a negative one are turned over, of others the sign.
template <Stored T>
GARBOARD_HD BitsOf<T> key_of(T x) {
  using Bits = BitsOf<T>;
  constexpr auto sign = static_cast<Bits>(Bits{1} << (8 * sizeof(T) - 1));
  const Bits bits = bits_as<Bits>(x);
  if constexpr (std::is_same_v<T, bool>) {
    return bits != 0;
  } else if constexpr (std::is_integral_v<T>) {
    return std::is_signed_v<T> ? static_cast<Bits>(bits ^ sign) : bits;
  } else {
    const auto ordered = static_cast<Bits>(bits & sign ? ~bits : bits | sign);
    const bool is_zero = static_cast<Bits>(bits << 1) == 0;
    return widened(x) != widened(x) ? last_key<T> : is_zero ? sign : ordered;
  }
}

/// Of an element in memory, where a bool may be any byte.
template <Stored T>
GARBOARD_HD BitsOf<T> key_at(const T& x) {
  return key_of(loaded<T>(reinterpret_cast<const InMemory<T>&>(x)));
}

/// Of up to 2^32 elements, keys of up to 32 bits.
struct NarrowEntry {
  std::uint64_t word;

  GARBOARD_HD static NarrowEntry of(std::uint64_t key, std::int64_t place) {
    return {key << 32 | static_cast<std::uint64_t>(place)};
  }
  GARBOARD_HD std::uint64_t key() const { return word >> 32; }
  GARBOARD_HD std::int64_t place() const { return static_cast<std::uint32_t>(word); }
  GARBOARD_HD friend bool operator<(NarrowEntry a, NarrowEntry b) { return a.word < b.word; }
};

struct WideEntry {
  std::uint64_t of_key;
  std::int64_t of_place;

  GARBOARD_HD static WideEntry of(std::uint64_t key, std::int64_t place) { return {key, place}; }
  GARBOARD_HD std::uint64_t key() const { return of_key; }
  GARBOARD_HD std::int64_t place() const { return of_place; }
  GARBOARD_HD friend bool operator<(WideEntry a, WideEntry b) {
    return a.of_key != b.of_key ? a.of_key < b.of_key : a.of_place < b.of_place;
  }
};

}  // namespace garboard::functors
