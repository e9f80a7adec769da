// The keys of kernels/functors/order.h by a rule that a kernel is given, so that one kernel sorts
// all dtypes of a width.
#pragma once

#include <limits>

#include "kernels/functors/order.h"

namespace garboard::kernels::cuda {

/// How elements of one width are turned into keys, and keys into elements.
template <class Bits>
struct KeyRule {
  static constexpr auto sign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  static constexpr auto all = static_cast<Bits>(~Bits{0});

  bool is_truth, is_floating;
  Bits infinity;  // of floats
  Bits flipped;   // the sign of integers that have one
  Bits turned;    // all bits where the order descends

  GARBOARD_HD Bits key_of(Bits bits) const {
    const auto magnitude = static_cast<Bits>(bits & ~sign);
    auto key = static_cast<Bits>(bits ^ flipped);
    if (is_truth) key = bits != 0;
    if (is_floating) {
      key = static_cast<Bits>(bits & sign ? ~bits : bits | sign);
      key = magnitude > infinity ? all : magnitude == 0 ? sign : key;
    }
    return static_cast<Bits>(key ^ turned);
  }
  GARBOARD_HD bool is_nan(Bits key) const {
    return is_floating && static_cast<Bits>(key ^ turned) == all;
  }
  /// Whether `element_of` knows the element: 0 has lost its sign, NaN its bits.
  GARBOARD_HD bool tells_element(Bits key) const {
    return !is_floating || (!is_nan(key) && static_cast<Bits>(key ^ turned) != sign);
  }
  GARBOARD_HD Bits element_of(Bits key) const {
    const auto ordered = static_cast<Bits>(key ^ turned);
    if (!is_floating) return static_cast<Bits>(ordered ^ flipped);
    return static_cast<Bits>(ordered & sign ? ordered ^ sign : ~ordered);
  }
};

/// Of elements of type T.
template <class T>
KeyRule<functors::BitsOf<T>> key_rule(bool descending) {
  using Bits = functors::BitsOf<T>;
  KeyRule<Bits> rule{std::is_same_v<T, bool>, functors::Floating<T>, 0, 0, 0};
  if constexpr (functors::Floating<T>)
    rule.infinity = functors::bits_as<Bits>(static_cast<T>(std::numeric_limits<float>::infinity()));
  if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) rule.flipped = rule.sign;
  if (descending) rule.turned = rule.all;
  return rule;
}

}  // namespace garboard::kernels::cuda
