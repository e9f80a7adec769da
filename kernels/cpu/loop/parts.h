// What the CPU's sources define, once per instruction set.
#pragma once

#include "kernels/table.h"

namespace garboard::kernels::GARBOARD_ISA {

/// The kernel that takes `Arguments`: specialised in the source named for it. One that is missing
/// does not link.
template <OnRollCall Arguments>
ResultOf<Arguments> kernel(const Arguments&, Stream);

// The functors' entries; each is defined in the source named like it.
void fill_unary(Table& table) noexcept;
void fill_binary(Table& table) noexcept;
void fill_ternary(Table& table) noexcept;
void fill_reduce(Table& table) noexcept;

}  // namespace garboard::kernels::GARBOARD_ISA
