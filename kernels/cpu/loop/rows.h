// Walks the slices along one dim, each brought together where it is not dense.
#pragma once

#include "kernels/cpu/loop/loop.h"

namespace garboard::kernels::GARBOARD_ISA {

/// A slice a view: `count` dense elements, or the one element of a view that has size 1 there.
/// A long one has interruption points.
using RowFunction = void (*)(void* const* data, std::int64_t count);

struct RowLoop {
  RowFunction function;
  int views;
  int outputs;  // the first views are written, the others read
};

/// Calls the function once a slice along `dim`. The views share all sizes but that of `dim`, which
/// the last view has; a view without data is passed on as null. Each row is read and written once.
void for_each_row(const RowLoop& rows, const View* const* views, int dim);

/// Brings elements that lie `stride` apart together, or takes them there; a long row has
/// interruption points.
void gather_row(int item, void* to, const void* from, std::int64_t count, std::int64_t stride);
void scatter_row(int item, void* to, const void* from, std::int64_t count, std::int64_t stride);

}  // namespace garboard::kernels::GARBOARD_ISA
