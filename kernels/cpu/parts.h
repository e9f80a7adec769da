// The CPU's table is filled file by file; each of these is defined in the source named like it.
#pragma once

#include "kernels/table.h"

namespace garboard::kernels::GARBOARD_ISA {

void fill_unary(Table& table) noexcept;
void fill_binary(Table& table) noexcept;
void fill_ternary(Table& table) noexcept;
void fill_reduce(Table& table) noexcept;
void fill_indexed_reduce(Table& table) noexcept;
void fill_variance(Table& table) noexcept;
void fill_scan(Table& table) noexcept;
void fill_layer_norm(Table& table) noexcept;
void fill_softmax(Table& table) noexcept;
void fill_cross_entropy(Table& table) noexcept;
void fill_matmul(Table& table) noexcept;
void fill_copy(Table& table) noexcept;
void fill_random(Table& table) noexcept;
void fill_optimizers(Table& table) noexcept;

}  // namespace garboard::kernels::GARBOARD_ISA
