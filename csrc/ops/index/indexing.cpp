#include "csrc/ops/index/indexing.h"

#include <bit>
#include <span>

#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/index/index_tensor.h"
#include "csrc/ops/index/mask.h"
#include "csrc/ops/op/operators.h"
#include "csrc/ops/op/promotion.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/reduce/reduce.h"
#include "csrc/ops/shape/views.h"
#include "kernels/run.h"

namespace garboard {
namespace {

using kernels::IndexedDim;
using kernels::Meeting;

/// Which dims indices stand for, a bit each: what a rule holds of them.
struct Taken {
  unsigned dims;
  Negative negative;
};

/// The index tensors of those dims, in order.
using IndexTensors = std::vector<Tensor>;

/// A tensor as its indices see it.
struct Selection {
  Dims sizes;        // of what they name
  View view;         // those sizes over the tensor's memory, at index 0
  Tensor index;      // one for all
  View index_view;   // in those sizes
  IndexedDim along;  // what it counts along
};

int lowest_bit(unsigned bits) { return std::countr_zero(bits); }

/// Several indices as one, which counts single elements from the lowest address on.
Tensor joined(const char* op, const Tensor& input, Taken taken, const IndexTensors& numbers,
              const Dims& sizes, Selection& selection) {
  const Tensor places = empty_of(op, sizes, DType::int64, input.device());
  const auto item = static_cast<std::int64_t>(item_size(input.dtype()));
  std::int64_t reach = 0, shift = 0;
  unsigned left = taken.dims;
  for (std::size_t k = 0; k < numbers.size(); ++k, left &= left - 1) {
    const int dim = lowest_bit(left);
    const IndexedDim along = indexed_dim(input, dim, taken.negative);
    const View index = broadcast_view(numbers[k].view(), sizes);
    if (!kernels::run(kernels::IndexedPlaces{places.view(), index, along, k == 0}, input.device()))
      refuse_index(op, numbers[k], dim, along);
    if (along.size == 0) continue;
    const std::int64_t last = (along.size - 1) * along.stride;
    reach += last < 0 ? -last : last;
    if (last < 0) shift += last;
  }
  selection.view.data = static_cast<char*>(selection.view.data) + shift * item;
  selection.along = {reach + 1, 1, 0};
  return places;
}

bool can_meet(const Dims& a, const Dims& b) {
  for (int i = 1; i <= std::min(a.size(), b.size()); ++i) {
    const std::int64_t one = a[a.size() - i], other = b[b.size() - i];
    if (one != other && one != 1 && other != 1) return false;
  }
  return true;
}

/// What all indices broadcast to. Raises IndexOutOfRangeError: indices are at odds, no values are.
Dims common_sizes(const char* op, const IndexTensors& numbers) {
  Dims wide;
  for (const Tensor& number : numbers) {
    if (!can_meet(wide, number.sizes()))
      throw IndexOutOfRangeError(text(op, ": indices of sizes ", wide, " and ", number.sizes(),
                                      "; they must be equal or 1 where they differ"));
    wide = broadcast_sizes(op, wide, number.sizes());
  }
  return wide;
}

Selection select_by(const char* op, const Tensor& input, Taken taken, const IndexTensors& numbers) {
  const Dims wide = common_sizes(op, numbers);
  const unsigned from_first = taken.dims >> lowest_bit(taken.dims);
  const bool is_side_by_side = (from_first & (from_first + 1)) == 0;
  const int at = is_side_by_side ? lowest_bit(taken.dims) : 0;
  Selection selection;
  Dims strides, index_strides;
  const auto add_index_dims = [&] {
    for (const std::int64_t size : wide) {
      selection.sizes.push_back(size);
      strides.push_back(0);
    }
  };
  for (int d = 0; d < input.ndim(); ++d) {
    if (d == at) add_index_dims();
    if (taken.dims & (1u << d)) continue;
    selection.sizes.push_back(input.size(d));
    strides.push_back(input.stride(d));
  }
  selection.view.data = input.data();
  const int only = lowest_bit(taken.dims);
  if (numbers.size() == 1) {
    selection.index = numbers[0];
    selection.along = indexed_dim(input, only, taken.negative);
  } else {
    selection.index = joined(op, input, taken, numbers, wide, selection);
  }
  selection.view = make_view(selection.view.data, input.dtype(), selection.sizes, strides);
  index_strides = Dims::filled(selection.sizes.size(), 0);
  for (int i = 0; i < wide.size(); ++i) index_strides[at + i] = selection.index.stride(i);
  selection.index_view =
      make_view(selection.index.data(), DType::int64, selection.sizes, index_strides);
  return selection;
}

/// What the node keeps for its rule.
std::vector<Other> kept_of(const IndexTensors& numbers) {
  std::vector<Other> kept;
  for (const Tensor& number : numbers) kept.push_back({"index", number});
  return kept;
}
IndexTensors kept_numbers(const Backward& at, unsigned dims) {
  IndexTensors numbers;
  for (int i = 0; i < std::popcount(dims); ++i) numbers.push_back(at.other(i));
  return numbers;
}

void put(const char* op, const Tensor& self, Taken taken, const IndexTensors& numbers,
         const Operand& values, Meeting meeting);

Tensor picked(const char* op, const Tensor& input, Taken taken, const IndexTensors& numbers) {
  const Selection from = select_by(op, input, taken, numbers);
  const Tensor out = empty_of(op, from.sizes, input.dtype(), input.device());
  if (out.count() > 0 &&
      !kernels::run(kernels::Gather{out.view(), from.view, from.index_view, from.along},
                    input.device()))
    refuse_index(op, from.index, lowest_bit(taken.dims), from.along);
  record_with(kept_of(numbers), op, out, {input}, Keep::nothing,
              [sizes = input.sizes(), taken](const Backward& at) -> Grads {
                const Tensor sum = zeros(sizes, at.grad.dtype(), at.grad.device());
                put("index backward", sum, taken, kept_numbers(at, taken.dims), at.grad,
                    Meeting::add);
                return sum;
              });
  return out;
}

void check_values(const char* op, const Tensor& self, const Tensor& values, const char* what) {
  if (values.dtype() != self.dtype())
    throw DTypeError(text(op, ": ", what, " of dtype ", name_of(values.dtype()),
                          " for a tensor of ", name_of(self.dtype()),
                          "; they must be equal, use to()"));
  if (values.device() != self.device())
    throw DeviceError(text(op, ": ", what, " on ", values.device(), " for a tensor on ",
                           self.device(), "; they must be on one device, use to()"));
}

void put(const char* op, const Tensor& self, Taken taken, const IndexTensors& numbers,
         const Operand& values, Meeting meeting) {
  if (values.tensor) check_values(op, self, *values.tensor, "values");
  IndexTensors apart;
  for (const Tensor& number : numbers) apart.push_back(detach(apart_from(self, number)));
  const Selection to = select_by(op, self, taken, apart);
  if (values.tensor && broadcast_sizes(op, to.sizes, values.tensor->sizes()) != to.sizes)
    throw ShapeError(text(op, ": values of sizes ", values.tensor->sizes(),
                          " for a place of sizes ", to.sizes, "; they must broadcast to it"));
  if (to.view.count > 0) {
    const GradModeGuard no_grad(false);
    const Tensor given = values.tensor ? apart_from(self, *values.tensor)
                                       : full({}, values.scalar, self.dtype(), self.device(), op);
    const View from = broadcast_view(given.view(), to.sizes);
    bool is_good = true;
    write_into(self, [&] {
      is_good = kernels::run(kernels::Scatter{to.view, to.index_view, from, to.along, meeting},
                             self.device());
    });
    if (!is_good) refuse_index(op, to.index, lowest_bit(taken.dims), to.along);
  }
  const bool replaces = meeting == Meeting::write;
  const auto of_self = [replaces, taken](const Backward& at, const IndexTensors& numbers) {
    if (!replaces) return at.grad;
    const Tensor rest = row_major_copy(at.grad);
    put("index backward", rest, taken, numbers, Scalar::of(std::int64_t{0}), Meeting::write);
    return rest;
  };
  if (!values.tensor)
    return record_in_place(
        op, self, {}, Keep::nothing,
        [of_self, taken](const Backward& at) -> Grads {
          return of_self(at, kept_numbers(at, taken.dims));
        },
        kept_of(apart));
  record_in_place(
      op, self, {values}, Keep::nothing,
      [of_self, taken, sizes = values.tensor->sizes()](const Backward& at) -> Grads {
        const IndexTensors numbers = kept_numbers(at, taken.dims);
        return {at.needs(0) ? of_self(at, numbers) : Tensor(),
                at.needs(1) ? sum_to(picked("index backward", at.grad, taken, numbers), sizes)
                            : Tensor()};
      },
      kept_of(apart));
}

/// Indices with masks made numbers of.
struct Resolved {
  Taken taken{0, Negative::counts_from_end};
  IndexTensors numbers;
};

bool is_mask(const Tensor& index) {
  return index.dtype() == DType::boolean || index.dtype() == DType::uint8;
}

void check_mask_sizes(const char* op, const Tensor& input, const Tensor& mask, int dim) {
  if (mask.ndim() == 0) throw ShapeError(text(op, ": a mask without dims; at least one is needed"));
  for (int d = 0; d < mask.ndim(); ++d) {
    if (dim + d < input.ndim() && mask.size(d) == input.size(dim + d)) continue;
    throw IndexOutOfRangeError(text(op, ": a mask of sizes ", mask.sizes(), " for dim ", dim,
                                    " and on of a tensor of sizes ", input.sizes(),
                                    "; they must be equal"));
  }
}

Resolved resolved(const char* op, const Tensor& input, const Indices& indices) {
  Resolved result;
  int dim = 0;
  const auto add = [&](Tensor numbers) {
    if (dim >= input.ndim())
      throw IndexOutOfRangeError(text(op, ": more indices than the ", input.ndim(),
                                      " dims of a tensor of sizes ", input.sizes(),
                                      "; at most one a dim"));
    result.taken.dims |= 1u << dim++;
    result.numbers.push_back(std::move(numbers));
  };
  for (const Tensor& index : indices) {
    if (!index) {
      ++dim;
    } else if (!is_mask(index)) {
      add(index_numbers(op, index, input));
    } else {
      check_mask_sizes(op, input, index, dim);
      if (index.device() != input.device())
        throw DeviceError(text(op, ": a mask on ", index.device(), " for a tensor on ",
                               input.device(), "; they must be on one device, use to()"));
      for (Tensor& places : nonzero_places(index)) add(std::move(places));
    }
  }
  if (dim > input.ndim())
    throw IndexOutOfRangeError(text(op, ": ", dim, " indices for a tensor of sizes ", input.sizes(),
                                    "; at most one a dim"));
  return result;
}

/// A mask over all of `input` and nothing beside it, which needs no numbers.
bool is_one_mask(const Tensor& input, const Indices& indices) {
  return indices.size() == 1 && indices[0] && is_mask(indices[0]) &&
         indices[0].sizes() == input.sizes() && indices[0].device() == input.device();
}

/// For ops with an index of at most one dim.
struct OneIndex {
  int dim;
  Taken taken;
  IndexTensors numbers;

  OneIndex(const char* op, const Tensor& input, std::int64_t given_dim, const Tensor& index)
      : dim(checked_dim(op, given_dim, input.ndim())), taken{1u << dim, Negative::is_refused} {
    const Tensor given = index_numbers(op, index, input);
    if (given.ndim() > 1)
      throw ShapeError(text(op, ": an index of sizes ", index.sizes(),
                            "; at most one dim is needed, use x[index]"));
    numbers.push_back(given.ndim() ? given : reshape(given, {1}));
  }
};

/// The source of index_add_ and index_copy_ has self's sizes, but along `dim` the index's.
void check_slices(const char* op, const Tensor& self, const OneIndex& at, const Tensor& source) {
  check_values(op, self, source, "a source");
  Dims needed = with_dims(self).sizes();
  needed[at.dim] = at.numbers[0].count();
  if (with_dims(source).sizes() == needed) return;
  throw ShapeError(text(op, ": a source of sizes ", source.sizes(), " for a tensor of sizes ",
                        self.sizes(), " and an index of ", needed[at.dim], " along dim ", at.dim,
                        "; sizes ", needed, " are needed"));
}

constexpr Taken flat{1, Negative::counts_from_end};

}  // namespace

Tensor index(const Tensor& input, const Indices& indices) {
  if (is_one_mask(input, indices) && input.ndim() > 0)
    return masked_select(input, to(indices[0], DType::boolean));
  const Resolved given = resolved("index", input, indices);
  return given.numbers.empty() ? alias(input) : picked("index", input, given.taken, given.numbers);
}

void index_put_(const Tensor& self, const Indices& indices, const Tensor& values, bool accumulate) {
  const char* const op = "index_put_";
  check_values(op, self, values, "values");
  const Meeting meeting = accumulate ? Meeting::add : Meeting::write;
  if (is_one_mask(self, indices) && !accumulate && values.ndim() < 2) {
    const Tensor mask = to(indices[0], DType::boolean);
    if (values.count() != 1) return masked_put_(self, mask, values);
    return masked_fill_(self, mask, reshape(values, {}));
  }
  const Resolved given = resolved(op, self, indices);
  check_writable(op, self);
  if (!given.numbers.empty()) return put(op, self, given.taken, given.numbers, values, meeting);
  accumulate ? add.apply_in_place(self, values) : copy_(self, values);
}

Tensor index_select(const Tensor& input, std::int64_t dim, const Tensor& given) {
  const OneIndex at("index_select", input, dim, given);
  const Tensor out = picked("index_select", with_dims(input), at.taken, at.numbers);
  return input.ndim() || out.count() != 1 ? out : reshape(out, {});
}

void index_add_(const Tensor& self, std::int64_t dim, const Tensor& given, const Tensor& source,
                Scalar alpha) {
  const char* const op = "index_add_";
  const OneIndex at(op, self, dim, given);
  check_slices(op, self, at, source);
  check_writable(op, self);
  const bool is_scaled = !alpha.is(1);
  if (is_scaled) check_fits(op, alpha, self.dtype());
  const Tensor added = is_scaled ? to(source * alpha, self.dtype()) : source;
  put(op, with_dims(self), at.taken, at.numbers, with_dims(added), Meeting::add);
}

void index_copy_(const Tensor& self, std::int64_t dim, const Tensor& given, const Tensor& source) {
  const char* const op = "index_copy_";
  const OneIndex at(op, self, dim, given);
  check_slices(op, self, at, source);
  check_writable(op, self);
  put(op, with_dims(self), at.taken, at.numbers, with_dims(source), Meeting::write);
}

void index_fill_(const Tensor& self, std::int64_t dim, const Tensor& given, const Operand& value) {
  const char* const op = "index_fill_";
  const OneIndex at(op, self, dim, given);
  if (value.tensor && value.tensor->ndim() > 0)
    throw ShapeError(text(op, ": a value of sizes ", value.tensor->sizes(),
                          "; a number or a tensor without dims is needed"));
  if (!value.tensor) check_fits(op, value.scalar, self.dtype());
  check_writable(op, self);
  if (!value.tensor) return put(op, with_dims(self), at.taken, at.numbers, value, Meeting::write);
  put(op, with_dims(self), at.taken, at.numbers, to(*value.tensor, self.dtype()), Meeting::write);
}

Tensor take(const Tensor& input, const Tensor& given) {
  return picked("take", reshape(input, {-1}), flat, {index_numbers("take", given, input)});
}

void put_(const Tensor& self, const Tensor& given, const Tensor& source, bool accumulate) {
  const char* const op = "put_";
  const Tensor numbers = index_numbers(op, given, self);
  check_values(op, self, source, "a source");
  if (numbers.count() != source.count())
    throw ShapeError(text(op, ": a source of ", source.count(), " elements for an index of ",
                          numbers.count(), "; as many are needed"));
  check_writable(op, self);
  const Meeting meeting = accumulate ? Meeting::add : Meeting::write;
  const Tensor values = reshape(source, numbers.sizes());
  if (self.is_contiguous()) return put(op, view(self, {-1}), flat, {numbers}, values, meeting);
  const Tensor copy = row_major_copy(self);
  put(op, view(copy, {-1}), flat, {numbers}, values, meeting);
  copy_(self, copy);
}

Tensor embedding(const Tensor& input, const Tensor& weight,
                 std::optional<std::int64_t> padding_idx) {
  const char* const op = "embedding";
  if (weight.ndim() != 2)
    throw ShapeError(
        text(op, ": a weight of sizes ", weight.sizes(), "; [count, width] is needed"));
  const std::int64_t count = weight.size(0);
  if (padding_idx && (*padding_idx < -count || *padding_idx >= count))
    throw IndexOutOfRangeError(text(op, ": padding_idx ", *padding_idx, " for ", count,
                                    " rows; it must lie in [", -count, ", ", count - 1, "]"));
  const Tensor numbers = index_numbers(op, input, weight);
  const Taken rows{1, Negative::is_refused};
  const Tensor out = picked(op, detach(weight), rows, {numbers});
  const std::int64_t padding = !padding_idx ? -1 : *padding_idx + (*padding_idx < 0 ? count : 0);
  record(op, out, {weight}, Keep::nothing,
         [sizes = weight.sizes(), padding](const Backward& at) -> Grads {
           const Tensor index = at.other(0);
           Tensor given = at.grad;
           if (padding >= 0)
             given = where(unsqueeze(eq(index, Scalar::of(padding)), -1),
                           Scalar::of(std::int64_t{0}), given);
           const Tensor sum = zeros(sizes, given.dtype(), given.device());
           put("embedding backward", sum, {1, Negative::is_refused}, {index}, given, Meeting::add);
           return sum;
         },
         {{"index", numbers}});
  return out;
}

}  // namespace garboard
