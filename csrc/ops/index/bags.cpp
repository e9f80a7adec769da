#include "csrc/ops/index/bags.h"

#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/index/gather.h"
#include "csrc/ops/index/index_tensor.h"
#include "csrc/ops/index/indexing.h"
#include "csrc/ops/op/operators.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/reduce/reduce.h"
#include "csrc/ops/shape/views.h"
#include "kernels/run.h"

namespace garboard {
namespace {

constexpr const char* op = "embedding_bag";
using kernels::BagMode;

void check(const Tensor& weight, const BagNumbers& numbers, BagMode mode, const Tensor& factors) {
  const std::int64_t count = weight.ndim() ? weight.size(0) : 0;
  if (weight.ndim() != 2)
    throw ShapeError(
        text(op, ": a weight of sizes ", weight.sizes(), "; [count, width] is needed"));
  if (!is_floating(weight.dtype()))
    throw DTypeError(
        text(op, ": a weight of dtype ", name_of(weight.dtype()), "; a floating one is needed"));
  if (numbers.index.ndim() != 1 || numbers.starts.ndim() != 1 || numbers.starts.count() < 1)
    throw ShapeError(text(op, ": numbers of sizes ", numbers.index.sizes(), " and offsets of ",
                          numbers.starts.sizes(), "; one dim of both is needed"));
  if (const auto row = numbers.padding_idx; row && (*row < -count || *row >= count))
    throw IndexOutOfRangeError(text(op, ": padding_idx ", *row, " for ", count,
                                    " rows; it must lie in [", -count, ", ", count - 1, "]"));
  if (!factors) return;
  if (mode != BagMode::sum)
    throw ShapeError(text(op, ": per_sample_weights; the mode 'sum' is needed"));
  if (factors.sizes() != numbers.index.sizes())
    throw ShapeError(text(op, ": per_sample_weights of sizes ", factors.sizes(), " for ",
                          numbers.index.count(), " numbers; one each is needed"));
  if (factors.dtype() != weight.dtype())
    throw DTypeError(text(op, ": per_sample_weights of dtype ", name_of(factors.dtype()),
                          ", a weight of ", name_of(weight.dtype()), "; they must be equal"));
  if (factors.device() != weight.device())
    throw DeviceError(text(op, ": per_sample_weights on ", factors.device(), ", the weight on ",
                           weight.device(), "; they must be on one device, use to()"));
}

[[noreturn]] void refuse(const Tensor& index, const Tensor& starts, const Tensor& weight,
                         kernels::Bags::Found found) {
  if (found == kernels::Bags::Found::bad_index)
    refuse_index(op, index, 0, indexed_dim(weight, 0, Negative::is_refused));
  throw IndexOutOfRangeError(text(op, ": offsets of ", starts.count() - 1, " bags for ",
                                  index.count(),
                                  " numbers; they must begin with 0, ascend, and not pass the "
                                  "last number"));
}

/// Of sums and means, by ops, which can be differentiated again.
Grads spread_sums(const Backward& at, const Dims& sizes, bool has_factors) {
  const Tensor index = at.other(0), bag_of = at.other(1), shares = at.other(2);
  const DType dtype = at.grad.dtype();
  const Tensor given = index_select(at.grad, 0, bag_of);
  Grads grads;
  if (at.needs(0)) {
    const Tensor counted = has_factors ? shares * at.input(1) : shares;
    grads[0] = zeros(sizes, dtype, given.device());
    index_add_(grads[0], 0, index, to(given * unsqueeze(counted, 1), dtype));
  }
  if (at.needs(1)) {
    const Tensor rows = index_select(at.input(0), 0, index);
    grads[1] = to(sum(rows * given, {Dims{1}}) * shares, dtype);
  }
  return grads;
}

Grads spread_maxima(const Backward& at, const Dims& sizes) {
  const Tensor picked = at.other(0), is_there = ge(picked, Scalar::of(std::int64_t{0}));
  const Tensor sum = zeros(sizes, at.grad.dtype(), at.grad.device());
  const Scalar none = Scalar::of(std::int64_t{0});
  scatter_add_(sum, 0, where(is_there, picked, none), where(is_there, at.grad, none));
  return sum;
}

/// Without history.
Tensor dense(const Tensor& tensor) { return contiguous(detach(tensor)); }

}  // namespace

Tensor embedding_bag(const Tensor& weight, const BagNumbers& numbers, BagMode mode,
                     const Tensor& factors) {
  check(weight, numbers, mode, factors);
  // Copies of what is not dense; versions tell of what is written into the others.
  const Tensor index = contiguous(index_numbers(op, numbers.index, weight));
  const Tensor starts = contiguous(index_numbers(op, numbers.starts, weight));
  const Device device = weight.device();
  const Dims sizes = weight.sizes(), bags{starts.count() - 1, sizes[1]};
  const std::int64_t padding =
      numbers.padding_idx ? (*numbers.padding_idx + sizes[0]) % sizes[0] : -1;
  const bool is_recorded = must_record({weight}) || (factors && must_record({factors}));
  const bool is_max = mode == BagMode::max;

  const Tensor table = dense(weight), weights = factors ? dense(factors) : Tensor();
  const Tensor out = empty_of(op, bags, weight.dtype(), device);
  const Tensor picked = is_max ? empty_of(op, bags, DType::int64, device) : Tensor();
  Tensor bag_of, shares;
  if (is_recorded && !is_max) {
    bag_of = empty_of(op, index.sizes(), DType::int64, device);
    shares = empty_of(op, index.sizes(), widened(weight.dtype()), device);
  }
  const auto view_of = [](const Tensor& tensor) { return tensor ? tensor.view() : View(); };
  const auto found = kernels::run(
      kernels::Bags{out.view(), table.view(), index.view(), starts.view(), view_of(weights),
                    view_of(picked), view_of(shares), view_of(bag_of), mode, padding},
      device);
  if (found != kernels::Bags::Found::nothing_wrong) refuse(index, starts, weight, found);

  if (is_max) {
    record(op, out, {weight}, Keep::nothing,
           [sizes](const Backward& at) -> Grads { return spread_maxima(at, sizes); },
           {{"maxima", picked}});
  } else if (factors) {
    record(op, out, {weight, factors}, Keep::crosswise,
           [sizes](const Backward& at) -> Grads { return spread_sums(at, sizes, true); },
           {{"input", index}, {"bags", bag_of}, {"shares", shares}});
  } else {
    record(op, out, {weight}, Keep::nothing,
           [sizes](const Backward& at) -> Grads { return spread_sums(at, sizes, false); },
           {{"input", index}, {"bags", bag_of}, {"shares", shares}});
  }
  return out;
}

}  // namespace garboard
