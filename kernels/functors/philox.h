// Random numbers without a state: Philox4x32-10 maps a counter and a seed to four words, so element
// i is the same whoever computes it, in whatever order (Salmon et al., "Parallel random numbers: as
// easy as 1, 2, 3", 2011).
#pragma once

#include "kernels/functors/sine.h"

namespace garboard::functors {

struct FourWords {
  std::uint32_t word[4];
};

GARBOARD_HD std::uint32_t product_high(std::uint32_t a, std::uint32_t b) {
  return WideProduct(a, b).high;
}

/// The block of `counter` (the low half of the 128-bit counter; `plane` is the high one) and
/// `seed`.
GARBOARD_HD FourWords philox(std::uint64_t counter, std::uint64_t plane, std::uint64_t seed) {
  auto a = static_cast<std::uint32_t>(counter), b = static_cast<std::uint32_t>(counter >> 32);
  auto c = static_cast<std::uint32_t>(plane), d = static_cast<std::uint32_t>(plane >> 32);
  auto key = static_cast<std::uint32_t>(seed), other = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const WideProduct left(a, 0xD2511F53u), right(c, 0xCD9E8D57u);
    a = right.high ^ b ^ key;
    b = right.low;
    c = left.high ^ d ^ other;
    d = left.low;
    key += 0x9E3779B9u;
    other += 0xBB67AE85u;
  }
  return {{a, b, c, d}};
}

/// One of [0, count), each as likely, from a word of the block of `counter`: the upper half of a
/// product. Products that would make some likelier are drawn again, from other planes than those
/// that elements have (Lemire, "Fast random integer generation in an interval", 2019). A `count` of
/// 0 stands for 2^32.
GARBOARD_HD std::uint32_t one_below(std::uint32_t count, std::uint32_t word, std::uint64_t counter,
                                    int place, std::uint64_t seed) {
  if (count == 0) return word;
  std::uint64_t product = std::uint64_t{word} * count;
  if (static_cast<std::uint32_t>(product) < count) {
    const std::uint32_t surplus = (0u - count) % count;  // 2^32 modulo count
    for (std::uint64_t plane = 2; static_cast<std::uint32_t>(product) < surplus; ++plane)
      product = std::uint64_t{philox(counter, plane, seed).word[place]} * count;
  }
  return static_cast<std::uint32_t>(product >> 32);
}

/// Words to a number in [0, 1): 53 bits of both for double, of the first as many as T has digits
/// for all else.
template <Floating T>
GARBOARD_HD Widened<T> unit_interval(std::uint32_t first, std::uint32_t second) {
  if constexpr (sizeof(T) < sizeof(double)) {
    constexpr int digits = std::numeric_limits<T>::digits;
    return static_cast<float>(first >> (32 - digits)) * (1.0f / (1 << digits));
  } else {
    const auto both = std::uint64_t{first} << 32 | second;
    return static_cast<T>(both >> 11) * T(0x1p-53);
  }
}

/// In [low, high), and a number of T. Rounding may lift the last numbers onto the bound: they start
/// over at low.
template <Floating T>
GARBOARD_HD Widened<T> uniform(Widened<T> unit, Widened<T> low, Widened<T> high) {
  const Widened<T> x = widened(static_cast<T>(low + unit * (high - low)));
  return x < high ? x : low;
}

/// ln x for x in [2^-24, 1], the same as `log`, which has to look for all that x is not.
GARBOARD_HD float log_of_share(float x) {
  constexpr std::uint32_t root = 0x3f3504f3;
  const std::uint32_t offset = bits_as<std::uint32_t>(x) - root;
  const float e = static_cast<float>(static_cast<std::int32_t>(offset) >> 23);
  const float f = bits_as<float>((offset & 0x7fffff) + root) - 1.0f;
  const float q = polynomial(f, -0.5f, 0.3333333171f, -0.2500082106f, 0.200012271f, -0.1662335653f,
                             0.1420175162f, -0.1316018352f, 0.127616211f, -0.07634547292f);
  return e * 0.693147181f + (q * (f * f) + f);
}
GARBOARD_HD double log_of_share(double x) { return log(x); }

/// Two independent standard normal numbers of two uniform ones in [0, 1) (Box and Muller, "A note
/// on the generation of random normal deviates", 1958).
template <Real T>
GARBOARD_HD void normal_pair(T first, T second, T& one, T& other) {
  const T radius =
      usual_root(T(-2) * log_of_share(T(1) - first));  // 1 - first is exact and never 0
  const T angle = T(6.283185307179586) * second;
  one = radius * sin_of_quarters(angle, 1);
  other = radius * sin_of_quarters(angle, 0);
}

}  // namespace garboard::functors
