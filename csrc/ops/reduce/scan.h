// Running results along a dim.
#pragma once

#include <optional>

#include "csrc/tensor/tensor.h"

namespace garboard {

/// out[i] = input[0] + ... + input[i] along `dim`. Booleans and integers are
/// summed as int64, unless `dtype` says otherwise.
Tensor cumsum(const Tensor& input, std::int64_t dim, std::optional<DType> dtype = {});
/// out[i] = input[0] * ... * input[i]; dtypes as of `cumsum`.
Tensor cumprod(const Tensor& input, std::int64_t dim, std::optional<DType> dtype = {});
/// out[i] = log(e^input[0] + ... + e^input[i]), which overflows nowhere. Booleans and integers are
/// taken as float32.
Tensor logcumsumexp(const Tensor& input, std::int64_t dim);

/// Whether an element is 0. Waits for the device.
bool has_zero(const Tensor& input);
/// The product of all other elements along `dim`, without a division: its own gradients are right
/// where elements are 0.
Tensor product_of_others(const Tensor& input, int dim);

}  // namespace garboard
