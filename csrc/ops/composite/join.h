// Tensors joined, repeated and turned over: what copies.
#pragma once

#include <vector>

#include "csrc/core/error.h"
#include "csrc/ops/composite/shape.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/index/indexing.h"
#include "csrc/ops/op/operators.h"
#include "csrc/ops/order/order.h"
#include "csrc/ops/reduce/reduce.h"
#include "csrc/ops/reduce/scan.h"
#include "csrc/ops/shape/join.h"

namespace garboard::composite {

inline void check_any(const char* op, const std::vector<Tensor>& tensors) {
  if (tensors.empty()) throw ShapeError(text(op, ": no tensors; at least one is needed"));
}

inline Tensor hstack(const std::vector<Tensor>& tensors) {
  check_any("hstack", tensors);
  const std::vector<Tensor> all = each<atleast_1d>(tensors);
  return cat(all, all[0].ndim() == 1 ? 0 : 1);
}
inline Tensor vstack(const std::vector<Tensor>& tensors) {
  check_any("vstack", tensors);
  return cat(each<atleast_2d>(tensors), 0);
}
inline Tensor dstack(const std::vector<Tensor>& tensors) {
  check_any("dstack", tensors);
  return cat(each<atleast_3d>(tensors), 2);
}
/// What has fewer than two dims is a column.
inline Tensor column_stack(const std::vector<Tensor>& tensors) {
  check_any("column_stack", tensors);
  std::vector<Tensor> columns;
  for (const Tensor& tensor : tensors)
    columns.push_back(tensor.ndim() < 2 ? reshape(tensor, {tensor.count(), 1}) : tensor);
  return cat(columns, 1);
}

/// The whole tensor `counts[i]` times along dim i; more counts than dims make new dims in front.
inline Tensor repeat(const char* op, const Tensor& input, const Dims& counts) {
  if (counts.size() < input.ndim())
    throw ShapeError(text(op, ": counts ", counts, " for a tensor of sizes ", input.sizes(),
                          "; one for each dim is needed"));
  for (const std::int64_t count : counts)
    if (count < 0) throw ShapeError(text(op, ": counts ", counts, "; none may be negative"));
  Tensor result = input;
  while (result.ndim() < counts.size()) result = unsqueeze(result, 0);
  const auto lengthen = [&](std::int64_t& size, std::int64_t count) {
    if (__builtin_mul_overflow(size, count, &size))
      throw ShapeError(text(op, ": counts ", counts, " for a tensor of sizes ", input.sizes(),
                            "; no device holds as many elements"));
  };
  // A repeated dim is two, until the copy makes them one; as many at once as there is room for.
  // Those behind come first, while there is least to copy.
  for (int end = counts.size(); end > 0;) {
    Dims apart = result.sizes(), wide = apart, joined = apart;
    const int last = end - 1;
    for (; end > 0; --end) {
      const int dim = end - 1;
      const bool is_two = counts[dim] != 1 && apart[dim] != 1;
      if (is_two && apart.size() == max_dims) break;
      lengthen(joined[dim], counts[dim]);
      if (is_two) apart.insert(dim, 1);
      if (is_two) wide.insert(dim, counts[dim]);
      if (!is_two) wide[dim] *= counts[dim];
    }
    if (end ==
        last + 1) {  // no room for one: what is before the dim is one dim, and what is behind
      std::int64_t before = 1, behind = 1;
      for (int i = 0; i < last; ++i) before *= apart[i];
      for (int i = last + 1; i < apart.size(); ++i) behind *= apart[i];
      lengthen(joined[last], counts[last]);
      apart = {before, 1, result.size(last), behind};
      wide = {before, counts[last], result.size(last), behind};
      --end;
    }
    result = reshape(expand(reshape(result, apart), wide), joined);
  }
  if (result.storage() == input.storage()) result = row_major_copy(result);
  return result;
}
inline Tensor tile(const Tensor& input, const Dims& given) {
  Dims counts = given;
  while (counts.size() < input.ndim()) counts.insert(0, 1);
  return repeat("tile", input, counts);
}
/// Each element `count` times, one behind the other.
inline Tensor repeat_interleave(const Tensor& given, std::int64_t count,
                                std::optional<std::int64_t> given_dim) {
  if (count < 0)
    throw ShapeError(text("repeat_interleave: ", count, " repeats; none may be negative"));
  const Tensor input = given_dim && given.ndim() ? given : reshape(given, {-1});
  const int dim = checked_dim("repeat_interleave", given_dim.value_or(0), input.ndim());
  Dims sizes = input.sizes();
  if (__builtin_mul_overflow(sizes[dim], count, &sizes[dim]))
    throw ShapeError(text("repeat_interleave: ", count, " repeats of sizes ", input.sizes(),
                          "; no device holds as many elements"));
  Dims apart = input.sizes();
  // With the dims before it made one there is room for one more.
  std::int64_t before = 1, behind = 1;
  for (int i = 0; i < dim; ++i) before *= apart[i];
  for (int i = dim + 1; i < apart.size(); ++i) behind *= apart[i];
  const Tensor flat = reshape(input, {before, apart[dim], 1, behind});
  const Tensor wide = expand(flat, {before, apart[dim], count, behind});
  const Tensor found = reshape(wide, sizes);
  return found.storage() == given.storage() ? row_major_copy(found) : found;
}

/// Element i as often as the i-th of `repeats` says.
inline Tensor repeat_interleave_each(const Tensor& given, const Tensor& repeats,
                                     std::optional<std::int64_t> given_dim) {
  constexpr const char* op = "repeat_interleave";
  const Tensor input = given_dim && given.ndim() ? given : reshape(given, {-1});
  const int dim = checked_dim(op, given_dim.value_or(0), input.ndim());
  const std::int64_t size = input.size(dim);
  if (repeats.dtype() != DType::int64 && repeats.dtype() != DType::int32)
    throw DTypeError(
        text(op, ": repeats of dtype ", name_of(repeats.dtype()), "; int64 or int32 is needed"));
  if (repeats.ndim() > 1 || (repeats.count() != size && repeats.count() != 1))
    throw ShapeError(text(op, ": repeats of sizes ", repeats.sizes(), " for ", size,
                          " elements; one each, or one for all, is needed"));
  const auto number_of = [](const Tensor& one) {
    return *static_cast<const std::int64_t*>(to(one, Device{}).data());
  };
  const Tensor counts = to(detach(repeats), DType::int64);
  if (repeats.count() == 1) return repeat_interleave(given, number_of(counts), given_dim);
  if (size == 0) return row_major_copy(input);
  if (number_of(amin(counts)) < 0)
    throw ShapeError(text(op, ": a negative number of repeats; none may be negative"));
  const Tensor ends = cumsum(counts, 0, std::nullopt);
  const std::int64_t total = number_of(select(ends, 0, size - 1));
  const Scalar zero = Scalar::of(std::int64_t{0}), one = Scalar::of(std::int64_t{1});
  const Tensor places = arange(zero, Scalar::of(total), one, DType::int64, input.device());
  return index_select(input, dim, searchsorted(op, ends, places, true));
}

/// True where a column of a matrix lies at most `above` to the right of its row; where it lies
/// `above` or more, with `is_upper`.
inline Tensor triangle(std::int64_t rows, std::int64_t columns, std::int64_t above, bool is_upper,
                       Device device) {
  const GradModeGuard no_grad(false);
  const auto counted = [&](std::int64_t count, std::int64_t from) {
    const std::int64_t bounded =
        std::clamp<std::int64_t>(from, -(std::int64_t{1} << 40), std::int64_t{1} << 40);
    return arange(Scalar::of(bounded), Scalar::of(bounded + count), Scalar::of(std::int64_t{1}),
                  DType::int64, device);
  };
  const Tensor row = reshape(counted(rows, above), {rows, 1}), column = counted(columns, 0);
  return is_upper ? ge(column, row) : le(column, row);
}
inline Tensor tril(const Tensor& input, std::int64_t above) {
  check_least_dims("tril", input, 2);
  return where(
      triangle(input.size(input.ndim() - 2), input.last_size(), above, false, input.device()),
      contiguous(input), Scalar::of(false));
}
inline Tensor triu(const Tensor& input, std::int64_t above) {
  check_least_dims("triu", input, 2);
  return where(
      triangle(input.size(input.ndim() - 2), input.last_size(), above, true, input.device()),
      contiguous(input), Scalar::of(false));
}

/// A matrix's diagonal, copied; of one dim, the matrix that has it.
inline Tensor diag(const Tensor& input, std::int64_t above) {
  if (input.ndim() != 1 && input.ndim() != 2)
    throw ShapeError(text("diag: sizes ", input.sizes(),
                          "; one or two dims are needed, use diagonal() or diag_embed()"));
  return input.ndim() == 1 ? diag_embed(input, above, 0, 1)
                           : row_major_copy(diagonal(input, above, 0, 1));
}
inline Tensor diagflat(const Tensor& input, std::int64_t above) {
  return diag_embed(reshape(input, {-1}), above, 0, 1);
}

/// Every choice of one element a tensor, a row each; of one tensor, the tensor.
inline Tensor cartesian_prod(const std::vector<Tensor>& tensors) {
  check_any("cartesian_prod", tensors);
  for (const Tensor& tensor : tensors) {
    if (tensor.ndim() != 1)
      throw ShapeError(text("cartesian_prod: sizes ", tensor.sizes(), "; one dim is needed"));
  }
  if (tensors.size() == 1) return row_major_copy(tensors[0]);
  std::vector<Tensor> columns;
  for (const Tensor& grid : meshgrid(tensors, false)) columns.push_back(reshape(grid, {-1}));
  return stack(columns, 1);
}

}  // namespace garboard::composite
