// Pools: the largest or the mean of what windows meet.
#pragma once

#include <optional>

#include "csrc/ops/reduce/reduce.h"

namespace garboard {

/// A number a dim of space, or one for all of them; no stride: that of the taps.
struct PoolOptions {
  Dims taps;
  Dims stride;
  Dims padding{0};
  Dims dilation{1};
  bool rounds_up = false;  // a last place for what is left over
};

/// Over the last `dims` dims, 1 to 3, of an input of one or two dims more. With the number in its
/// plane of the element that each place takes, int64, if it is wanted. Of numbers; what adapts, of
/// floating ones. Raises ShapeError, DTypeError.
ValuesAndIndices max_pool(int dims, const Tensor& input, const PoolOptions& options,
                          bool wants_indices);
/// Of windows that share the input evenly between places of `sizes`.
ValuesAndIndices adaptive_max_pool(int dims, const Tensor& input, const Dims& sizes,
                                   bool wants_indices);
/// Puts each element where its index, in the plane of `sizes`, says, and 0 elsewhere; of several in
/// one place the last one stands. Raises IndexOutOfRangeError too.
Tensor max_unpool(int dims, const Tensor& input, const Tensor& indices, const Dims& sizes);

/// What each place meets, divided by `divisor`, or else by the number of elements, the padding
/// counted or not. Of int64 it is cut off towards 0.
Tensor average_pool(int dims, const Tensor& input, const PoolOptions& options, bool counts_padding,
                    std::optional<std::int64_t> divisor);
Tensor adaptive_average_pool(int dims, const Tensor& input, const Dims& sizes);

}  // namespace garboard
