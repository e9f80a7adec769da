// What stands around an input.
#pragma once

#include <optional>
#include <vector>

#include "csrc/core/scalar.h"
#include "csrc/tensor/tensor.h"

namespace garboard {

enum class PadMode : std::uint8_t { constant, reflect, replicate, circular };

/// `pads` are pairs, before and after, from the last dim on; a negative one cuts off. `value`, 0
/// without, stands around in the mode `constant`, which takes any dims and dtype; the others take
/// what the input has: mirrored without its edge, its edge, its other end. Raises ShapeError.
Tensor pad(const Tensor& input, const std::vector<std::int64_t>& pads, PadMode mode,
           std::optional<Scalar> value);

}  // namespace garboard
