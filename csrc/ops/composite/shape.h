// Dims moved, made and taken away: views; and turned around: copies.
#pragma once

#include <numeric>
#include <vector>

#include "csrc/core/error.h"
#include "csrc/ops/complex/complex.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/op/promotion.h"
#include "csrc/ops/shape/split.h"
#include "csrc/ops/shape/views.h"
#include "csrc/ops/shape/windows.h"

namespace garboard::composite {

/// Each dim of `source` to its place in `destination`; the others keep their order.
inline Tensor movedim(const Tensor& input, const Dims& source, const Dims& destination) {
  if (source.size() != destination.size())
    throw ShapeError(text("movedim: dims ", source, " to places ", destination,
                          "; as many of one as of the other are needed"));
  const unsigned moved = distinct_dims("movedim", source, input.ndim());
  const unsigned taken = distinct_dims("movedim", destination, input.ndim());
  Dims order = Dims::filled(input.ndim(), 0);
  if (order.empty()) return alias(input);
  for (int i = 0; i < source.size(); ++i)
    order[checked_dim("movedim", destination[i], input.ndim())] =
        checked_dim("movedim", source[i], input.ndim());
  for (int from = 0, to = 0; from < input.ndim(); ++from) {
    if (moved & (1u << from)) continue;
    while (taken & (1u << to)) ++to;
    order[to++] = from;
  }
  return permute(input, order);
}

/// One dim made several, of which one may be -1.
inline Tensor unflatten(const Tensor& input, std::int64_t given_dim, const Dims& sizes) {
  const int dim = checked_dim("unflatten", given_dim, input.ndim());
  if (input.ndim() == 0 || sizes.empty())
    throw ShapeError(text("unflatten: sizes ", sizes, " for a tensor of sizes ", input.sizes(),
                          "; a dim, and at least one size of it, are needed"));
  const std::int64_t whole = input.size(dim);
  std::int64_t known = 1, unknown_count = 0;
  bool fits = true;
  for (const std::int64_t size : sizes) {
    unknown_count += size == -1;
    fits &= size >= -1 && !(size >= 0 && __builtin_mul_overflow(known, size, &known));
  }
  fits &= unknown_count == 0   ? known == whole
          : unknown_count == 1 ? known > 0 && whole % known == 0
                               : false;
  if (!fits)
    throw ShapeError(text("unflatten: sizes ", sizes, " for dim ", dim, " of size ", whole,
                          "; they must hold as many elements, and one may be -1"));
  Dims all;
  for (int i = 0; i < input.ndim(); ++i) {
    if (i != dim) {
      all.push_back(input.size(i));
      continue;
    }
    for (const std::int64_t size : sizes) all.push_back(size == -1 ? whole / known : size);
  }
  return view(input, all);
}

/// A copy with each of `dims` from its end to its start.
inline Tensor flip(const Tensor& input, const Dims& dims) { return clone(turned(input, dims)); }

/// A copy, turned by `times` quarters from the first of two dims towards the second.
inline Tensor rot90(const Tensor& input, std::int64_t times, const Dims& dims) {
  if (dims.size() != 2)
    throw ShapeError(text("rot90: dims ", dims, "; the two of a plane are needed"));
  distinct_dims("rot90", dims, input.ndim());
  switch (times & 3) {
    case 1:
      return transpose(flip(input, {dims[1]}), dims[0], dims[1]);
    case 2:
      return flip(input, dims);
    case 3:
      return transpose(flip(input, {dims[0]}), dims[0], dims[1]);
    default:
      return clone(input);
  }
}

/// Raises ShapeError for fewer dims than `least`.
inline void check_least_dims(const char* op, const Tensor& input, int least) {
  if (input.ndim() < least)
    throw ShapeError(
        text(op, ": a tensor of ", input.ndim(), " dims; at least ", least, " are needed"));
}

inline Tensor fliplr(const Tensor& input) {
  check_least_dims("fliplr", input, 2);
  return flip(input, {1});
}
inline Tensor flipud(const Tensor& input) {
  check_least_dims("flipud", input, 1);
  return flip(input, {0});
}
inline Tensor adjoint(const Tensor& input) {
  if (input.ndim() == 0) return is_complex(input.dtype()) ? conj(input) : alias(input);
  check_least_dims("adjoint", input, 2);
  return conj(transpose(input, -2, -1));
}

// Raised to at least so many dims, as NumPy places the new ones.
inline Tensor atleast_1d(const Tensor& input) {
  return input.ndim() ? alias(input) : reshape(input, {1});
}
inline Tensor atleast_2d(const Tensor& input) {
  return input.ndim() < 2 ? unsqueeze(atleast_1d(input), 0) : alias(input);
}
inline Tensor atleast_3d(const Tensor& input) {
  return input.ndim() < 3 ? unsqueeze(atleast_2d(input), -1) : alias(input);
}

template <Tensor (*op)(const Tensor&)>
std::vector<Tensor> each(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> results;
  for (const Tensor& tensor : tensors) results.push_back(op(tensor));
  return results;
}

inline std::vector<Tensor> broadcast_tensors(const std::vector<Tensor>& tensors) {
  Dims sizes;
  for (const Tensor& tensor : tensors)
    sizes = broadcast_sizes("broadcast_tensors", sizes, tensor.sizes());
  std::vector<Tensor> results;
  for (const Tensor& tensor : tensors) results.push_back(expand(tensor, sizes));
  return results;
}

/// A grid of coordinates: along dim i the elements of tensor i; of the first two swapped where
/// `is_xy`.
inline std::vector<Tensor> meshgrid(const std::vector<Tensor>& tensors, bool is_xy) {
  if (tensors.empty()) throw ShapeError("meshgrid: no tensors; at least one is needed");
  const int count = static_cast<int>(tensors.size());
  Dims sizes;
  for (const Tensor& tensor : tensors) {
    if (tensor.ndim() > 1)
      throw ShapeError(
          text("meshgrid: sizes ", tensor.sizes(), "; tensors of one dim at most are needed"));
    if (tensor.dtype() != tensors[0].dtype())
      throw DTypeError(text("meshgrid: dtypes ", name_of(tensors[0].dtype()), " and ",
                            name_of(tensor.dtype()), "; all must be of one, use to()"));
    if (tensor.device() != tensors[0].device())
      throw DeviceError(text("meshgrid: tensors on ", tensors[0].device(), " and ", tensor.device(),
                             "; they must be on one device, use to()"));
    sizes.push_back(tensor.count());
  }
  const bool swaps = is_xy && count > 1;
  if (swaps) std::swap(sizes[0], sizes[1]);
  std::vector<Tensor> grids;
  for (int i = 0; i < count; ++i) {
    const int dim = swaps && i < 2 ? 1 - i : i;
    Dims own = Dims::filled(count, 1);
    own[dim] = tensors[static_cast<std::size_t>(i)].count();
    grids.push_back(expand(reshape(tensors[static_cast<std::size_t>(i)], own), sizes));
  }
  return grids;
}

// Taken apart along the dim that NumPy names so.

/// `dim`, of a tensor that has it: a matrix at least, but for hsplit, which takes the only dim of a
/// row.
inline int dim_to_split(const char* op, const Tensor& input, int dim) {
  if (dim == 1 && input.ndim() == 1) return 0;
  check_least_dims(op, input, std::max(dim + 1, 2));
  return dim;
}
inline std::vector<Tensor> split_along(const char* op, const Tensor& input, std::int64_t count,
                                       int given_dim) {
  const int dim = dim_to_split(op, input, given_dim);
  if (count < 1 || input.size(dim) % count != 0)
    throw ShapeError(text(op, ": ", count, " pieces along dim ", dim, " of size ", input.size(dim),
                          "; a divisor of that is needed"));
  return tensor_split(op, input, count, dim);
}
inline std::vector<Tensor> split_along(const char* op, const Tensor& input,
                                       const std::vector<std::int64_t>& places, int dim) {
  return tensor_split(op, input, places, dim_to_split(op, input, dim));
}

}  // namespace garboard::composite
