#include "csrc/ops/order/order.h"

#include <limits>

#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/index/gather.h"
#include "csrc/ops/op/promotion.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/shape/views.h"
#include "kernels/run.h"

namespace garboard {
namespace {

/// The gradient goes to the places that were chosen along `dim`; `indices` has as many dims as the
/// input.
void record_chosen(const char* op, const Tensor& values, const Tensor& input, int dim,
                   const Tensor& indices) {
  record(op, values, {input}, Keep::nothing,
         [sizes = input.sizes(), dim](const Backward& at) -> Grads {
           const Tensor index = at.other(0);
           const Tensor sum = zeros(sizes, at.grad.dtype(), at.grad.device());
           scatter_add_(sum, dim, index, reshape(at.grad, index.sizes()));
           return sum;
         },
         {{"index tensor", indices}});
}

/// What has no dims counts as one of one element.
Tensor with_dims(const Tensor& input) { return input.ndim() ? input : reshape(input, {1}); }
ValuesAndIndices without_dims(const ValuesAndIndices& result) {
  return {reshape(result.values, {}), reshape(result.indices, {})};
}

/// The first `count` in order.
ValuesAndIndices sorted(const char* op, const Tensor& input, int dim, std::int64_t count,
                        Direction direction) {
  Dims sizes = input.sizes();
  sizes[dim] = count;
  const Tensor values = empty_of(op, sizes, input.dtype(), input.device());
  const Tensor indices = empty_of(op, sizes, DType::int64, input.device());
  if (values.count() > 0)
    kernels::run(kernels::Sort{values.view(), indices.view(), input.view(), dim,
                               direction == Direction::descending},
                 input.device());
  record_chosen(op, values, input, dim, indices);
  return {values, indices};
}

View seen(const Tensor& tensor, const Dims& kept) {
  return make_view(tensor.data(), tensor.dtype(), kept, contiguous_strides(kept));
}

/// One element of each slice; `make` gives the kernel's arguments.
template <class Make>
ValuesAndIndices chosen(const char* op, const Tensor& given, std::int64_t given_dim, bool keepdim,
                        const Make& make) {
  const int dim = checked_dim(op, given_dim, given.ndim());
  const Tensor input = with_dims(given);
  const std::int64_t size = input.size(dim);
  if (size == 0)
    throw IndexOutOfRangeError(text(op, ": no elements along dim ", dim, " of sizes ",
                                    given.sizes(), "; at least one is needed"));
  Dims kept = input.sizes();
  kept[dim] = 1;
  Dims result = kept;
  if (!keepdim || given.ndim() == 0) result.erase(dim);
  const Tensor values = empty_of(op, result, input.dtype(), input.device());
  const Tensor indices = empty_of(op, result, DType::int64, input.device());
  if (values.count() > 0) {
    const View to = seen(values, kept), places = seen(indices, kept);
    kernels::run(make(to, places, input.view(), dim, size), input.device());
  }
  record_chosen(op, values, input, dim, reshape(indices, kept));
  return {values, indices};
}

ValuesAndIndices selected(const char* op, const Tensor& input, std::int64_t dim, bool keepdim,
                          kernels::NaNs nans) {
  return chosen(
      op, input, dim, keepdim,
      [nans](const View& values, const View& indices, const View& x, int at, std::int64_t size) {
        return kernels::Select{values, indices, x, at, (size - 1) / 2, nans};
      });
}

template <class Kernel>
ValuesAndIndices running(const char* op, const Tensor& given, std::int64_t given_dim) {
  const int dim = checked_dim(op, given_dim, given.ndim());
  const Tensor input = with_dims(given);
  const Tensor values = empty_of(op, input.sizes(), input.dtype(), input.device());
  const Tensor indices = empty_of(op, input.sizes(), DType::int64, input.device());
  if (values.count() > 0)
    kernels::run(Kernel{{values.view(), indices.view(), input.view(), dim}}, input.device());
  record_chosen(op, values, input, dim, indices);
  const ValuesAndIndices result{values, indices};
  return given.ndim() ? result : without_dims(result);
}

ValuesAndIndices sorted_whole(const char* op, const Tensor& input, std::int64_t dim,
                              Direction direction) {
  const int at = checked_dim(op, dim, input.ndim());
  const Tensor given = with_dims(input);
  const ValuesAndIndices result = sorted(op, given, at, given.size(at), direction);
  return input.ndim() ? result : without_dims(result);
}

Tensor selected_of_all(const char* op, const Tensor& input, kernels::NaNs nans) {
  if (input.count() == 0 && category_of(input.dtype()) == Category::floating)
    return full({}, Scalar::of(std::numeric_limits<double>::quiet_NaN()), input.dtype(),
                input.device());
  Tensor value;
  {
    const GradModeGuard no_grad(false);
    value = selected(op, reshape(input, {-1}), 0, false, nans).values;
  }
  record_equals(op, value, input, Dims::filled(input.ndim(), 1));
  return value;
}

}  // namespace

ValuesAndIndices sort(const Tensor& input, std::int64_t dim, Direction direction) {
  return sorted_whole("sort", input, dim, direction);
}

Tensor argsort(const Tensor& input, std::int64_t given_dim, Direction direction) {
  const int dim = checked_dim("argsort", given_dim, input.ndim());
  const Tensor given = with_dims(input);
  const Tensor indices = empty_of("argsort", input.sizes(), DType::int64, input.device());
  const View none = make_view(nullptr, input.dtype(), given.sizes(), given.strides());
  if (input.count() > 0)
    kernels::run(kernels::Sort{none, seen(indices, given.sizes()), given.view(), dim,
                               direction == Direction::descending},
                 input.device());
  return indices;
}

Tensor in_order(const Tensor& input, std::int64_t given_dim) {
  const int dim = checked_dim("sort", given_dim, input.ndim());
  const Tensor given = with_dims(input);
  const Tensor values = empty_of("sort", input.sizes(), input.dtype(), input.device());
  const View none = make_view(nullptr, DType::int64, given.sizes(), given.strides());
  if (input.count() > 0)
    kernels::run(kernels::Sort{seen(values, given.sizes()), none, given.view(), dim, false},
                 input.device());
  return values;
}

ValuesAndIndices topk(const Tensor& input, std::int64_t k, std::int64_t given_dim,
                      Direction direction) {
  const int dim = checked_dim("topk", given_dim, input.ndim());
  const Tensor given = with_dims(input);
  const std::int64_t size = given.size(dim);
  if (k < 0 || k > size)
    throw ShapeError(text("topk: ", k, " elements along dim ", dim, " of size ", size, "; 0 to ",
                          size, " are needed"));
  const ValuesAndIndices result = sorted("topk", given, dim, k, direction);
  return input.ndim() || k == 0 ? result : without_dims(result);
}

ValuesAndIndices kthvalue(const Tensor& input, std::int64_t k, std::int64_t dim, bool keepdim) {
  return chosen(
      "kthvalue", input, dim, keepdim,
      [k](const View& values, const View& indices, const View& x, int at, std::int64_t size) {
        if (k < 1 || k > size)
          throw ShapeError(text("kthvalue: k ", k, " along dim ", at, " of size ", size, "; 1 to ",
                                size, " is needed"));
        return kernels::Select{values, indices, x, at, k - 1, kernels::NaNs::last};
      });
}

ValuesAndIndices element_of_rank(const char* op, const Tensor& input, std::int64_t rank,
                                 std::int64_t dim, bool keepdim) {
  return chosen(
      op, input, dim, keepdim,
      [rank](const View& values, const View& indices, const View& x, int at, std::int64_t) {
        return kernels::Select{values, indices, x, at, rank, kernels::NaNs::win};
      });
}

ValuesAndIndices median(const Tensor& input, std::int64_t dim, bool keepdim) {
  return selected("median", input, dim, keepdim, kernels::NaNs::win);
}

ValuesAndIndices nanmedian(const Tensor& input, std::int64_t dim, bool keepdim) {
  return selected("nanmedian", input, dim, keepdim, kernels::NaNs::passed_over);
}

Tensor median_of_all(const Tensor& input) {
  return selected_of_all("median", input, kernels::NaNs::win);
}

Tensor nanmedian_of_all(const Tensor& input) {
  return selected_of_all("nanmedian", input, kernels::NaNs::passed_over);
}

ValuesAndIndices most_frequent(const Tensor& input, std::int64_t dim, bool keepdim) {
  return chosen("mode", input, dim, keepdim,
                [](const View& values, const View& indices, const View& x, int at, std::int64_t) {
                  return kernels::Mode{values, indices, x, at};
                });
}

ValuesAndIndices cummax(const Tensor& input, std::int64_t dim) {
  return running<kernels::CumulativeMaximum>("cummax", input, dim);
}

ValuesAndIndices cummin(const Tensor& input, std::int64_t dim) {
  return running<kernels::CumulativeMinimum>("cummin", input, dim);
}

Tensor searchsorted(const char* op, const Tensor& given_sorted, const Tensor& given_values,
                    bool right) {
  const GradModeGuard no_grad(false);
  const Operand a = given_sorted, b = given_values;
  const Device device = common_device(op, {&a, &b});
  if (given_sorted.ndim() == 0)
    throw ShapeError(text(op, ": a sorted tensor without dims; at least one is needed"));
  const DType dtype = promote(given_sorted.dtype(), given_values.dtype());
  const Tensor sequence = to(detach(given_sorted), dtype);
  const Tensor values = with_dims(to(detach(given_values), dtype));
  Dims sizes = values.sizes();
  const std::int64_t length = sequence.size(sequence.ndim() - 1);
  Dims wide = sizes;
  wide.back() = length;
  if (sequence.ndim() > 1 && sequence.sizes() != wide)
    throw ShapeError(
        text(op, ": a sorted tensor of sizes ", sequence.sizes(), " for values of sizes ",
             given_values.sizes(),
             "; they may differ along the last dim alone, or the first may have one dim"));
  const Tensor out = empty_of(op, given_values.sizes(), DType::int64, device);
  const Tensor rows = expand(sequence, wide);
  const View to_view = seen(out, sizes);
  if (out.count() > 0)
    kernels::run(kernels::SearchSorted{to_view, rows.view(), values.view(), right}, device);
  return out;
}

}  // namespace garboard
