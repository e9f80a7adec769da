// A product of bfloat16 by the processor's own tiles (AMX): 16 rows by 16 columns, 32 of the depth
// at a time.
#pragma once

#include "kernels/cpu/product/matmul.h"

namespace garboard::kernels::GARBOARD_ISA {

/// Whether `multiply_amx` is the fastest way to a product of bfloat16; never without tiles.
bool is_for_amx(std::int64_t rows, std::int64_t columns, std::int64_t depth) noexcept;

/// out = a b, + out where it accumulates, + bias where there is one, a dense element a column:
/// summed in float32, where subnormal numbers count as 0, and rounded once; or not at all, for out
/// may be of floats. The depth is at least 1. The same bits for any number of threads.
void multiply_amx(const Matrix& out, const Matrix& a, const Matrix& b, bool accumulate,
                  const char* bias);

}  // namespace garboard::kernels::GARBOARD_ISA
