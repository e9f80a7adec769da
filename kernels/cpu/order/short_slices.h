// Short slices in order, whatever their dtype: what is compiled for each is how one is read.
#pragma once

#include <cstdint>

#include "kernels/roll_call.h"

namespace garboard::kernels::GARBOARD_ISA {

/// A place in one takes ten bits.
inline constexpr std::int64_t longest_short_slice = 1023;
/// As many slices as there are lanes in a vector are sorted at a time, up to this length.
inline constexpr std::int64_t longest_column = 128;

/// Slices of 1 to `longest_short_slice` elements, of which the first `wanted` in order are given.
void sort_short(const Sort& of, std::int64_t count, std::int64_t wanted);
/// Of 1 to `longest_column` elements.
void select_short(const Select& of, std::int64_t count);

}  // namespace garboard::kernels::GARBOARD_ISA
