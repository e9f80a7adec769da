#include "csrc/ops/reduce/reduce.h"

#include <algorithm>

#include "csrc/core/error.h"
#include "csrc/ops/complex/complex.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/op/destination.h"
#include "csrc/ops/op/operators.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/reduce/scan.h"
#include "csrc/ops/shape/views.h"

namespace garboard {
namespace {

/// What a reduction does to sizes.
struct Shape {
  Dims kept;     // sizes, 1 where reduced
  Dims result;   // without the reduced ones, unless keepdim
  Dims strides;  // of a dense result, 0 where reduced: how the kernel sees it
  std::int64_t reduced_count = 1;
  unsigned taken = 0;  // a bit for each dim that is reduced
};

Shape shape_of(const char* op, const Tensor& input, const Reduced& reduced) {
  const int ndim = input.ndim();
  unsigned taken = 0;
  if (!reduced.dims) taken = ~0u;
  if (reduced.dims) {
    for (const auto dim : *reduced.dims) {
      const unsigned bit = 1u << checked_dim(op, dim, ndim);
      if (taken & bit) throw ShapeError(text(op, ": dim ", dim, " named twice; once is needed"));
      taken |= bit;
    }
    if (reduced.dims->empty()) taken = ~0u;
  }
  Shape shape;
  for (int i = 0; i < ndim; ++i) {
    const bool is_reduced = taken & (1u << i);
    shape.kept.push_back(is_reduced ? 1 : input.size(i));
    if (is_reduced) shape.reduced_count *= input.size(i);
    if (!is_reduced || reduced.keepdim) shape.result.push_back(shape.kept.back());
  }
  shape.taken = taken;
  shape.strides = contiguous_strides(shape.kept);
  for (int i = 0; i < ndim; ++i) {
    if (taken & (1u << i)) shape.strides[i] = 0;
  }
  return shape;
}

Tensor reduced(const char* name, const kernels::Slot& kernel, const Tensor& input,
               const Shape& shape, DType dtype) {
  const Tensor out = result_of(name, shape.result, dtype, input.device());
  const View wide = make_view(out.data(), dtype, input.sizes(), shape.strides);
  kernels::table_of(input.device())
      .reduce[kernel.index](wide, input.view(), current_stream(input.device()));
  return out;
}

DType summed_dtype(DType input, std::optional<DType> dtype = {}) {
  return dtype ? *dtype : has_gradient(input) ? input : DType::int64;
}

Tensor total(const char* name, const kernels::Slot& kernel, const Tensor& input, const Shape& shape,
             DType dtype) {
  // Kernels sum floats and complex numbers into their own dtype, half types into float32 too, and
  // the rest into int64; anything else converts first.
  const bool is_native = has_gradient(dtype)
                             ? dtype == input.dtype() || dtype == widened(input.dtype())
                             : !has_gradient(input.dtype());
  const GradModeGuard no_grad(false);
  const Tensor given = is_native ? input : to(input, dtype);
  return to(reduced(name, kernel, given, shape, has_gradient(dtype) ? dtype : DType::int64), dtype);
}

Tensor spread(const Tensor& gradient, const Dims& kept, const Dims& sizes) {
  return expand(reshape(gradient, kept), sizes);
}

/// The input's sizes, and which of them were reduced: in a rule there is no room for them twice.
struct Reach {
  Dims sizes;
  unsigned taken;

  Tensor spread(const Tensor& gradient) const {
    Dims kept = sizes;
    for (int i = 0; i < kept.size(); ++i) {
      if (taken & (1u << i)) kept[i] = 1;
    }
    return garboard::spread(gradient, kept, sizes);
  }
};

/// The product of all others among the dims of `taken`, which are brought together at the end.
Tensor others_along(const Tensor& x, unsigned taken) {
  Dims order, back = x.sizes();
  for (const bool is_taken : {false, true}) {
    for (int i = 0; i < x.ndim(); ++i) {
      if (is_taken == ((taken >> i) & 1u)) order.push_back(i);
    }
  }
  std::int64_t size = 1;
  Dims permuted;
  for (int i = 0; i < x.ndim(); ++i) {
    permuted.push_back(x.size(static_cast<int>(order[i])));
    back[static_cast<int>(order[i])] = i;
    if ((taken >> order[i]) & 1u) size *= permuted[i];
  }
  const Tensor rows = reshape(permute(x, order), {x.count() / size, size});
  return permute(reshape(product_of_others(rows, 1), permuted), back);
}

void refuse_empty(const char* op, const Shape& shape) {
  if (shape.reduced_count == 0)
    throw IndexOutOfRangeError(
        text(op, ": no elements to choose from; at least one along each reduced dim is needed"));
}

Tensor extremum(const char* name, const kernels::Slot& kernel, const Tensor& input,
                const Reduced& over) {
  if (is_complex(input.dtype())) refuse_complex(name, input.dtype());
  const Shape shape = shape_of(name, input, over);
  refuse_empty(name, shape);
  const Tensor out = reduced(name, kernel, input, shape, input.dtype());
  record_equals(name, out, input, shape.kept);
  return out;
}

/// One where `indices` points along `dim`, else zero.
Tensor one_hot_along(const Tensor& indices, int dim, std::int64_t size, int ndim) {
  const Tensor places = arange(Scalar::of(std::int64_t{0}), Scalar::of(size),
                               Scalar::of(std::int64_t{1}), DType::int64, indices.device());
  Dims sizes = Dims::filled(ndim, 1);
  if (ndim) sizes[dim] = size;
  return eq(reshape(places, sizes), indices);
}

template <class Kernel>
ValuesAndIndices indexed(const char* name, const Tensor& input, std::int64_t given_dim,
                         bool keepdim) {
  const int dim = checked_dim(name, given_dim, input.ndim());
  const Shape shape = shape_of(name, input, {Dims{given_dim}, keepdim});
  refuse_empty(name, shape);
  const Tensor values = empty_of(name, shape.result, input.dtype(), input.device());
  const Tensor indices = empty_of(name, shape.result, DType::int64, input.device());
  const Dims strides = contiguous_strides(shape.kept);
  kernels::run(
      Kernel{make_view(values.data(), input.dtype(), shape.kept, strides),
             make_view(indices.data(), DType::int64, shape.kept, strides), input.view(), dim},
      input.device());
  record(name, values, {input}, Keep::nothing,
         [kept = shape.kept, dim,
          size = input.ndim() ? input.size(dim) : 1](const Backward& at) -> Grads {
           const Tensor indices = reshape(at.other(0), kept);
           const Tensor chosen = one_hot_along(indices, dim, size, kept.size());
           return where(chosen, reshape(at.grad, kept), Scalar::of(std::int64_t{0}));
         },
         {{"index tensor", indices}});
  return {values, indices};
}

template <class Kernel>
Tensor place_of(const char* name, const Tensor& input, std::optional<std::int64_t> given_dim,
                bool keepdim) {
  const Tensor source = given_dim ? input : reshape(detach(input), {-1});
  const std::int64_t dim = given_dim.value_or(0);
  const Shape shape = shape_of(name, source, {Dims{dim}, keepdim});
  refuse_empty(name, shape);
  const Dims result = given_dim ? shape.result : keepdim ? Dims::filled(input.ndim(), 1) : Dims();
  const Tensor indices = empty_of(name, result, DType::int64, input.device());
  View none = make_view(nullptr, source.dtype(), shape.kept, contiguous_strides(shape.kept));
  kernels::run(
      Kernel{none,
             make_view(indices.data(), DType::int64, shape.kept, contiguous_strides(shape.kept)),
             source.view(), checked_dim(name, dim, source.ndim())},
      input.device());
  return indices;
}

/// The variance without a history, in the dtype that arithmetic is done in, and what the divisor
/// is.
Tensor plain_variance(const char* name, const Tensor& input, const Shape& shape, double correction,
                      double& divisor) {
  if (!is_floating(input.dtype()))
    throw DTypeError(text(name, ": dtype ", name_of(input.dtype()),
                          "; a floating one is needed, as in x.float()"));
  const auto count = static_cast<double>(shape.reduced_count);
  divisor = std::max(count - correction, 0.0);
  const DType dtype = widened(input.dtype());
  const Tensor out = empty_of(name, shape.result, dtype, input.device());
  const View wide = make_view(out.data(), dtype, input.sizes(), shape.strides);
  kernels::run(kernels::Variance{wide, input.view()}, input.device());
  const GradModeGuard no_grad(false);
  if (correction != 0) mul.apply_in_place(out, count / divisor);
  return out;
}

/// `result` as a tensor of the input's dtype, without a history.
Tensor rounded(const Tensor& result, const Tensor& input) {
  const GradModeGuard no_grad(false);
  return to(result, input.dtype());
}

/// A sum as a mean of `dtype`, without a history. Divided, as in PyTorch: 9 times a rounded tenth
/// is one ULP above what 9 / 10 rounds to.
Tensor shared(const Tensor& sum, double count, DType dtype) {
  const GradModeGuard no_grad(false);
  div.apply_in_place(sum, count);
  return to(sum, dtype);
}

double count_of(const Dims& sizes) { return static_cast<double>(sizes.product()); }

Tensor total(const char* name, const Brought& input, DType dtype) {
  const Tensor out = empty_of(name, {}, dtype, {});
  kernels::run(kernels::BroughtSum{out.view(), input.dtype, input.sizes.product(), input.ns,
                                   input.bytes, input.bring, input.context},
               Device{});
  return out;
}

constexpr Closing all_closings[] = {
    {"sum", [](const Tensor& input) { return sum(input); },
     [](const Brought& input) { return total("sum", input, summed_dtype(input.dtype)); },
     [](const Tensor& gradient, const Dims& sizes) { return expand(gradient, sizes); }, true},
    {"mean", [](const Tensor& input) { return mean(input); },
     [](const Brought& input) {
       return shared(total("mean", input, widened(input.dtype)), count_of(input.sizes),
                     input.dtype);
     },
     [](const Tensor& gradient, const Dims& sizes) {
       return expand(gradient / count_of(sizes), sizes);
     },
     false},
};

/// What each element's distance from the mean is, times `scale`.
Tensor distances(const Tensor& x, const Reduced& over, double scale) {
  return (x - mean(x, {over.dims, true})) * scale;
}

Tensor truth(const char* name, const kernels::Slot& kernel, const Tensor& input,
             const Reduced& over) {
  // A list of no dims reduces none here, and all of them in sums: as in PyTorch.
  const bool reduces_none = over.dims && over.dims->empty();
  const Tensor out =
      reduces_none ? ne(input, Scalar::of(std::int64_t{0}))
                   : reduced(name, kernel, input, shape_of(name, input, over), DType::boolean);
  // As in PyTorch, whose masks were bytes once.
  return input.dtype() == DType::uint8 ? to(out, DType::uint8) : out;
}

}  // namespace

void record_equals(const char* op, const Tensor& out, const Tensor& input, const Dims& kept) {
  record(op, out, {input}, Keep::first | Keep::output, [kept](const Backward& at) -> Grads {
    const Tensor x = at.input(0), taken = reshape(at.output(), kept);
    Tensor equals = eq(x, taken);
    if (is_floating(x.dtype()) && taken.count() == 1)
      equals = logical_or(equals, logical_and(ne(x, x), ne(taken, taken)));
    const Tensor chosen = to(equals, at.grad.dtype());
    const Tensor share = at.grad / reshape(sum_to(chosen, kept), at.grad.sizes());
    return chosen * spread(share, kept, x.sizes());
  });
}

std::span<const Closing> closings() { return all_closings; }

Tensor sum(const Tensor& input, const Reduced& over, std::optional<DType> dtype) {
  const Shape shape = shape_of("sum", input, over);
  const Tensor out = total("sum", kernels::reduce<functors::SumOf>, input, shape,
                           summed_dtype(input.dtype(), dtype));
  record("sum", out, {input}, Keep::nothing,
         [reach = Reach{input.sizes(), shape.taken}](const Backward& at) -> Grads {
           return reach.spread(at.grad);
         });
  return out;
}

Tensor sum_of_squares(const Tensor& input, const Reduced& over) {
  const Shape shape = shape_of("sum_of_squares", input, over);
  const Tensor out = reduced("sum_of_squares", kernels::reduce<functors::SumOfSquares>, input,
                             shape, widened(input.dtype()));
  record("sum_of_squares", out, {input}, Keep::first,
         [reach = Reach{input.sizes(), shape.taken}](const Backward& at) -> Grads {
           const Tensor x = at.input(0);
           return to(to(x, at.grad.dtype()) * reach.spread(at.grad * 2.0), x.dtype());
         });
  return out;
}

Tensor prod(const Tensor& input, const Reduced& over, std::optional<DType> dtype) {
  const Shape shape = shape_of("prod", input, over);
  const Tensor out = total("prod", kernels::reduce<functors::ProductOf>, input, shape,
                           summed_dtype(input.dtype(), dtype));
  // Product of the others = output / x, except where x is 0: there it is the
  // product of the rest, which is 0 as well as soon as a second zero stands in
  // the slice.
  record("prod", out, {input}, Keep::first | Keep::output,
         [kept = shape.kept, over, taken = shape.taken](const Backward& at) -> Grads {
           const Tensor x = at.input(0);
           if (is_grad_enabled() && has_zero(x))
             return others_along(x, taken) * spread(at.grad, kept, x.sizes());
           const Operand zero = Scalar::of(std::int64_t{0}), one = Scalar::of(std::int64_t{1});
           const Tensor is_zero = eq(x, zero);
           const Tensor zero_count = sum(is_zero, {over.dims, true});
           const Tensor of_rest = prod(where(is_zero, one, x), {over.dims, true});
           const Tensor only_zero = logical_and(is_zero, eq(zero_count, one));
           const Tensor others = where(eq(zero_count, zero), of_rest / where(is_zero, one, x),
                                       where(only_zero, of_rest, zero));
           return others * spread(at.grad, kept, x.sizes());
         });
  return out;
}

Tensor mean(const Tensor& input, const Reduced& over, std::optional<DType> dtype) {
  const DType result = dtype.value_or(input.dtype());
  if (!has_gradient(result))
    throw DTypeError(text("mean: dtype ", name_of(result),
                          "; a floating one is needed, as in mean(dtype=float32)"));
  const Shape shape = shape_of("mean", input, over);
  const auto count = static_cast<double>(shape.reduced_count);
  const Tensor out =  // the sum may be beyond a half type
      shared(total("mean", kernels::reduce<functors::SumOf>, input, shape, widened(result)), count,
             result);
  record("mean", out, {input}, Keep::nothing,
         [reach = Reach{input.sizes(), shape.taken}, count](const Backward& at) -> Grads {
           return reach.spread(at.grad / count);
         });
  return out;
}

Tensor var(const Tensor& input, const Reduced& over, double correction) {
  if (is_complex(input.dtype()))
    return var(real(input), over, correction) + var(imag(input), over, correction);
  const Shape shape = shape_of("var", input, over);
  double divisor;
  const Tensor out = rounded(plain_variance("var", input, shape, correction, divisor), input);
  record("var", out, {input}, Keep::first,
         [kept = shape.kept, over, scale = 2 / divisor](const Backward& at) -> Grads {
           const Tensor x = at.input(0);
           return distances(x, over, scale) * spread(at.grad, kept, x.sizes());
         });
  return out;
}

Tensor std_deviation(const Tensor& input, const Reduced& over, double correction) {
  if (is_complex(input.dtype())) {
    const Tensor variance = var(input, over, correction);
    // Where nothing deviates the slope is 0, as of real numbers.
    const Operand zero = Scalar::of(0.0), one = Scalar::of(1.0);
    const Tensor is_still = eq(variance, zero);
    return where(is_still, zero, sqrt(where(is_still, one, variance)));
  }
  const Shape shape = shape_of("std", input, over);
  double divisor;
  Tensor out = plain_variance("std", input, shape, correction, divisor);
  {
    const GradModeGuard no_grad(false);
    sqrt.apply_in_place(out);
  }
  out = rounded(out, input);
  record("std", out, {input}, Keep::first | Keep::output,
         [kept = shape.kept, over, scale = 1 / divisor](const Backward& at) -> Grads {
           const Tensor x = at.input(0), output = at.output();
           const Operand zero = Scalar::of(std::int64_t{0});
           const Tensor slope = where(eq(output, zero), zero, at.grad / output);
           return distances(x, over, scale) * spread(slope, kept, x.sizes());
         });
  return out;
}

Tensor amax(const Tensor& input, const Reduced& over) {
  return extremum("amax", kernels::reduce<functors::MaximumOf>, input, over);
}
Tensor amin(const Tensor& input, const Reduced& over) {
  return extremum("amin", kernels::reduce<functors::MinimumOf>, input, over);
}

Tensor max(const Tensor& input, const Reduced& over) {
  return extremum("max", kernels::reduce<functors::MaximumOf>, input, over);
}
Tensor min(const Tensor& input, const Reduced& over) {
  return extremum("min", kernels::reduce<functors::MinimumOf>, input, over);
}
ValuesAndIndices max(const Tensor& input, std::int64_t dim, bool keepdim) {
  return indexed<kernels::MaximumIndex>("max", input, dim, keepdim);
}
ValuesAndIndices min(const Tensor& input, std::int64_t dim, bool keepdim) {
  return indexed<kernels::MinimumIndex>("min", input, dim, keepdim);
}
Tensor argmax(const Tensor& input, std::optional<std::int64_t> dim, bool keepdim) {
  return place_of<kernels::MaximumIndex>("argmax", input, dim, keepdim);
}
Tensor argmin(const Tensor& input, std::optional<std::int64_t> dim, bool keepdim) {
  return place_of<kernels::MinimumIndex>("argmin", input, dim, keepdim);
}

Tensor all(const Tensor& input, const Reduced& over) {
  return truth("all", kernels::reduce<functors::AllOf>, input, over);
}
Tensor any(const Tensor& input, const Reduced& over) {
  return truth("any", kernels::reduce<functors::AnyOf>, input, over);
}

Tensor sum_to(const Tensor& input, const Dims& sizes) {
  if (input.sizes() == sizes) return input;
  Dims dims;
  const int added = input.ndim() - sizes.size();
  for (int i = 0; i < input.ndim(); ++i) {
    if (i < added || (sizes[i - added] == 1 && input.size(i) != 1)) dims.push_back(i);
  }
  return dims.empty() ? reshape(input, sizes) : reshape(sum(input, {dims, true}), sizes);
}

}  // namespace garboard
