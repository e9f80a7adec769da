// The element types as concepts: the constraint of a functor's operator() is its list of dtypes.
#pragma once

#include <cstdint>
#include <type_traits>

#include "csrc/core/host_device.h"

namespace garboard::functors {

template <class T>
concept Real = std::is_same_v<T, float> || std::is_same_v<T, double>;

template <class T>
concept Boolean = std::is_same_v<T, bool>;

template <class T>
concept Integer = std::is_same_v<T, std::uint8_t> || std::is_same_v<T, std::int32_t> ||
    std::is_same_v<T, std::int64_t>;

template <class T>
concept Number = Integer<T> || Real<T>;

/// What has single bits to work on.
template <class T>
concept Bitwise = Integer<T> || Boolean<T>;

template <class T>
concept Element = Number<T> || Boolean<T>;

/// The unsigned integer as wide as T: integer arithmetic goes through it, because there overflow
/// wraps, as in NumPy and PyTorch, where in T it would be undefined.
template <Integer T>
using Unsigned = std::make_unsigned_t<T>;

}  // namespace garboard::functors
