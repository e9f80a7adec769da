#include "csrc/ops/shape/join.h"

#include <algorithm>

#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/op/destination.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/shape/views.h"
#include "kernels/run.h"

namespace garboard {
namespace {

/// What has one dim and no elements takes part in promotion alone, beside whatever sizes: programs
/// begin with it, and add to it.
bool is_nothing(const Tensor& tensor) { return tensor.ndim() == 1 && tensor.count() == 0; }

std::int64_t length_of(const Tensor& tensor, int dim) {
  return is_nothing(tensor) ? 0 : tensor.size(dim);
}

/// One element each along the last dim, two tensors at once: of one layout they are one view, in
/// which the way from the first to the second is a stride. False, with nothing done, for others.
bool put_in_pairs(const Tensor& out, const std::vector<Tensor>& columns) {
  const int dim = out.ndim() - 1;
  const auto count = static_cast<std::int64_t>(columns.size());
  if (!out.device().is_cpu() || out.count() == 0 || out.size(dim) != count) return false;
  const auto item = static_cast<std::intptr_t>(item_size(out.dtype()));
  const auto way_to = [&](const Tensor& column) {
    return reinterpret_cast<std::intptr_t>(column.data()) -
           reinterpret_cast<std::intptr_t>(columns.front().data());
  };
  const Dims& strides = columns.front().strides();
  const bool fit = std::ranges::all_of(columns, [&](const Tensor& column) {
    return column.ndim() == out.ndim() && column.size(dim) == 1 && column.dtype() == out.dtype() &&
           column.strides() == strides && way_to(column) % item == 0;
  });
  for (std::int64_t i = 0; fit && i < count; i += 2) {
    const Tensor& column = columns[static_cast<std::size_t>(i)];
    Dims sizes = column.sizes(), steps = strides;
    if (i + 1 < count) {
      sizes[dim] = 2;
      steps[dim] = (way_to(columns[static_cast<std::size_t>(i + 1)]) - way_to(column)) / item;
    }
    kernels::run(kernels::Copy{slice(out, dim, i, sizes[dim], 1).view(),
                               make_view(column.data(), column.dtype(), sizes, steps)},
                 out.device());
  }
  return fit;
}

/// Adds `length` to `whole`. Raises ShapeError where no number holds the sum.
void grow(const char* op, std::int64_t& whole, std::int64_t length, std::size_t count, int dim) {
  if (__builtin_add_overflow(whole, length, &whole))
    throw ShapeError(text(op, ": ", count,
                          " tensors, which have more than 2^63 elements along dim ", dim,
                          "; no device holds them"));
}

/// Calls `take` with the number and the part of `whole` of each block along its diagonal; `sizes`
/// are their rows and columns.
template <class Take>
void for_each_block(const Tensor& whole, const std::vector<std::int64_t>& sizes, const Take& take) {
  std::int64_t row = 0, column = 0;
  for (std::size_t i = 0; i < sizes.size(); i += 2) {
    take(i / 2, slice(slice(whole, 0, row, sizes[i], 1), 1, column, sizes[i + 1], 1));
    row += sizes[i];
    column += sizes[i + 1];
  }
}

/// The history of `out`, which `parts` were copied into; `rule` finds `sizes` in its node.
template <class Rule>
void record_parts(const char* op, const Tensor& out, const std::vector<Tensor>& parts,
                  std::vector<std::int64_t> sizes, const Rule& rule) {
  if (!is_grad_enabled() || std::ranges::none_of(parts, &Tensor::requires_grad)) return;
  Counted<GradNode> node = GradNode::make(op, out);
  for (const Tensor& part : parts)
    node->add_edge([&] { return out.ndim() > 1 && is_nothing(part) ? Edge() : edge_of(part); });
  node->make_seldom().sizes = std::move(sizes);
  node->set_rule(rule);
  attach(std::move(node), out, Keep::nothing);
}

}  // namespace

Tensor cat(const std::vector<Tensor>& tensors, std::int64_t given_dim) {
  if (tensors.empty()) throw ShapeError("cat: no tensors; at least one is needed");
  const auto some = std::ranges::find_if_not(tensors, is_nothing);
  const Tensor& first = some == tensors.end() ? tensors.front() : *some;
  if (first.ndim() == 0)
    throw ShapeError("cat: tensors without dims; at least one dim is needed, or use stack()");
  // Nothing has every dim.
  const int dim = some == tensors.end() ? 0 : checked_dim("cat", given_dim, first.ndim());
  Dims sizes = first.sizes();
  DType dtype = first.dtype();
  sizes[dim] = 0;
  for (const Tensor& tensor : tensors) {
    Dims others = is_nothing(tensor) ? sizes : tensor.sizes();
    if (others.size() == sizes.size()) others[dim] = sizes[dim];
    if (others != sizes)
      throw ShapeError(text("cat: sizes ", first.sizes(), " and ", tensor.sizes(),
                            "; they may differ along dim ", dim, " alone"));
    if (tensor.device() != first.device())
      throw DeviceError(text("cat: tensors on ", first.device(), " and ", tensor.device(),
                             "; they must be on one device, use to()"));
    grow("cat", sizes[dim], length_of(tensor, dim), tensors.size(), dim);
    dtype = promote(dtype, tensor.dtype());
  }
  const Tensor out = result_of("cat", sizes, dtype, first.device());
  std::vector<std::int64_t> lengths;
  {
    const GradModeGuard no_grad(false);
    const bool is_done = dim == out.ndim() - 1 && put_in_pairs(out, tensors);
    std::int64_t at = 0;
    for (const Tensor& tensor : tensors) {
      lengths.push_back(length_of(tensor, dim));
      if (!is_done && lengths.back() > 0) copy_into(slice(out, dim, at, lengths.back(), 1), tensor);
      at += lengths.back();
    }
  }
  record_parts("cat", out, tensors, std::move(lengths), [dim](const Backward& back) -> Grads {
    const std::vector<std::int64_t>& lengths = back.node().seldom()->sizes;
    Grads grads;
    std::int64_t at = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const int input = static_cast<int>(i);
      if (back.needs(input)) grads[input] = slice(back.grad, dim, at, lengths[i], 1);
      at += lengths[i];
    }
    return grads;
  });
  return out;
}

Tensor stack(const std::vector<Tensor>& tensors, std::int64_t dim) {
  if (tensors.empty()) throw ShapeError("stack: no tensors; at least one is needed");
  check_room("stack", tensors.front());
  const int at = checked_dim("stack", dim, tensors.front().ndim() + 1);
  std::vector<Tensor> wider;
  for (const Tensor& tensor : tensors) {
    if (tensor.sizes() != tensors.front().sizes())
      throw ShapeError(text("stack: sizes ", tensors.front().sizes(), " and ", tensor.sizes(),
                            "; they must be equal"));
    wider.push_back(unsqueeze(tensor, at));
  }
  return cat(wider, at);
}

Tensor block_diag(const std::vector<Tensor>& tensors) {
  if (tensors.empty()) return zeros({1, 0}, DType::float32);
  std::vector<Tensor> blocks;
  std::vector<std::int64_t> sizes;  // rows and columns of each
  Dims whole{0, 0};
  DType dtype = tensors[0].dtype();
  for (const Tensor& tensor : tensors) {
    if (tensor.ndim() > 2)
      throw ShapeError(
          text("block_diag: sizes ", tensor.sizes(), "; matrices, rows or numbers are needed"));
    if (tensor.device() != tensors[0].device())
      throw DeviceError(text("block_diag: tensors on ", tensors[0].device(), " and ",
                             tensor.device(), "; they must be on one device, use to()"));
    dtype = promote(dtype, tensor.dtype());
    Dims two = tensor.sizes();
    while (two.size() < 2) two.insert(0, 1);
    blocks.push_back(reshape(tensor, two));
    for (const int dim : {0, 1}) {
      sizes.push_back(two[dim]);
      grow("block_diag", whole[dim], two[dim], tensors.size(), dim);
    }
  }
  const Tensor out = zeros(whole, dtype, tensors[0].device());
  {
    const GradModeGuard no_grad(false);
    for_each_block(out, sizes, [&](std::size_t i, const Tensor& place) {
      if (place.count() > 0) copy_into(place, blocks[i]);
    });
  }
  record_parts("block_diag", out, blocks, std::move(sizes), [](const Backward& back) -> Grads {
    Grads grads;
    for_each_block(back.grad, back.node().seldom()->sizes,
                   [&](std::size_t i, const Tensor& place) { grads[static_cast<int>(i)] = place; });
    return grads;
  });
  return out;
}

}  // namespace garboard
