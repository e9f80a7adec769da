// The element types as concepts: the constraint of a functor's operator() is its list of dtypes.
#pragma once

#include <cstdint>
#include <type_traits>

#include "csrc/core/dtype.h"
#include "csrc/core/host_device.h"

namespace garboard::functors {

template <class T>
concept Real = std::is_same_v<T, float> || std::is_same_v<T, double>;

template <class T>
concept Boolean = std::is_same_v<T, bool>;

template <class T>
concept Integer = std::is_integral_v<T> && !Boolean<T>;

template <class T>
concept Number = Integer<T> || Real<T>;

template <class T>
concept ComplexNumber = is_complex_type<T>;

/// What functions of real numbers and of complex ones are computed in.
template <class T>
concept Analytic = Real<T> || ComplexNumber<T>;

/// What can be added and multiplied.
template <class T>
concept Arithmetic = Number<T> || ComplexNumber<T>;

/// What has single bits to work on.
template <class T>
concept Bitwise = Integer<T> || Boolean<T>;

/// What functors see, and what has an order.
template <class T>
concept Element = Number<T> || Boolean<T>;

/// What functors see that ask for no order.
template <class T>
concept AnyElement = Element<T> || ComplexNumber<T>;

/// What is stored in 16 bits and comes to functors as a float: only loops and conversions know it.
template <class T>
concept Half = is_in<T, HalfTypes>;

template <class T>
concept Floating = Real<T> || Half<T>;

template <class T>
concept Stored = AnyElement<T> || Half<T>;

/// What arithmetic on elements of type T is done in.
template <Stored T>
using Widened = std::conditional_t<Half<T>, float, T>;

/// What sums and products of T are counted in: floats in what they are widened to, complex numbers
/// in their own type, all else in int64.
template <Stored T>
using Summed = std::conditional_t<Floating<T> || ComplexNumber<T>, Widened<T>, std::int64_t>;

/// Where long sums of T meet: of floats with more digits than they have, or at least as many. As
/// for the rest, sums wrap.
template <Stored T>
using Gathered = std::conditional_t<ComplexNumber<T>, Complex<double>,
                                    std::conditional_t<Floating<T>, double, std::uint64_t>>;

/// What stands in memory for a T: for a bool a byte, of which every value but 0 is true. Arrays of
/// others share theirs, and g++ vectorises loads and stores of bytes, not of bools.
template <class T>
using InMemory = std::conditional_t<Boolean<T>, std::uint8_t, T>;

template <class T>
GARBOARD_HD T loaded(InMemory<T> x) {
  if constexpr (Boolean<T>)
    return x != 0;
  else
    return x;
}

/// F, which takes bools, on what stands in memory for them.
template <class F>
struct OnBools {
  GARBOARD_HD std::uint8_t operator()(std::uint8_t a, std::uint8_t b) const {
    return F{}(loaded<bool>(a), loaded<bool>(b));
  }
};

/// std::bit_cast, which no kernel of a device may call.
template <class To, class From>
GARBOARD_HD To bits_as(From x) {
  return __builtin_bit_cast(To, x);
}

/// One of two, where it cannot be foreseen which: a branch would be guessed wrong every other time.
GARBOARD_HD float chosen(bool first, float a, float b) {
  const std::uint32_t mask = first ? ~std::uint32_t{0} : 0;
  return bits_as<float>((bits_as<std::uint32_t>(a) & mask) | (bits_as<std::uint32_t>(b) & ~mask));
}
GARBOARD_HD double chosen(bool first, double a, double b) {
  const std::uint64_t mask = first ? ~std::uint64_t{0} : 0;
  return bits_as<double>((bits_as<std::uint64_t>(a) & mask) | (bits_as<std::uint64_t>(b) & ~mask));
}

template <Stored T>
GARBOARD_HD Widened<T> widened(T x) {
  return static_cast<Widened<T>>(x);
}

/// The unsigned integer that integer arithmetic goes through: there overflow wraps, as in NumPy and
/// PyTorch, where in T it would be undefined. As wide as T, or as what C++ makes of a narrow one,
/// for the product of two 16-bit integers overflows an int.
template <Integer T>
using Unsigned =
    std::conditional_t<(sizeof(T) < sizeof(std::uint32_t)), std::uint32_t, std::make_unsigned_t<T>>;

}  // namespace garboard::functors
