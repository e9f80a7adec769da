// What every function that makes a tensor says of its options.
#pragma once

#include "python/bindings/call/doc.h"

namespace garboard::python::docs {

inline constexpr Arg size{"size",
                          "Sizes, or one sequence of them; none makes a tensor of no dims."};
inline constexpr Arg dtype{"dtype", "The dtype; float32 where it is left out."};
inline constexpr Arg device{"device", "Where it lies; the CPU where it is left out."};
inline constexpr Arg requires_grad{"requires_grad", "True asks for a gradient: makes it a leaf."};
inline constexpr Arg order_of_dims{
    "memory_format",
    "preserve_format, the default: dims lie in the order of `input`'s. Else row-major."};
inline constexpr Arg own_dtype{"dtype", "Another dtype than `input`'s."};
inline constexpr Arg own_device{"device", "Another device than `input`'s."};
inline constexpr const char* size_error =
    "ShapeError: A size is negative.\n"
    "DeviceError: The device cannot be used.\n"
    "GradientError: A gradient is asked for, and the dtype is no floating one.";

}  // namespace garboard::python::docs
