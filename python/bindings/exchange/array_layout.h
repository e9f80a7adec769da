// Where the elements of memory that is not ours lie.
#pragma once

#include <cstdint>
#include <optional>

#include "csrc/core/dims.h"
#include "csrc/core/dtype.h"

namespace garboard::python {

/// Sizes and strides in elements, the rest in bytes from the first of them.
struct ArrayLayout {
  Dims sizes, strides;
  std::int64_t low = 0, high = 0;
};

/// Of what somebody else says of an array whose first element is at `first`; without strides it is
/// dense. Raises ShapeError for what no tensor can be and no memory holds.
ArrayLayout array_layout(const char* op, DType dtype, const Dims& sizes,
                         const std::optional<Dims>& given_strides, const void* first);

/// Raises ShapeError, which names `op`, for more dims than tensors have.
void check_array_dims(const char* op, std::int64_t dims);

}  // namespace garboard::python
