#include "csrc/ops/shape/windows.h"

#include <algorithm>

#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/op/operators.h"
#include "csrc/ops/reduce/reduce.h"
#include "csrc/ops/shape/view_of.h"
#include "csrc/tensor/sizes.h"

namespace garboard {
namespace {

/// The elements of a storage that sizes and strides reach, from `low` up to but without `high`;
/// counted from the storage's start. None where there are no elements.
struct Span {
  std::int64_t low, high;

  static Span of(const Tensor& tensor) {
    Span span{tensor.offset(), tensor.offset() + 1};
    for (int i = 0; i < tensor.ndim(); ++i) {
      const std::int64_t reach = (tensor.size(i) - 1) * tensor.stride(i);
      (reach < 0 ? span.low : span.high) += reach;
    }
    return tensor.count() ? span : Span{tensor.offset(), tensor.offset()};
  }
  bool holds(const Span& other) const { return low <= other.low && other.high <= high; }
};

/// The last element that is reached, counted from the first; none where that overflows. No stride
/// is negative.
std::optional<std::int64_t> reach_of(const Dims& sizes, const Dims& strides) {
  std::int64_t last = 0, reach;
  for (int i = 0; i < sizes.size(); ++i) {
    if (__builtin_mul_overflow(sizes[i] - 1, strides[i], &reach) ||
        __builtin_add_overflow(last, reach, &last))
      return std::nullopt;
  }
  return last;
}

/// A view of the elements of `flat`, which has one dim.
Tensor strided(const Tensor& flat, const Dims& sizes, const Dims& strides, std::int64_t offset) {
  return view_of("as_strided", flat, sizes, strides, flat.offset() + offset, [&] {
    return [count = flat.count(), sizes, strides, offset](const Backward& at) -> Grads {
      const Tensor gradient = zeros({count}, at.grad.dtype(), at.grad.device());
      sum_into(strided(gradient, sizes, strides, offset), at.grad);
      return gradient;
    };
  });
}

/// Adds `gradient` to what a view holds, one index after the other of a dim that meets elements it
/// has met.
void add_into(const Tensor& view, const Tensor& gradient) {
  const int dim = dim_that_overlaps(view.sizes(), view.strides());
  if (dim < 0) return add.apply_in_place(view, gradient);
  for (std::int64_t i = 0; i < view.size(dim); ++i)
    add_into(select(view, dim, i), select(gradient, dim, i));
}

}  // namespace

int dim_that_overlaps(const Dims& sizes, const Dims& strides) {
  int order[max_dims], count = 0;
  const auto width = [&](int dim) { return strides[dim] < 0 ? -strides[dim] : strides[dim]; };
  for (int i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) return -1;
    if (sizes[i] == 1) continue;
    int at = count++;
    for (; at > 0 && width(order[at - 1]) > width(i); --at) order[at] = order[at - 1];
    order[at] = i;
  }
  std::int64_t reach = 0;
  for (int k = 0; k < count; ++k) {
    const int dim = order[k];
    if (width(dim) <= reach) return k > 0 && sizes[order[k - 1]] < sizes[dim] ? order[k - 1] : dim;
    reach += (sizes[dim] - 1) * width(dim);
  }
  return -1;
}

void sum_into(const Tensor& zeros, const Tensor& gradient) {
  Tensor once = zeros, sum = gradient;
  for (int i = 0; i < once.ndim(); ++i) {  // what stride 0 repeats is summed at once
    if (once.stride(i) != 0 || once.size(i) <= 1) continue;
    once = slice(once, i, 0, 1, 1);
    sum = garboard::sum(sum, {Dims{i}, true});
  }
  if (dim_that_overlaps(once.sizes(), once.strides()) < 0) return copy_(once, sum);
  add_into(once, sum);
}

Tensor as_strided(const Tensor& input, const Dims& sizes, const Dims& strides,
                  std::optional<std::int64_t> given_offset) {
  if (sizes.size() != strides.size())
    throw ShapeError(text("as_strided: sizes ", sizes, " and strides ", strides,
                          "; as many of one as of the other are needed"));
  check_not_negative("as_strided", sizes);
  const std::int64_t offset = given_offset.value_or(input.offset());
  const auto held = input.storage()->bytes / static_cast<std::int64_t>(item_size(input.dtype()));
  const bool any_negative =
      std::any_of(strides.begin(), strides.end(), [](std::int64_t stride) { return stride < 0; });
  if (any_negative || offset < 0)
    throw ShapeError(text("as_strided: strides ", strides, " from offset ", offset,
                          "; none may be negative, use flip() to turn a dim around"));
  const bool is_empty =
      std::any_of(sizes.begin(), sizes.end(), [](auto size) { return size == 0; });
  const std::optional<std::int64_t> last = is_empty ? 0 : reach_of(sizes, strides);
  checked_count("as_strided", sizes, input.dtype());
  if (!is_empty && (!last || offset >= held || *last >= held - offset))
    throw ShapeError(text("as_strided: sizes ", sizes, " with strides ", strides, " from offset ",
                          offset, " over a storage of ", held,
                          " elements; they must stay inside it"));
  const Tensor result =
      input.alias_of_storage(sizes, strides, is_empty ? std::min(offset, held) : offset);
  const Tensor base(input.body()->base ? input.body()->base : input.share());
  const Span whole = Span::of(base), wanted = Span::of(result);
  if (!is_empty && !whole.holds(wanted)) {  // it sees what no history of the base tells of
    if (is_grad_enabled() && input.requires_grad())
      throw GradientError(text("as_strided: elements ", wanted.low, " to ", wanted.high - 1,
                               " of the storage, of a tensor that requires grad and covers ",
                               whole.low, " to ", whole.high - 1,
                               "; stay inside, or use detach() first"));
    return result;
  }
  return view_of("as_strided", input, sizes, strides, result.offset(), [&] {
    // Both lie inside what the base covers.
    return [sizes, strides, from = result.offset() - whole.low, before = input.sizes(),
            before_strides = input.strides(), before_from = input.offset() - whole.low,
            count = whole.high - whole.low](const Backward& at) -> Grads {
      const Tensor flat = zeros({count}, at.grad.dtype(), at.grad.device());
      sum_into(strided(flat, sizes, strides, from), at.grad);
      const Tensor gradient = row_major_copy(strided(flat, before, before_strides, before_from));
      if (dim_that_overlaps(before, before_strides) < 0) return gradient;
      // Elements of the input that are one in memory share its gradient.
      Tensor counts;
      {
        const GradModeGuard no_grad(false);
        const Tensor met = zeros({count}, at.grad.dtype(), at.grad.device());
        const Tensor ones = full(before, Scalar::of(1.0), at.grad.dtype(), at.grad.device());
        counts = strided(met, before, before_strides, before_from);
        sum_into(counts, ones);
      }
      return gradient / counts;
    };
  });
}

Tensor unfold(const Tensor& input, std::int64_t given_dim, std::int64_t size, std::int64_t step) {
  const int dim = checked_dim("unfold", given_dim, input.ndim());
  const bool has_dims = input.ndim() > 0;
  const std::int64_t length = has_dims ? input.size(dim) : 1;
  const std::int64_t stride = has_dims ? input.stride(dim) : 1;
  if (size < 0 || size > length)
    throw ShapeError(text("unfold: windows of ", size, " along dim ", dim, " of size ", length,
                          "; 0 to ", length, " are needed"));
  if (step <= 0) throw ShapeError(text("unfold: step ", step, "; it must be above 0"));
  if (has_dims) check_room("unfold", input);
  const auto fill = [&](Dims& sizes, Dims& strides) {
    sizes = input.sizes();
    strides = input.strides();
    if (has_dims) {
      sizes[dim] = (length - size) / step + 1;
      strides[dim] = stepped(stride, step);
    }
    sizes.push_back(size);
    strides.push_back(stride);
    return input.offset();
  };
  return view_of("unfold", input, fill, [&] {
    return [before = input.sizes(), dim, size, step](const Backward& at) -> Grads {
      const Tensor gradient = zeros(before, at.grad.dtype(), at.grad.device());
      sum_into(unfold(gradient, dim, size, step), at.grad);
      return gradient;
    };
  });
}

Tensor diagonal(const Tensor& input, std::int64_t above, std::int64_t dim1, std::int64_t dim2) {
  if (input.ndim() < 2)
    throw ShapeError(text("diagonal: sizes ", input.sizes(), "; at least two dims are needed"));
  const int row = checked_dim("diagonal", dim1, input.ndim());
  const int column = checked_dim("diagonal", dim2, input.ndim());
  if (row == column)
    throw ShapeError(text("diagonal: dims ", dim1, " and ", dim2, " are one; two are needed"));
  const std::int64_t rows = input.size(row), columns = input.size(column);
  const std::int64_t down = input.stride(row), right = input.stride(column);
  const std::int64_t length = std::max<std::int64_t>(
      0, above >= 0 ? std::min(rows, columns - above) : std::min(rows + above, columns));
  const auto fill = [&](Dims& sizes, Dims& strides) {
    for (int i = 0; i < input.ndim(); ++i) {
      if (i == row || i == column) continue;
      sizes.push_back(input.size(i));
      strides.push_back(input.stride(i));
    }
    sizes.push_back(length);
    strides.push_back(down + right);
    if (length == 0) return input.offset();
    return input.offset() + (above >= 0 ? above * right : -above * down);
  };
  return view_of("diagonal", input, fill, [&] {
    return [before = input.sizes(), above, row, column](const Backward& at) -> Grads {
      const Tensor gradient = zeros(before, at.grad.dtype(), at.grad.device());
      copy_(diagonal(gradient, above, row, column), at.grad);
      return gradient;
    };
  });
}

Tensor diag_embed(const Tensor& input, std::int64_t above, std::int64_t dim1, std::int64_t dim2) {
  if (input.ndim() == 0)
    throw ShapeError("diag_embed: a tensor without dims; at least one is needed");
  check_room("diag_embed", input);
  const int row = checked_dim("diag_embed", dim1, input.ndim() + 1);
  const int column = checked_dim("diag_embed", dim2, input.ndim() + 1);
  if (row == column)
    throw ShapeError(text("diag_embed: dims ", dim1, " and ", dim2, " are one; two are needed"));
  std::int64_t side;
  if (__builtin_add_overflow(input.last_size(), above, &side) ||
      (above < 0 && __builtin_sub_overflow(input.last_size(), above, &side)))
    throw ShapeError(text("diag_embed: offset ", above, "; no device holds as many rows"));
  Dims sizes = input.sizes();
  sizes.erase(sizes.size() - 1);
  for (const int dim : {std::min(row, column), std::max(row, column)}) sizes.insert(dim, side);
  const Tensor result = empty(sizes, input.dtype(), input.device(), "diag_embed");
  {
    const GradModeGuard no_grad(false);
    fill_(result, Scalar::of(std::int64_t{0}));
    copy_into(diagonal(result, above, row, column), input);
  }
  record("diag_embed", result, {input}, Keep::nothing,
         [above, row, column](const Backward& at) -> Grads {
           return diagonal(at.grad, above, row, column);
         });
  return result;
}

}  // namespace garboard
