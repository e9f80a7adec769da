// Where the triangles of a matrix are.
#pragma once

#include "csrc/tensor/tensor.h"

namespace garboard {

/// A row of rows and a row of columns, [2, places], row by row: those up to, or from, the diagonal
/// that lies `above` places right of the main one. Raises ShapeError for a negative count.
Tensor triangle_places(const char* op, bool is_upper, std::int64_t rows, std::int64_t columns,
                       std::int64_t above, DType dtype, Device device = {});

}  // namespace garboard
