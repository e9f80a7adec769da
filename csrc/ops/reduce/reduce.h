// Many elements to one, along dims.
#pragma once

#include <optional>
#include <span>

#include "csrc/ops/op/operand.h"

namespace garboard {

/// Which dims a reduction takes; none named: all.
struct Reduced {
  std::optional<Dims> dims;
  bool keepdim = false;
};

struct ValuesAndIndices {
  Tensor values;
  Tensor indices;  // int64
};

/// Elements in their order that are computed as they are wanted, on any thread: `bring` writes
/// `count` of them from the `first` on. `ns`: about what one takes, `bytes`: what all read.
struct Brought {
  Dims sizes;
  DType dtype;
  double ns;
  std::int64_t bytes;
  void (*bring)(void* context, std::int64_t first, std::int64_t count, void* to);
  void* context;
};

/// A reduction of all elements to one that takes them as they come.
struct Closing {
  const char* name;
  Tensor (*of)(const Tensor& input);
  /// The same bits, without a history.
  Tensor (*of_brought)(const Brought& input);
  /// The gradient of the elements.
  Tensor (*spread)(const Tensor& gradient, const Dims& sizes);
  bool takes_integers;
};
/// `sum` and `mean`.
std::span<const Closing> closings();

/// Booleans and integers are summed as int64, unless `dtype` says otherwise.
Tensor sum(const Tensor& input, const Reduced& reduced = {}, std::optional<DType> dtype = {});
/// Of a floating tensor; of a half type as float32.
Tensor sum_of_squares(const Tensor& input, const Reduced& reduced = {});
Tensor prod(const Tensor& input, const Reduced& reduced = {}, std::optional<DType> dtype = {});
/// Raises DTypeError for what is not floating, unless `dtype` is.
Tensor mean(const Tensor& input, const Reduced& reduced = {}, std::optional<DType> dtype = {});
/// The squared distance from the mean, summed and divided by the count less
/// `correction`: NaN or infinite where that is not positive. Raises DTypeError
/// for what is not floating.
Tensor var(const Tensor& input, const Reduced& reduced = {}, double correction = 1);
/// The square root of `var`. Where it is 0, the gradient is 0 as well.
Tensor std_deviation(const Tensor& input, const Reduced& reduced = {}, double correction = 1);
/// The largest, the smallest; NaN where there is one. The gradient is shared
/// equally among equals.
Tensor amax(const Tensor& input, const Reduced& reduced = {});
Tensor amin(const Tensor& input, const Reduced& reduced = {});
/// The same, under the names of what also takes one dim and says where.
Tensor max(const Tensor& input, const Reduced& reduced = {});
Tensor min(const Tensor& input, const Reduced& reduced = {});
/// With the place of the first extremum along `dim`, which alone gets the
/// gradient.
ValuesAndIndices max(const Tensor& input, std::int64_t dim, bool keepdim);
ValuesAndIndices min(const Tensor& input, std::int64_t dim, bool keepdim);
/// Of the flattened tensor where no dim is named.
Tensor argmax(const Tensor& input, std::optional<std::int64_t> dim, bool keepdim);
Tensor argmin(const Tensor& input, std::optional<std::int64_t> dim, bool keepdim);
Tensor all(const Tensor& input, const Reduced& reduced = {});
Tensor any(const Tensor& input, const Reduced& reduced = {});

/// Says that `out` holds elements of `input`, whose sizes reduced are `kept`: the gradient of each
/// is shared evenly among those that equal it. Where only one was taken, NaN equals NaN.
void record_equals(const char* op, const Tensor& out, const Tensor& input, const Dims& kept);

/// `input`, summed over what broadcasting added, so that it has `sizes`.
Tensor sum_to(const Tensor& input, const Dims& sizes);

}  // namespace garboard
