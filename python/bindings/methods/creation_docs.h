// What every function that makes a tensor says of its options.
#pragma once

#include "python/bindings/call/doc.h"

namespace garboard::python::docs {

inline constexpr Arg size{"size",
                          "Sizes, or one sequence of them; none makes a tensor of no dims."};
inline constexpr Arg dtype{"dtype", "The dtype; float32 where it is left out."};
inline constexpr Arg device{"device", "Where it lies; the CPU where it is left out."};
inline constexpr Arg requires_grad{"requires_grad", "True asks for a gradient: makes it a leaf."};

}  // namespace garboard::python::docs
