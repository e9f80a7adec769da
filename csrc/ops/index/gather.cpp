#include "csrc/ops/index/gather.h"

#include <limits>

#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/index/index_tensor.h"
#include "csrc/ops/op/operators.h"
#include "csrc/ops/op/promotion.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/shape/views.h"
#include "kernels/run.h"

namespace garboard {
namespace {

using kernels::Meeting;

const Operand zero = Scalar::of(std::int64_t{0}), one = Scalar::of(std::int64_t{1});

/// Raises ShapeError unless `index` fits into `tensor`, but for `free_dim`, or into all of it for
/// -1.
void check_covered(const char* op, const Tensor& index, const Tensor& tensor, const char* what,
                   int free_dim) {
  bool fits = index.ndim() == tensor.ndim();
  for (int d = 0; fits && d < index.ndim(); ++d)
    fits = d == free_dim || index.size(d) <= tensor.size(d);
  if (fits) return;
  throw ShapeError(text(op, ": an index of sizes ", index.sizes(), " for ", what, " of sizes ",
                        tensor.sizes(), "; as many dims are needed, and no larger size",
                        free_dim < 0 ? text("") : text(" but along dim ", free_dim)));
}

/// `tensor` seen in an index's sizes: where it starts along `dim`, for the index to move on from.
View seen_along(const Tensor& tensor, int dim, const Dims& sizes) {
  Dims strides = tensor.strides();
  if (dim >= 0) strides[dim] = 0;
  return make_view(tensor.data(), tensor.dtype(), sizes, strides);
}

/// What a rule holds of a call: the rest it asks of Backward.
struct Along {
  int dim;
  Negative negative;
};

Tensor gathered(const char* op, const Tensor& input, Along at, const Tensor& index);
void scattered(const char* op, const Tensor& self, Along at, const Tensor& index,
               const Operand& source, Meeting meeting);

/// Zeros of `sizes` that `gradient` was added to.
Tensor added_up(const char* op, const Tensor& gradient, const Dims& sizes, Along at,
                const Tensor& index) {
  const Tensor sum = zeros(sizes, gradient.dtype(), gradient.device());
  scattered(op, sum, at, index, gradient, Meeting::add);
  return sum;
}

Tensor gathered(const char* op, const Tensor& input, Along at, const Tensor& index) {
  const Tensor out = empty_of(op, index.sizes(), input.dtype(), input.device());
  if (index.count() > 0) {
    const kernels::IndexedDim along = indexed_dim(input, at.dim, at.negative);
    const View from = seen_along(input, at.dim, index.sizes());
    if (!kernels::run(kernels::Gather{out.view(), from, index.view(), along}, input.device()))
      refuse_index(op, index, at.dim, along);
  }
  record(op, out, {input}, Keep::nothing,
         [sizes = input.sizes(), at](const Backward& back) -> Grads {
           return added_up("gather", back.grad, sizes, at, back.other(0));
         },
         {{"index", index}});
  return out;
}

/// The source has the index's sizes, or broadcasts to them, or is a number.
void scattered(const char* op, const Tensor& self, Along at, const Tensor& index,
               const Operand& source, Meeting meeting) {
  Tensor values;
  if (source.tensor) values = *source.tensor;
  const kernels::IndexedDim along = indexed_dim(self, at.dim, at.negative);
  if (index.count() > 0) {
    const GradModeGuard no_grad(false);
    const Tensor given = values ? apart_from(self, values)
                                : full({}, source.scalar, self.dtype(), self.device(), op);
    const Tensor numbers = apart_from(self, index);
    const View to = seen_along(self, at.dim, index.sizes());
    const View from = broadcast_view(given.view(), index.sizes());
    bool is_good = true;
    write_into(self, [&] {
      is_good =
          kernels::run(kernels::Scatter{to, numbers.view(), from, along, meeting}, self.device());
    });
    if (!is_good) refuse_index(op, numbers, at.dim, along);
  }
  const Other kept[] = {{"index", index}};
  const bool replaces = meeting == Meeting::write;
  const auto of_self = [replaces, at](const Backward& back, const Tensor& index) {
    if (!replaces) return back.grad;
    const Tensor rest = row_major_copy(back.grad);
    scattered("scatter", rest, at, index, zero, Meeting::write);
    return rest;
  };
  if (!values)
    return record_in_place(
        op, self, {}, Keep::nothing,
        [of_self](const Backward& back) -> Grads { return of_self(back, back.other(0)); }, kept);
  record_in_place(
      op, self, {values}, Keep::nothing,
      [of_self, at](const Backward& back) -> Grads {
        const Tensor index = back.other(0);
        return {back.needs(0) ? of_self(back, index) : Tensor(),
                back.needs(1) ? gathered("scatter", back.grad, at, index) : Tensor()};
      },
      kept);
}

/// An index as numbers along a dim. One of nothing may be of floats, as an empty list's tensor is.
Tensor numbers_along(const char* op, const Tensor& index, const Tensor& input) {
  const bool is_nothing = index.count() == 0 && is_floating(index.dtype());
  return with_dims(index_numbers(op, is_nothing ? to(index, DType::int64) : index, input));
}

/// Checks what scatters have in common, and hands on the index.
Tensor checked_scatter(const char* op, const Tensor& self, int dim, const Tensor& index,
                       const Tensor* source) {
  Tensor numbers = numbers_along(op, index, self);
  if (numbers.count() > 0) {
    check_covered(op, numbers, with_dims(self), "a tensor", dim);
    if (source) check_covered(op, numbers, with_dims(*source), "a source", -1);
  } else if (numbers.ndim() != with_dims(self).ndim()) {
    numbers = reshape(numbers, Dims::filled(with_dims(self).ndim(), 0));
  }
  if (!source) return numbers;
  if (source->dtype() != self.dtype())
    throw DTypeError(text(op, ": a source of dtype ", name_of(source->dtype()), " for a tensor of ",
                          name_of(self.dtype()), "; they must be equal, use to()"));
  const Operand operands[] = {self, *source};
  common_device(op, {&operands[0], &operands[1]});
  return numbers;
}

/// What an index meets of a source, which has other dims than it only where it meets nothing.
Tensor met(const Tensor& given, const Tensor& index) {
  Tensor source = with_dims(given);
  if (source.ndim() != index.ndim())
    return reshape(slice(reshape(source, {-1}), 0, 0, 0, 1), index.sizes());
  for (int d = 0; d < source.ndim(); ++d)
    if (source.size(d) != index.size(d)) source = slice(source, d, 0, index.size(d), 1);
  return source;
}

void scatter(const char* op, const Tensor& self, std::int64_t given_dim, const Tensor& index,
             const Operand& source, Meeting meeting) {
  const int dim = checked_dim(op, given_dim, self.ndim());
  const Tensor numbers = checked_scatter(op, self, dim, index, source.tensor);
  if (!source.tensor) check_fits(op, source.scalar, self.dtype());
  check_writable(op, self);
  const Along at{dim, Negative::is_refused};
  const Tensor place = self.ndim() ? self : view(self, {1});
  if (!source.tensor) return scattered(op, place, at, numbers, source, meeting);
  scattered(op, place, at, numbers, met(*source.tensor, numbers), meeting);
}

/// Of an index that names whole rows, one column of each: where it repeats along all that a dim of
/// `sizes` has.
Tensor without_repeats(Tensor index, const Dims& sizes, int along) {
  for (int d = 0; d < index.ndim(); ++d)
    if (d != along && index.stride(d) == 0 && index.size(d) == sizes[d] && sizes[d] > 1)
      index = slice(index, d, 0, 1, 1);
  return index;
}

/// What changes nothing where it meets another element.
Scalar neutral(ScatterReduction reduction, DType dtype) {
  const bool is_largest = reduction == ScatterReduction::amin;
  if (reduction == ScatterReduction::prod) return Scalar::of(std::int64_t{1});
  if (reduction != ScatterReduction::amax && !is_largest) return Scalar::of(std::int64_t{0});
  if (is_floating(dtype)) {
    const double infinity = std::numeric_limits<double>::infinity();
    return Scalar::of(is_largest ? infinity : -infinity);
  }
  return visit_dtype(dtype, [&]<class T>(Type<T>) {
    using Limits = std::numeric_limits<T>;
    if constexpr (Limits::is_integer)
      return Scalar::of(static_cast<std::int64_t>(is_largest ? Limits::max() : Limits::lowest()));
    return Scalar();
  });
}

/// The gradient of an extremum: shared equally by all that are equal to it.
Grads of_extremum(const Backward& at, Along along) {
  const Tensor self = at.input(0), source = at.input(1), index = at.other(0), out = at.output();
  const DType dtype = at.grad.dtype();
  const Tensor is_self = to(eq(self, out), dtype);
  const Tensor is_source = to(eq(source, gathered("scatter_reduce", out, along, index)), dtype);
  const Tensor count = row_major_copy(is_self);
  scattered("scatter_reduce", count, along, index, is_source, Meeting::add);
  const Tensor share = at.grad / count;
  return {where(is_self, share, zero),
          where(is_source, gathered("scatter_reduce", share, along, index), zero)};
}

/// Of a product: that of the others, which where one of them is 0 is 0. Where one of them alone is,
/// it is that one by the rest, which only gradients of this gradient can tell from 0.
Grads of_product(const Backward& at, Along along) {
  const char* const op = "scatter_reduce";
  const Tensor self = at.input(0), source = at.input(1), index = at.other(0);
  const Tensor self_is_zero = eq(self, zero), source_is_zero = eq(source, zero);
  const Tensor self_or_one = where(self_is_zero, one, self);
  const Tensor source_or_one = where(source_is_zero, one, source);
  const Tensor zero_count = row_major_copy(to(self_is_zero, DType::int64));
  scattered(op, zero_count, along, index, to(source_is_zero, DType::int64), Meeting::add);
  const Tensor rest =
      scatter_reduce(self_or_one, along.dim, index, source_or_one, ScatterReduction::prod);
  Tensor zero_sum;  // of what is 0
  if (is_grad_enabled()) {
    zero_sum = row_major_copy(where(self_is_zero, self, zero));
    scattered(op, zero_sum, along, index, where(source_is_zero, source, zero), Meeting::add);
  }
  const auto others = [&](const Tensor& count, const Tensor& product, const Tensor& is_zero,
                          const Tensor& own, const Tensor& or_one, const Tensor& zeros_met) {
    const Tensor of_others = count - to(is_zero, DType::int64);
    const Tensor without = product / or_one;
    if (!zeros_met) return where(eq(of_others, zero), without, zero);
    const Tensor by_zero = (zeros_met - where(is_zero, own, zero)) * without;
    return where(eq(of_others, zero), without, where(eq(of_others, one), by_zero, zero));
  };
  const auto there = [&](const Tensor& x) { return x ? gathered(op, x, along, index) : Tensor(); };
  return {at.grad * others(zero_count, rest, self_is_zero, self, self_or_one, zero_sum),
          there(at.grad) * others(there(zero_count), there(rest), source_is_zero, source,
                                  source_or_one, there(zero_sum))};
}

}  // namespace

Tensor gather(const Tensor& input, std::int64_t given_dim, const Tensor& index) {
  const int dim = checked_dim("gather", given_dim, input.ndim());
  const Tensor numbers = numbers_along("gather", index, input);
  const Tensor from = with_dims(input);
  if (numbers.count() > 0) check_covered("gather", numbers, from, "a tensor", dim);
  const Tensor out = gathered("gather", from, {dim, Negative::is_refused}, numbers);
  return index.ndim() ? out : reshape(out, {});
}

Tensor take_along_dim(const Tensor& input, const Tensor& indices,
                      std::optional<std::int64_t> given_dim) {
  const char* const op = "take_along_dim";
  const Along flat{0, Negative::counts_from_end};
  if (!given_dim)
    return gathered(op, reshape(input, {-1}), flat,
                    reshape(index_numbers(op, indices, input), {-1}));
  const int dim = checked_dim(op, *given_dim, input.ndim());
  const Tensor numbers = index_numbers(op, indices, input);
  if (numbers.ndim() != input.ndim())
    throw ShapeError(text(op, ": indices of ", numbers.ndim(), " dims for a tensor of ",
                          input.ndim(), "; as many are needed"));
  if (input.ndim() == 0)
    return reshape(gathered(op, with_dims(input), flat, with_dims(numbers)), {});
  Dims of_input = input.sizes(), of_index = numbers.sizes();
  of_input[dim] = of_index[dim] = 1;
  Dims wide = broadcast_sizes(op, of_input, of_index);
  wide[dim] = numbers.size(dim);
  const Tensor index = expand(numbers, wide);
  wide[dim] = input.size(dim);
  return gathered(op, expand(input, wide), {dim, Negative::counts_from_end}, index);
}

void scatter_(const Tensor& self, std::int64_t dim, const Tensor& index, const Operand& source) {
  scatter("scatter_", self, dim, index, source, Meeting::write);
}

void scatter_add_(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& source) {
  scatter("scatter_add_", self, dim, index, source, Meeting::add);
}

Tensor scatter_reduce(const Tensor& given_self, std::int64_t given_dim, const Tensor& index,
                      const Tensor& given_source, ScatterReduction reduction, bool include_self,
                      const char* op) {
  const int dim = checked_dim(op, given_dim, given_self.ndim());
  const Tensor numbers = checked_scatter(op, given_self, dim, index, &given_source);
  if (given_self.dtype() == DType::boolean) {
    if (reduction == ScatterReduction::mean)
      throw DTypeError(text(op, ": a mean of dtype bool; one of numbers is needed"));
    using enum ScatterReduction;  // or, and and
    const bool is_or = reduction == sum || reduction == amax;
    return to(scatter_reduce(to(given_self, DType::uint8), given_dim, index,
                             to(given_source, DType::uint8), is_or ? amax : amin, include_self, op),
              DType::boolean);
  }
  const Tensor source = met(given_source, numbers);
  const Along at{dim, Negative::is_refused};
  const Tensor self = row_major_copy(with_dims(given_self));
  if (!include_self)
    scattered(op, self, at, numbers, neutral(reduction, self.dtype()), Meeting::write);
  const auto finished = [&](const Tensor& out) {
    return given_self.ndim() ? out : reshape(out, {});
  };
  if (reduction == ScatterReduction::sum || reduction == ScatterReduction::mean) {
    scattered(op, self, at, numbers, source, Meeting::add);
    if (reduction == ScatterReduction::sum) return finished(self);
    const Tensor rows = without_repeats(numbers, self.sizes(), dim);
    Dims sizes = self.sizes();
    for (int d = 0; d < self.ndim(); ++d)
      if (rows.size(d) != numbers.size(d)) sizes[d] = 1;
    const Tensor count = full(sizes, Scalar::of(std::int64_t{include_self}),
                              component_of(self.dtype()), self.device());
    scattered(op, count, at, rows, one, Meeting::add);
    const Tensor divisor = maximum(count, one);
    return finished(has_gradient(self.dtype()) ? self / divisor : floor_divide(self, divisor));
  }
  Tensor out = detach(row_major_copy(self));
  {
    const GradModeGuard no_grad(false);
    scattered(op, out, at, numbers, source,
              reduction == ScatterReduction::prod   ? Meeting::multiply
              : reduction == ScatterReduction::amax ? Meeting::maximum
                                                    : Meeting::minimum);
  }
  const bool is_product = reduction == ScatterReduction::prod;
  record(op, out, {self, source}, Keep::first | Keep::second | Keep::output,
         [at, is_product](const Backward& back) -> Grads {
           return is_product ? of_product(back, at) : of_extremum(back, at);
         },
         {{"index", numbers}});
  return finished(out);
}

}  // namespace garboard
