// The table is filled file by file; each of these is defined in the source named like it. What none
// of them fills stays as it was.
#pragma once

#include "kernels/table.h"

namespace garboard::kernels::cuda {

void fill_unary(Table& table);
void fill_binary(Table& table);
void fill_ternary(Table& table);
void fill_copy(Table& table);
void fill_reduce(Table& table);
void fill_matmul(Table& table);
void fill_random(Table& table);

/// As the table's, for the use of other kernels.
void copy(const View& out, const View& x, Stream stream);
void fill(const View& out, Scalar value, Stream stream);

}  // namespace garboard::kernels::cuda
