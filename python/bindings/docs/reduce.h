// What users read about python/bindings/methods_reduce.cpp.
#pragma once

#include "python/bindings/docs/doc.h"

namespace garboard::python::docs {

inline constexpr Doc sum{
    .summary = "Add the elements along dim, or all of them; integers and bools as int64.",
};
inline constexpr Doc prod{
    .summary = "Multiply the elements along dim, or all of them.",
};
inline constexpr Doc mean{
    .summary = "Average floating elements along dim, or all of them.",
};
inline constexpr Doc var{
    .summary = "Average squared distances from the mean, dividing by the count less correction.",
};
inline constexpr Doc std{
    .summary = "Compute the square root of var; at 0 the gradient is 0.",
};
inline constexpr Doc cumsum{
    .summary =
        "Add up the elements along dim, giving each sum on the way; integers and bools as int64.",
};
inline constexpr Doc amax{
    .summary = "Take the largest element along dim; equal ones share the gradient.",
};
inline constexpr Doc amin{
    .summary = "Take the smallest element along dim; equal ones share the gradient.",
};
inline constexpr Doc all{
    .summary = "Test whether every element along dim is true.",
};
inline constexpr Doc any{
    .summary = "Test whether an element along dim is true.",
};
inline constexpr Doc max{
    .summary =
        "Take the largest element; along a dim, with where it stands; or the larger of two "
        "tensors.",
};
inline constexpr Doc min{
    .summary =
        "Take the smallest element; along a dim, with where it stands; or the smaller of two "
        "tensors.",
};
inline constexpr Doc argmax{
    .summary = "Find where the first largest element stands along dim, or in the flattened tensor.",
};
inline constexpr Doc argmin{
    .summary =
        "Find where the first smallest element stands along dim, or in the flattened tensor.",
};

}  // namespace garboard::python::docs
