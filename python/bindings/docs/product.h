// What users read about python/bindings/methods_product.cpp.
#pragma once

#include "python/bindings/docs/doc.h"

namespace garboard::python::docs {

inline constexpr Doc mm{
    .summary = "Multiply two matrices: [n, k] by [k, m].",
};
inline constexpr Doc bmm{
    .summary = "Multiply matrices pairwise: [b, n, k] by [b, k, m].",
};
inline constexpr Doc matmul{
    .summary = "Multiply vectors, matrices, or batches of them; batch dims broadcast.",
};
inline constexpr Doc linear{
    .summary = "Compute input @ weight.T + bias: [..., in], [out, in] and [out].",
};
inline constexpr Doc softmax{
    .summary = "Scale each slice along dim to positive numbers that sum to one.",
};
inline constexpr Doc log_softmax{
    .summary = "Compute the logarithm of softmax along dim, without overflow.",
};
inline constexpr Doc cross_entropy{
    .summary = "Compute -log softmax(input)[target] from logits [rows, classes].",
};
inline constexpr Doc layer_norm{
    .summary = "Bring the last dims, of sizes normalized_shape, to mean 0 and variance 1.",
};
inline constexpr Doc mse_loss{
    .summary = "Compute (input - target)^2.",
};
inline constexpr Doc dropout{
    .summary =
        "Zero elements with probability p and scale the rest by 1 / (1 - p), while training.",
};

}  // namespace garboard::python::docs
