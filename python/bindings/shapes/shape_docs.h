// Sentences that functions of shapes share.
#pragma once

#include "python/bindings/call/doc.h"

namespace garboard::python::docs {

inline constexpr Arg any_shape{"input", "Tensor of any shape and dtype."};
inline constexpr const char* view_returns =
    "A view: a new tensor over the same storage, which lives as long as either. The graph keeps no "
    "tensor.";
inline constexpr const char* view_or_copy_returns =
    "A view over the same storage where the strides allow one, else a copy. The graph keeps no "
    "tensor.";
inline constexpr const char* views_returns =
    "A tuple of views over the same storage. The graph keeps no tensor.";
inline constexpr const char* copy_returns =
    "A new dense tensor of `input`'s dtype. The graph keeps no tensor.";
inline constexpr Arg one_dim{"dim", "In [-ndim, ndim)."};
inline constexpr const char* dim_error = "IndexOutOfRangeError: `dim` lies outside.";
inline constexpr const char* least_dims_error = "ShapeError: There are fewer dims.";

}  // namespace garboard::python::docs
