#include "csrc/ops/shape/join.h"

#include <algorithm>

#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
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
    if (__builtin_add_overflow(sizes[dim], length_of(tensor, dim), &sizes[dim]))
      throw ShapeError(text("cat: ", tensors.size(),
                            " tensors, which have more than 2^63 elements ", "along dim ", dim,
                            "; no device holds them"));
    dtype = promote(dtype, tensor.dtype());
  }
  const Tensor out = empty(sizes, dtype, first.device(), "cat");
  bool is_recorded = false;
  std::vector<std::int64_t> lengths;
  {
    const GradModeGuard no_grad(false);
    const bool is_done = dim == out.ndim() - 1 && put_in_pairs(out, tensors);
    std::int64_t at = 0;
    for (const Tensor& tensor : tensors) {
      lengths.push_back(length_of(tensor, dim));
      if (!is_done && lengths.back() > 0) copy_into(slice(out, dim, at, lengths.back(), 1), tensor);
      at += lengths.back();
      is_recorded |= tensor.requires_grad();
    }
  }
  if (!is_recorded || !is_grad_enabled()) return out;
  Counted<GradNode> node = GradNode::make("cat", out);
  for (const Tensor& tensor : tensors)
    node->add_edge([&] { return out.ndim() > 1 && is_nothing(tensor) ? Edge() : edge_of(tensor); });
  node->make_seldom().sizes = std::move(lengths);
  node->set_rule([dim](const Backward& back) -> Grads {
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
  attach(std::move(node), out, Keep::nothing);
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

}  // namespace garboard
