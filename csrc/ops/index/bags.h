// Bags of rows of a table, each made one row.
#pragma once

#include <cstdint>
#include <optional>

#include "csrc/tensor/tensor.h"
#include "kernels/index_arguments.h"

namespace garboard {

/// Which rows are in which bag.
struct BagNumbers {
  Tensor index;   // [numbers], int64 or int32: rows of the table
  Tensor starts;  // [bags + 1], likewise: where bags begin in it, and where the last one ends
  std::optional<std::int64_t> padding_idx = {};  // a row that counts nowhere
};

/// [bags, width]: the sum, mean or maximum of the rows of `weight`, [rows, width], that are in each
/// bag; 0 where none is. `factors`, [numbers] or empty, of a sum alone, multiply the rows. Raises
/// IndexOutOfRangeError, ShapeError, DTypeError, DeviceError.
Tensor embedding_bag(const Tensor& weight, const BagNumbers& numbers, kernels::BagMode mode,
                     const Tensor& factors);

}  // namespace garboard
