// What users read about python/bindings/methods_create.cpp.
#pragma once

#include "python/bindings/docs/doc.h"

namespace garboard::python::docs {

inline constexpr Doc tensor{
    .summary = "Copy a number, nested lists, an array or a tensor into a new tensor.",
};
inline constexpr Doc as_tensor{
    .summary = "As tensor(), but share the memory of an array or tensor where that is possible.",
};
inline constexpr Doc from_numpy{
    .summary = "Share the memory of a NumPy array, which the storage keeps alive.",
};
inline constexpr Doc zeros{
    .summary = "Make a tensor of zeros.",
};
inline constexpr Doc ones{
    .summary = "Make a tensor of ones.",
};
inline constexpr Doc empty{
    .summary = "Make a tensor without setting its elements.",
};
inline constexpr Doc full{
    .summary = "Make a tensor of one value.",
};
inline constexpr Doc zeros_like{
    .summary = "Make zeros in the sizes and dtype of input.",
};
inline constexpr Doc ones_like{
    .summary = "Make ones in the sizes and dtype of input.",
};
inline constexpr Doc empty_like{
    .summary = "Make a tensor in the sizes and dtype of input, its elements not set.",
};
inline constexpr Doc full_like{
    .summary = "Make a tensor of one value in the sizes and dtype of input.",
};
inline constexpr Doc arange{
    .summary = "Count from start, or from 0, up to but without end.",
};
inline constexpr Doc eye{
    .summary = "Make ones on the diagonal of n by m zeros.",
};
inline constexpr Doc rand{
    .summary = "Draw from the uniform distribution on [0, 1).",
};
inline constexpr Doc randn{
    .summary = "Draw from the standard normal distribution.",
};
inline constexpr Doc rand_like{
    .summary = "Draw uniformly, in the sizes and dtype of input.",
};
inline constexpr Doc randn_like{
    .summary = "Draw normally, in the sizes and dtype of input.",
};
inline constexpr Doc randint{
    .summary = "Draw integers from [low, high), or from [0, low) where a size stands second.",
};
inline constexpr Doc randperm{
    .summary = "Put the integers from 0 to n - 1 in a random order.",
};
inline constexpr Doc fill_{
    .summary = "Write value everywhere.",
};
inline constexpr Doc zero_{
    .summary = "Write 0 everywhere.",
};
inline constexpr Doc uniform_{
    .summary = "Draw uniformly from [from_, to) into this tensor.",
};
inline constexpr Doc normal_{
    .summary = "Draw normally into this tensor.",
};
inline constexpr Doc manual_seed{
    .summary = "Restart the random generator.",
};

}  // namespace garboard::python::docs
