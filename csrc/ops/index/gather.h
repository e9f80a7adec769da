// One index for each element, along a dim: brought together, and taken there.
#pragma once

#include <optional>

#include "csrc/ops/op/operand.h"

namespace garboard {

/// out[i][j] = input[index[i][j]][j] along dim 0, and so on. `index` has input's dims, and along
/// the others no larger size. Raises IndexOutOfRangeError, ShapeError, DTypeError.
Tensor gather(const Tensor& input, std::int64_t dim, const Tensor& index);
/// The same with sizes broadcast beside each other, and numbers that may count from the end; of the
/// flattened input where no dim is named.
Tensor take_along_dim(const Tensor& input, const Tensor& indices, std::optional<std::int64_t> dim);

// In place: self[index[i][j]][j] = source[i][j] along dim 0. Every index is looked at before an
// element is written. Where one is named twice, the last write in row-major order stays.
void scatter_(const Tensor& self, std::int64_t dim, const Tensor& index, const Operand& source);
void scatter_add_(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& source);

enum class ScatterReduction : std::uint8_t { sum, prod, mean, amax, amin };
/// A new tensor: what is scattered to an element is reduced, together with what is there if
/// `include_self`.
Tensor scatter_reduce(const Tensor& self, std::int64_t dim, const Tensor& index,
                      const Tensor& source, ScatterReduction reduction, bool include_self = true,
                      const char* op = "scatter_reduce");

}  // namespace garboard
