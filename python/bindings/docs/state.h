// What users read about python/bindings/methods_state.cpp.
#pragma once

#include "python/bindings/docs/doc.h"

namespace garboard::python::docs {

inline constexpr Doc size{
    .summary = "The sizes, or one of them.",
};
inline constexpr Doc stride{
    .summary = "The strides in elements, or one of them.",
};
inline constexpr Doc dim{
    .summary = "The number of dims.",
};
inline constexpr Doc numel{
    .summary = "The number of elements.",
};
inline constexpr Doc element_size{
    .summary = "Bytes an element takes.",
};
inline constexpr Doc storage_offset{
    .summary = "Where the first element stands in the storage, in elements.",
};
inline constexpr Doc data_ptr{
    .summary = "The address of the first element.",
};
inline constexpr Doc is_contiguous{
    .summary = "True for dense elements in row-major order.",
};
inline constexpr Doc is_floating_point{
    .summary = "True for float32 and float64.",
};
inline constexpr Doc item{
    .summary = "The only element, as a Python number.",
};
inline constexpr Doc tolist{
    .summary = "The elements as nested lists of Python numbers.",
};
inline constexpr Doc numpy{
    .summary = "A NumPy array over the same memory, which stays valid while the array lives.",
};
inline constexpr Doc requires_grad_{
    .summary = "Ask, or no longer ask, for a gradient. Returns the tensor itself.",
};
inline constexpr Doc backward{
    .summary = "Add this tensor's gradient to `.grad` of every leaf it was computed from.",
};
inline constexpr Doc register_hook{
    .summary = "Call hook with each gradient of this tensor; a tensor it returns takes its place.",
};
inline constexpr Doc mark_optimizer_owned{
    .summary = "Book this alias as an optimizer's, outside every scope.",
};

}  // namespace garboard::python::docs
