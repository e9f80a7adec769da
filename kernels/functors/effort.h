// What a functor says of its cost.
#pragma once

#include <cstdint>

namespace garboard::functors {

/// How much an element takes, beside bringing it: less than that, a few operations, or some ten and
/// more. Kernels decide by it how they fetch memory, and when threads share the work.
enum class Effort : std::uint8_t { least, few, many };

/// F's, where it says one: `static constexpr Effort effort = Effort::many;`
template <class F>
inline constexpr Effort effort_of = Effort::few;
template <class F>
requires requires { F::effort; }
inline constexpr Effort effort_of<F> = F::effort;

}  // namespace garboard::functors
