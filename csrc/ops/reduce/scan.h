// Running results along a dim.
#pragma once

#include <optional>

#include "csrc/tensor/tensor.h"

namespace garboard {

/// out[i] = input[0] + ... + input[i] along `dim`. Booleans and integers are
/// summed as int64, unless `dtype` says otherwise.
Tensor cumsum(const Tensor& input, std::int64_t dim, std::optional<DType> dtype = {});

}  // namespace garboard
