// What users read about python/bindings/methods_shape.cpp.
#pragma once

#include "python/bindings/docs/doc.h"

namespace garboard::python::docs {

inline constexpr Doc view{
    .summary =
        "Look at the same elements in other sizes; one may be -1. Raises ShapeError where the "
        "strides do not allow it.",
};
inline constexpr Doc reshape{
    .summary = "Give the elements other sizes; a view where the strides allow one, else a copy.",
};
inline constexpr Doc view_as{
    .summary = "View in the sizes of other.",
};
inline constexpr Doc reshape_as{
    .summary = "Reshape to the sizes of other.",
};
inline constexpr Doc flatten{
    .summary = "Make the dims from start_dim to end_dim one.",
};
inline constexpr Doc transpose{
    .summary = "Swap two dims, as a view.",
};
inline constexpr Doc t{
    .summary = "Transpose a matrix, as a view.",
};
inline constexpr Doc permute{
    .summary = "Put the dims in another order, as a view.",
};
inline constexpr Doc expand{
    .summary = "Widen dims of size 1 without copying; -1 keeps a size.",
};
inline constexpr Doc expand_as{
    .summary = "Expand to the sizes of other.",
};
inline constexpr Doc squeeze{
    .summary = "Drop the dims of size 1, or one of them, as a view.",
};
inline constexpr Doc unsqueeze{
    .summary = "Insert a dim of size 1, as a view.",
};
inline constexpr Doc narrow{
    .summary = "Look at length elements along dim, from start.",
};
inline constexpr Doc select{
    .summary = "Look at one index of a dim, which goes.",
};
inline constexpr Doc contiguous{
    .summary = "A dense tensor in row-major order: an alias where it is one, else a copy.",
};
inline constexpr Doc clone{
    .summary = "Copy, differentiably.",
};
inline constexpr Doc detach{
    .summary = "Share the storage without the history; in-place writes are seen by both.",
};
inline constexpr Doc alias{
    .summary = "Make another handle on the same tensor, which ends on its own.",
};
inline constexpr Doc copy_{
    .summary = "Write src, converted and broadcast, into this tensor.",
};
inline constexpr Doc to{
    .summary = "Convert to a dtype, a device, or another tensor's; an alias where it is so.",
};
inline constexpr Doc type_as{
    .summary = "Convert to the dtype of other.",
};
inline constexpr Doc float_type{
    .summary = "Convert to float32.",
};
inline constexpr Doc double_type{
    .summary = "Convert to float64.",
};
inline constexpr Doc long_type{
    .summary = "Convert to int64.",
};
inline constexpr Doc int_type{
    .summary = "Convert to int32.",
};
inline constexpr Doc byte{
    .summary = "Convert to uint8.",
};
inline constexpr Doc bool_type{
    .summary = "Convert to bool: true where not zero.",
};
inline constexpr Doc cpu{
    .summary = "Copy to the CPU; an alias where it is there.",
};
inline constexpr Doc cuda{
    .summary = "Copy to a CUDA device; an alias where it is there.",
};
inline constexpr Doc cat{
    .summary = "Join along a dim they have.",
};
inline constexpr Doc stack{
    .summary = "Join along a new dim.",
};

}  // namespace garboard::python::docs
