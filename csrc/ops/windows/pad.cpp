#include "csrc/ops/windows/pad.h"

#include <algorithm>
#include <array>
#include <limits>

#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/op/operators.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/reduce/reduce.h"
#include "csrc/ops/shape/views.h"

namespace garboard {
namespace {

constexpr std::int64_t most_size = std::numeric_limits<std::int64_t>::max();

/// Of one dim.
struct Sides {
  std::int64_t before = 0, after = 0;
};
using AllSides = std::array<Sides, max_dims>;

AllSides sides_of(const Tensor& input, const std::vector<std::int64_t>& pads) {
  const auto most = static_cast<std::size_t>(2 * input.ndim());
  if (pads.size() % 2 != 0 || pads.size() > most)
    throw ShapeError(text("pad: ", pads.size(), " pads, input of sizes ", input.sizes(),
                          "; pairs are needed, before and after, at most one a dim"));
  AllSides sides{};
  for (std::size_t i = 0; i < pads.size(); i += 2) {
    const int d = input.ndim() - 1 - static_cast<int>(i / 2);
    const std::int64_t size = input.size(d);
    std::int64_t wider = 0;
    // None has more elements than could be left out; the rule turns signs around.
    if (pads[i] < -most_size || pads[i + 1] < -most_size ||
        __builtin_add_overflow(pads[i], pads[i + 1], &wider) ||
        __builtin_add_overflow(wider, size, &wider) || wider < 0)
      throw ShapeError(text("pad: pads ", listed(pads), ", input of sizes ", input.sizes(),
                            "; size ", size, " of dim ", d, " cannot become ", size, " + ", pads[i],
                            " + ", pads[i + 1]));
    sides[static_cast<std::size_t>(d)] = {pads[i], pads[i + 1]};
  }
  return sides;
}

Tensor pad_constant(const Tensor& input, const AllSides& sides, Scalar value) {
  Dims sizes = input.sizes();
  for (int d = 0; d < sizes.size(); ++d) {
    const Sides& side = sides[static_cast<std::size_t>(d)];
    sizes[d] += side.before + side.after;
  }
  const Tensor out = full(sizes, value, input.dtype(), input.device(), "pad");
  {
    const GradModeGuard no_grad(false);
    Tensor from = input, to = out;
    bool is_there = true;
    for (int d = 0; d < sizes.size(); ++d) {
      const Sides& side = sides[static_cast<std::size_t>(d)];
      const std::int64_t first = std::max<std::int64_t>(-side.before, 0);
      const std::int64_t last = input.size(d) - std::max<std::int64_t>(-side.after, 0);
      is_there &= last > first;
      if (!is_there) break;
      from = slice(from, d, first, last - first, 1);
      to = slice(to, d, std::max<std::int64_t>(side.before, 0), last - first, 1);
    }
    if (is_there) copy_into(to, from);
  }
  record("pad", out, {input}, Keep::nothing, [sides](const Backward& at) -> Grads {
    AllSides back = sides;
    for (Sides& side : back) side = {-side.before, -side.after};
    return pad_constant(at.grad, back, Scalar::of(std::int64_t{0}));
  });
  return out;
}

/// Elements of a dim that are put beside it, in their order or turned around.
struct Border {
  std::int64_t to, from, count;  // places in the padded dim, and in the one that it was
};

/// What stands before and after a dim of `size`, which has at least as much as is taken.
std::array<Border, 2> borders_of(std::int64_t size, Sides side, PadMode mode) {
  const std::int64_t end = side.before + size;
  switch (mode) {
    case PadMode::reflect:
      return {Border{0, 1, side.before}, {end, size - 1 - side.after, side.after}};
    case PadMode::circular:
      return {Border{0, size - side.before, side.before}, {end, 0, side.after}};
    case PadMode::replicate:
    case PadMode::constant:
      break;
  }
  return {Border{0, 0, side.before}, {end, size - 1, side.after}};
}

/// The gradient of dims from `first` on, those before being the middle already: what went to an
/// edge is added to where it was from. What lies in the edges of several dims belongs to the first
/// of them.
Tensor gather_edges(const Tensor& grad, const AllSides& sides, PadMode mode, int first = 0) {
  const auto side_of = [&](int d) { return sides[static_cast<std::size_t>(d)]; };
  const auto size_of = [&](int d) { return grad.size(d) - side_of(d).before - side_of(d).after; };
  Tensor middle = grad;
  for (int d = first; d < grad.ndim(); ++d)
    middle = narrow(middle, d, side_of(d).before, size_of(d));
  if (have_same_sizes(middle, grad)) return grad;
  const Tensor total = row_major_copy(middle);
  Tensor rest = grad;
  for (int d = first; d < grad.ndim(); ++d) {
    for (const Border& border : borders_of(size_of(d), side_of(d), mode)) {
      if (border.count == 0) continue;
      Tensor part = gather_edges(narrow(rest, d, border.to, border.count), sides, mode, d + 1);
      if (mode == PadMode::reflect) part = turned(part, {d});
      if (mode == PadMode::replicate) part = sum(part, {Dims{d}, true});
      add.apply_in_place(narrow(total, d, border.from, part.size(d)), part);
    }
    rest = narrow(rest, d, side_of(d).before, size_of(d));
  }
  return total;
}

/// The middle is copied once; edges are copied from it, those of the first dim last, whole.
void fill_with_edges(const Tensor& out, const Tensor& input, const AllSides& sides, PadMode mode) {
  const auto middle = [&](int dims) {  // of the first `dims`
    Tensor some = out;
    for (int d = 0; d < dims; ++d)
      some = narrow(some, d, sides[static_cast<std::size_t>(d)].before, input.size(d));
    return some;
  };
  copy_into(middle(input.ndim()), input);
  for (int d = input.ndim() - 1; d >= 0; --d) {
    const Sides side = sides[static_cast<std::size_t>(d)];
    const Tensor lines = middle(d);
    for (const Border& border : borders_of(input.size(d), side, mode)) {
      if (border.count == 0) continue;
      const Tensor to = narrow(lines, d, border.to, border.count);
      const std::int64_t from = side.before + border.from;
      copy_into(to, mode == PadMode::replicate ? expand(narrow(lines, d, from, 1), to.sizes())
                    : mode == PadMode::reflect ? turned(narrow(lines, d, from, border.count), {d})
                                               : narrow(lines, d, from, border.count));
    }
  }
}

/// The same by parts of what lies along the dims from `dim` on that have no edges: edges then find
/// in the second cache what they are copied from.
void fill_by_parts(const Tensor& out, const Tensor& input, const AllSides& sides, PadMode mode,
                   int dim = 0) {
  constexpr std::int64_t part_bytes = 1 << 19;
  const Sides side = sides[static_cast<std::size_t>(dim)];
  if (out.nbytes() <= 2 * part_bytes || side.before + side.after > 0 || !out.device().is_cpu())
    return fill_with_edges(out, input, sides, mode);
  const std::int64_t size = out.size(dim), each = out.nbytes() / size;
  const std::int64_t step = std::max<std::int64_t>(part_bytes / each, 1);
  for (std::int64_t i = 0; i < size; i += step) {
    const std::int64_t count = std::min(step, size - i);
    fill_by_parts(narrow(out, dim, i, count), narrow(input, dim, i, count), sides, mode, dim + 1);
  }
}

/// Nothing negative.
Tensor pad_edges(const Tensor& input, const AllSides& sides, PadMode mode) {
  Dims sizes = input.sizes();
  for (int d = 0; d < sizes.size(); ++d) {
    const Sides side = sides[static_cast<std::size_t>(d)];
    sizes[d] += side.before + side.after;
  }
  const Tensor out = empty_of("pad", sizes, input.dtype(), input.device());
  {
    const GradModeGuard no_grad(false);
    fill_by_parts(out, input, sides, mode);
  }
  record("pad", out, {input}, Keep::nothing,
         [sides, mode](const Backward& at) -> Grads { return gather_edges(at.grad, sides, mode); });
  return out;
}

const char* name_of(PadMode mode) {
  static constexpr const char* names[] = {"constant", "reflect", "replicate", "circular"};
  return names[static_cast<int>(mode)];
}

/// What the dim has to have for `side`.
void check_dim(const Tensor& input, int d, const Sides& side, PadMode mode) {
  const std::int64_t size = input.size(d), most = std::max(side.before, side.after);
  const bool fits = most <= 0 || (mode == PadMode::reflect    ? most < size
                                  : mode == PadMode::circular ? most <= size
                                                              : size > 0);
  if (size + side.before + side.after < 1)
    throw ShapeError(text("pad: mode '", name_of(mode), "', pads ", side.before, " and ",
                          side.after, " at dim ", d, " of size ", size,
                          "; at least one element must be left"));
  if (fits) return;
  throw ShapeError(text("pad: mode '", name_of(mode), "', pads ", side.before, " and ", side.after,
                        " at dim ", d, " of size ", size, "; ",
                        mode == PadMode::reflect    ? "they must be smaller than the size"
                        : mode == PadMode::circular ? "they must not be larger than the size"
                                                    : "it must not be empty"));
}

}  // namespace

Tensor pad(const Tensor& input, const std::vector<std::int64_t>& pads, PadMode mode,
           std::optional<Scalar> value) {
  const AllSides sides = sides_of(input, pads);
  if (mode == PadMode::constant) {
    const Scalar around = value.value_or(Scalar::of(std::int64_t{0}));
    check_fits("pad", around, input.dtype());
    return pad_constant(input, sides, around);
  }
  if (value && value->real != 0)
    throw ShapeError(text("pad: mode '", name_of(mode), "' with a value; leave it out, or use ",
                          "mode 'constant'"));
  const auto dims = static_cast<int>(pads.size() / 2);
  if (dims < 1 || dims > 3 || (input.ndim() != dims + 1 && input.ndim() != dims + 2))
    throw ShapeError(text(
        "pad: mode '", name_of(mode), "', pads ", listed(pads), ", input of sizes ", input.sizes(),
        "; one or two dims more than pairs are needed, which are ", "one to three"));
  for (int d = input.ndim() - dims; d < input.ndim(); ++d)
    check_dim(input, d, sides[static_cast<std::size_t>(d)], mode);
  Tensor out = input;
  AllSides added{};
  bool adds = false;
  for (int d = input.ndim() - dims; d < input.ndim(); ++d) {
    const Sides& side = sides[static_cast<std::size_t>(d)];
    Sides& more = added[static_cast<std::size_t>(d)];
    more = {std::max<std::int64_t>(side.before, 0), std::max<std::int64_t>(side.after, 0)};
    adds |= more.before + more.after > 0;
    if (mode != PadMode::circular || (side.before >= 0 && side.after >= 0)) continue;
    const std::int64_t first = std::max<std::int64_t>(-side.before, 0);
    const std::int64_t left = input.size(d) - first - std::max<std::int64_t>(-side.after, 0);
    check_dim(out = narrow(out, d, first, left), d, more, mode);  // what is left wraps
  }
  if (adds) out = pad_edges(out, added, mode);
  for (int d = input.ndim() - dims; d < input.ndim() && mode != PadMode::circular; ++d) {
    const Sides& side = sides[static_cast<std::size_t>(d)];
    if (side.before < 0 || side.after < 0)
      out = narrow(out, d, std::max<std::int64_t>(-side.before, 0),
                   input.size(d) + side.before + side.after);
  }
  return out == input ? row_major_copy(input) : contiguous(out);
}

}  // namespace garboard
