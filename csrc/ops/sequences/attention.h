// Attention.
#pragma once

#include <optional>

#include "csrc/tensor/tensor.h"

namespace garboard {

struct AttentionOptions {
  double dropout = 0;
  bool is_causal = false;
  std::optional<double> scale;  // 1 / sqrt(depth) without
  bool shares_heads = false;    // fewer heads of keys and values serve several of queries each
};

/// softmax(scale query key^T + mask) value over the last two dims: [..., rows, depth] by [...,
/// columns, depth] by [..., columns, values]. `mask`, empty for none, is broadcast to [..., rows,
/// columns]; of a bool one, true takes part. A row that sees nothing is 0. Raises ShapeError,
/// DTypeError, DeviceError.
Tensor attention(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask,
                 const AttentionOptions& options);

}  // namespace garboard
