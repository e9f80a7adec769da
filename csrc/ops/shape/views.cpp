#include "csrc/ops/shape/views.h"

#include <numeric>

#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/reduce/reduce.h"
#include "csrc/ops/shape/view_of.h"
#include "csrc/tensor/sizes.h"

namespace garboard {
namespace {

/// `input` over its storage, in other sizes and another dtype.
Tensor reinterpreted_as(const Tensor& input, DType dtype, const Dims& sizes, const Dims& strides,
                        std::int64_t offset) {
  Tensor result = Tensor::over(input.storage(), dtype, sizes, strides, offset);
  result.body()->is_unwatched = input.body()->is_unwatched;
  return result;
}

/// The sizes of a view with the -1 worked out. Raises ShapeError where the counts differ.
Dims resolved_sizes(const char* op, const Tensor& input, const Dims& sizes) {
  Dims resolved = sizes;
  int unknown = -1;
  std::int64_t known = 1;
  bool overflows = false, any_zero = false;
  for (int i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == -1 && unknown < 0) {
      unknown = i;
    } else if (sizes[i] < 0) {
      throw ShapeError(text(op, ": sizes ", sizes, "; at most one may be -1, no other negative"));
    } else if (sizes[i] == 0) {
      any_zero = true;
    } else {
      overflows |= __builtin_mul_overflow(known, sizes[i], &known);
    }
  }
  const std::int64_t count = input.count();
  const bool is_known = unknown < 0;
  const bool fits = any_zero    ? is_known && count == 0
                    : overflows ? false
                    : is_known  ? known == count
                                : count % known == 0;
  if (!fits)
    throw ShapeError(text(op, ": sizes ", sizes, " for a tensor of sizes ", input.sizes(),
                          "; they must hold ", count, " elements"));
  if (!is_known) resolved[unknown] = count / known;
  if (count == 0) checked_count(op, resolved, input.dtype());  // strides know no 0
  return resolved;
}

/// The strides of `sizes` over memory laid out by `old_sizes` and `old_strides`; none if it takes a
/// copy. Runs of dims that lie densely are cut anew, each on its own.
std::optional<Dims> strides_of_view(const Dims& old_sizes, const Dims& old_strides,
                                    const Dims& sizes) {
  Dims strides = Dims::filled(sizes.size(), 1);
  if (old_sizes.empty()) return strides;
  int at = sizes.size() - 1;
  std::int64_t run_count = 1, taken = 1;
  std::int64_t run_stride = old_strides.back();
  for (int i = old_sizes.size() - 1; i >= 0; --i) {
    run_count *= old_sizes[i];
    const bool run_ends =
        i == 0 || (old_sizes[i - 1] != 1 && old_strides[i - 1] != run_count * run_stride);
    if (!run_ends) continue;
    while (at >= 0 && (taken < run_count || sizes[at] == 1)) {
      strides[at] = taken * run_stride;
      taken *= sizes[at--];
    }
    if (taken != run_count) return std::nullopt;
    if (i > 0) {
      run_stride = old_strides[i - 1];
      run_count = taken = 1;
    }
  }
  return at < 0 ? std::optional(strides) : std::nullopt;
}

/// The strides of `sizes`, of as many elements, over the memory of `input`; none if it takes a
/// copy.
std::optional<Dims> view_strides(const Tensor& input, const Dims& sizes) {
  if (input.is_contiguous()) return contiguous_strides(sizes);
  return strides_of_view(input.sizes(), input.strides(), sizes);
}

Tensor reshaped(const char* name, const Tensor& input, const Dims& sizes, const Dims& strides) {
  return view_of(name, input, sizes, strides, input.offset(),
                 [&] { return back_to(input.sizes()); });
}

/// The gradient of what was a part of a tensor of `sizes`: added to that part of what others have
/// come to, or among zeros.
template <class PartOf>
Grads put_back(const Backward& at, const Dims& sizes, const PartOf& part_of) {
  if (const Tensor sum = at.sum_so_far(0, sizes); sum && sum.storage() != at.grad.storage()) {
    add.apply_in_place(part_of(sum), at.grad);
    Grads grads;
    grads.note_added(0);
    return grads;
  }
  const Tensor gradient = zeros(sizes, at.grad.dtype(), at.grad.device());
  copy_(part_of(gradient), at.grad);
  return gradient;
}

}  // namespace

int checked_dim(const char* op, std::int64_t dim, int ndim) {
  const int range = std::max(ndim, 1);
  if (dim < -range || dim >= range)
    throw IndexOutOfRangeError(text(op, ": dim ", dim, " of a tensor of ", ndim,
                                    " dims; it must lie in [", -range, ", ", range - 1, "]"));
  return static_cast<int>(dim < 0 ? dim + range : dim);
}

unsigned distinct_dims(const char* op, const Dims& dims, int ndim) {
  unsigned set = 0;
  for (const std::int64_t dim : dims) {
    const unsigned bit = 1u << checked_dim(op, dim, ndim);
    if (set & bit) throw ShapeError(text(op, ": dims ", dims, "; each may be named once"));
    set |= bit;
  }
  return set;
}

void check_room(const char* op, const Tensor& input) {
  if (input.ndim() == max_dims)
    throw ShapeError(text(op, ": one more dim for a tensor of ", max_dims, "; at most ", max_dims,
                          " dims are supported"));
}

Tensor view(const Tensor& input, const Dims& sizes) {
  const Dims resolved = resolved_sizes("view", input, sizes);
  const std::optional<Dims> strides = view_strides(input, resolved);
  if (!strides)
    throw ShapeError(text("view: sizes ", resolved, " of a tensor of sizes ", input.sizes(),
                          " with strides ", input.strides(),
                          ", which is not contiguous there; use reshape(), or contiguous() first"));
  return reshaped("view", input, resolved, *strides);
}

Tensor reinterpreted(const Tensor& input, DType dtype) {
  if (dtype == input.dtype()) return alias(input);
  const auto before = static_cast<std::int64_t>(item_size(input.dtype()));
  const auto after = static_cast<std::int64_t>(item_size(dtype));
  Dims sizes = input.sizes(), strides = input.strides();
  const auto refuse = [&](const char* needed) {
    throw ShapeError(text("view: ", name_of(input.dtype()), " as ", name_of(dtype), " of sizes ",
                          input.sizes(), " with strides ", input.strides(), "; ", needed));
  };
  if (before == after) return reinterpreted_as(input, dtype, sizes, strides, input.offset());
  if (sizes.empty()) refuse("a dim is needed where elements of other sizes are asked for");
  if (strides.back() != 1) refuse("a last dim of stride 1 is needed");
  // In bytes all is a multiple of the old element; of the new one it must be, too.
  const auto in_new = [&](std::int64_t elements) {
    std::int64_t bytes;
    if (__builtin_mul_overflow(elements, before, &bytes) || bytes % after != 0)
      refuse("what fills whole new elements is needed");
    return bytes / after;
  };
  for (std::int64_t& stride : strides) {
    if (&stride != &strides.back()) stride = in_new(stride);
  }
  sizes.back() = in_new(sizes.back());
  return reinterpreted_as(input, dtype, sizes, strides, in_new(input.offset()));
}

Tensor reshape(const Tensor& input, const Dims& sizes) {
  const Dims resolved = resolved_sizes("reshape", input, sizes);
  const std::optional<Dims> strides = view_strides(input, resolved);
  return strides ? reshaped("view", input, resolved, *strides)
                 : view(row_major_copy(input), resolved);
}

Tensor transpose(const Tensor& input, std::int64_t dim0, std::int64_t dim1) {
  const int a = checked_dim("transpose", dim0, input.ndim());
  const int b = checked_dim("transpose", dim1, input.ndim());
  Dims dims = Dims::filled(input.ndim(), 0);
  std::iota(dims.begin(), dims.end(), 0);
  if (!dims.empty()) std::swap(dims[a], dims[b]);
  return permute(input, dims);
}

Tensor t(const Tensor& input) {
  if (input.ndim() > 2)
    throw ShapeError(text("t: sizes ", input.sizes(),
                          "; at most two dims are needed, use transpose() or permute()"));
  return input.ndim() < 2 ? alias(input) : transpose(input, 0, 1);
}

Tensor reversed(const Tensor& input) {
  const auto fill = [&](Dims& sizes, Dims& strides) {
    for (int i = input.ndim() - 1; i >= 0; --i) {
      sizes.push_back(input.size(i));
      strides.push_back(input.stride(i));
    }
    return input.offset();
  };
  return view_of("permute", input, fill,
                 [] { return [](const Backward& at) -> Grads { return reversed(at.grad); }; });
}

Tensor permute(const Tensor& input, const Dims& dims) {
  const auto refuse = [&] {
    throw ShapeError(text("permute: dims ", dims, " of a tensor of ", input.ndim(),
                          " dims; each must be named once"));
  };
  if (dims.size() != input.ndim()) refuse();
  Dims inverse = dims;
  unsigned seen = 0;
  for (int i = 0; i < dims.size(); ++i) {
    const int from = checked_dim("permute", dims[i], input.ndim());
    if (seen & (1u << from)) refuse();
    seen |= 1u << from;
    inverse[from] = i;
  }
  const auto fill = [&](Dims& sizes, Dims& strides) {
    for (const std::int64_t dim : dims) {
      const int from = checked_dim("permute", dim, input.ndim());
      sizes.push_back(input.size(from));
      strides.push_back(input.stride(from));
    }
    return input.offset();
  };
  return view_of("permute", input, fill, [&] {
    return [inverse](const Backward& at) -> Grads { return permute(at.grad, inverse); };
  });
}

Tensor turned(const Tensor& input, const Dims& dims) {
  const unsigned flipped = distinct_dims("flip", dims, input.ndim());
  const auto fill = [&](Dims& sizes, Dims& strides) {
    sizes = input.sizes();
    strides = input.strides();
    std::int64_t offset = input.offset();
    if (input.count() == 0) return offset;
    for (int i = 0; i < input.ndim(); ++i) {
      if (!(flipped & (1u << i))) continue;
      offset += (sizes[i] - 1) * strides[i];
      strides[i] = -strides[i];
    }
    return offset;
  };
  return view_of("flip", input, fill, [&] {
    return [dims](const Backward& at) -> Grads { return turned(at.grad, dims); };
  });
}

Tensor expand(const Tensor& input, const Dims& sizes) {
  const int added = sizes.size() - input.ndim();
  if (added < 0)
    throw ShapeError(text("expand: sizes ", sizes, " for a tensor of sizes ", input.sizes(),
                          "; no dim can be left out"));
  Dims wide = sizes, strides = Dims::filled(sizes.size(), 0);
  for (int i = sizes.size() - 1; i >= 0; --i) {
    const bool is_new = i < added;
    const std::int64_t own = is_new ? 1 : input.size(i - added);
    if (sizes[i] == -1 && !is_new) wide[i] = own;
    if (own == wide[i]) {  // a new dim of size 1 lies as unsqueeze() lays it
      const bool is_last = i + 1 == sizes.size();
      strides[i] = !is_new ? input.stride(i - added) : is_last ? 1 : wide[i + 1] * strides[i + 1];
    } else if (own != 1 || wide[i] < 0) {
      throw ShapeError(text("expand: sizes ", sizes, " for a tensor of sizes ", input.sizes(),
                            "; they differ at dim ", i - sizes.size(),
                            ", where the tensor's must be 1 or equal"));
    }
  }
  checked_count("expand", wide, input.dtype());
  return view_of("expand", input, wide, strides, input.offset(), [&] {
    return
        [before = input.sizes()](const Backward& at) -> Grads { return sum_to(at.grad, before); };
  });
}

Tensor squeeze(const Tensor& input, const std::optional<Dims>& dims) {
  unsigned named = dims ? 0 : ~0u;
  if (dims) named = distinct_dims("squeeze", *dims, input.ndim());
  Dims sizes, strides;
  for (int i = 0; i < input.ndim(); ++i) {
    if (input.size(i) == 1 && (named & (1u << i))) continue;
    sizes.push_back(input.size(i));
    strides.push_back(input.stride(i));
  }
  return reshaped("squeeze", input, sizes, strides);
}

Tensor unsqueeze(const Tensor& input, std::int64_t dim) {
  check_room("unsqueeze", input);
  const int at = checked_dim("unsqueeze", dim, input.ndim() + 1);
  Dims sizes = input.sizes(), strides = input.strides();
  strides.insert(at, at < input.ndim() ? sizes[at] * strides[at] : 1);
  sizes.insert(at, 1);
  return reshaped("unsqueeze", input, sizes, strides);
}

Tensor narrow(const Tensor& input, std::int64_t dim, std::int64_t start, std::int64_t length) {
  if (input.ndim() == 0) throw ShapeError("narrow: a tensor without dims; at least one is needed");
  const int at = checked_dim("narrow", dim, input.ndim());
  const std::int64_t size = input.size(at);
  const std::int64_t from = start < 0 ? start + size : start;
  if (from < 0 || length < 0 || from > size || length > size - from)
    throw IndexOutOfRangeError(text("narrow: ", length, " elements from ", start, " along dim ",
                                    dim, " of size ", size, "; they must lie inside it"));
  return slice(input, at, from, length, 1);
}

Tensor slice(const Tensor& input, int dim, std::int64_t start, std::int64_t length,
             std::int64_t step) {
  const auto fill = [&](Dims& sizes, Dims& strides) {
    sizes = input.sizes();
    strides = input.strides();
    const std::int64_t offset = input.offset() + (length ? start * strides[dim] : 0);
    sizes[dim] = length;
    strides[dim] = stepped(strides[dim], step);
    return offset;
  };
  return view_of("slice", input, fill, [&] {
    return [before = input.sizes(), dim, start, step](const Backward& at) -> Grads {
      return put_back(at, before, [&](const Tensor& whole) {
        return slice(whole, dim, start, at.grad.size(dim), step);
      });
    };
  });
}

Tensor select(const Tensor& input, std::int64_t dim, std::int64_t index) {
  if (input.ndim() == 0)
    throw IndexOutOfRangeError("select: a tensor without dims; it has no elements to select from");
  const int at = checked_dim("select", dim, input.ndim());
  const std::int64_t size = input.size(at);
  if (index < -size || index >= size)
    throw IndexOutOfRangeError(text("select: index ", index, " along dim ", at, " of size ", size,
                                    "; it must lie in [", -size, ", ", size - 1, "]"));
  const std::int64_t from = index < 0 ? index + size : index;
  const auto fill = [&](Dims& sizes, Dims& strides) {
    for (int i = 0; i < input.ndim(); ++i) {
      if (i == at) continue;
      sizes.push_back(input.size(i));
      strides.push_back(input.stride(i));
    }
    return input.offset() + from * input.stride(at);
  };
  return view_of("select", input, fill, [&] {
    return [before = input.sizes(), at, from](const Backward& back) -> Grads {
      return put_back(back, before, [&](const Tensor& whole) { return select(whole, at, from); });
    };
  });
}

Tensor flatten(const Tensor& input, std::int64_t from, std::int64_t to) {
  const int first = checked_dim("flatten", from, input.ndim());
  const int last = checked_dim("flatten", to, input.ndim());
  if (first > last)
    throw ShapeError(text("flatten: from dim ", from, " to dim ", to,
                          "; the first must not come after the last"));
  if (input.ndim() == 0) return reshape(input, {1});
  Dims sizes;
  for (int i = 0; i < input.ndim(); ++i) {
    if (i > first && i <= last) {
      sizes.back() *= input.size(i);
    } else {
      sizes.push_back(input.size(i));
    }
  }
  return reshape(input, sizes);
}

Tensor alias(const Tensor& input) {
  return view_of("alias", input, input.sizes(), input.strides(), input.offset(),
                 [] { return [](const Backward& at) -> Grads { return at.grad; }; });
}

Tensor detach(const Tensor& input) {
  return input.alias_of_storage(input.sizes(), input.strides(), input.offset());
}

}  // namespace garboard
