#include "csrc/ops/shape/roll.h"

#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/shape/views.h"

namespace garboard {
namespace {

/// Copies `from` to `to`, moved along `dim` and those behind it by `by`, each less than its size.
void put_moved(const Tensor& to, const Tensor& from, const Dims& by, int dim) {
  while (dim < by.size() && by[dim] == 0) ++dim;
  if (dim == by.size()) return copy_into(to, from);
  const std::int64_t shift = by[dim], rest = to.size(dim) - shift;
  put_moved(slice(to, dim, shift, rest, 1), slice(from, dim, 0, rest, 1), by, dim + 1);
  put_moved(slice(to, dim, 0, shift, 1), slice(from, dim, rest, shift, 1), by, dim + 1);
}

Tensor moved(const Tensor& input, const Dims& by) {
  const Tensor out = empty_of("roll", input.sizes(), input.dtype(), input.device());
  if (input.count() > 0) {
    const GradModeGuard no_grad(false);
    put_moved(out, input, by, 0);
  }
  record("roll", out, {input}, Keep::nothing, [by](const Backward& at) -> Grads {
    Dims back = by;
    for (int dim = 0; dim < by.size(); ++dim)
      if (by[dim]) back[dim] = at.grad.size(dim) - by[dim];
    return moved(at.grad, back);
  });
  return out;
}

}  // namespace

Tensor roll(const Tensor& input, const Dims& shifts, const Dims& dims) {
  if (shifts.empty()) throw ShapeError("roll: no shifts; at least one is needed");
  if (dims.empty() && shifts.size() == 1)
    return reshape(roll(reshape(input, {-1}), shifts, {0}), input.sizes());
  if (shifts.size() != dims.size())
    throw ShapeError(text("roll: shifts ", shifts, " along dims ", dims,
                          "; as many of one as of the other are needed"));
  Dims by = Dims::filled(input.ndim(), 0);
  for (int i = 0; i < dims.size(); ++i) {
    if (input.ndim() == 0)
      throw ShapeError(text("roll: dim ", dims[i], " of a tensor without dims; leave it out"));
    const int dim = checked_dim("roll", dims[i], input.ndim());
    const std::int64_t size = input.size(dim);
    if (size == 0) continue;
    const std::int64_t shift = shifts[i] % size, left = shift < 0 ? -shift : size - shift;
    by[dim] += by[dim] < left ? size - left : -left;
  }
  return moved(input, by);
}

}  // namespace garboard
