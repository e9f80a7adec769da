#include "csrc/ops/order/unique.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "csrc/core/error.h"
#include "csrc/core/outer_lock.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/fuse/expression.h"
#include "csrc/ops/index/gather.h"
#include "csrc/ops/index/indexing.h"
#include "csrc/ops/index/mask.h"
#include "csrc/ops/op/operators.h"
#include "csrc/ops/op/promotion.h"
#include "csrc/ops/order/order.h"
#include "csrc/ops/reduce/reduce.h"
#include "csrc/ops/reduce/scan.h"
#include "csrc/ops/shape/join.h"
#include "csrc/ops/shape/views.h"
#include "csrc/tensor/grad_node.h"
#include "kernels/run.h"

namespace garboard {
namespace {

const Operand one = Scalar::of(std::int64_t{1});

Tensor counted_up(std::int64_t count, Device device) {
  return arange(Scalar::of(std::int64_t{0}), Scalar::of(count), Scalar::of(std::int64_t{1}),
                DType::int64, device);
}

/// Of rows [count, width]: true where one differs from the row before it, and for the first.
Tensor starts_of_runs(const Tensor& rows) {
  const std::int64_t count = rows.size(0);
  const Tensor first = full({count > 0}, Scalar::of(true), DType::boolean, rows.device());
  if (count < 2) return first;
  const Tensor later = slice(rows, 0, 1, count - 1, 1), before = slice(rows, 0, 0, count - 1, 1);
  const Tensor differ = ne(later, before);
  const bool is_narrow = rows.size(1) == 1;
  return cat({first, is_narrow ? reshape(differ, {-1}) : any(differ, {Dims{1}, false})}, 0);
}

/// The order of rows by their first element, then by the second, and so on: sorted by the last one
/// first, each time stably.
Tensor order_of(const Tensor& rows) {
  Tensor order = counted_up(rows.size(0), rows.device());
  OuterLock::Turns turns;                               // each sort may be short, and columns many
  const int short_ones = rows.size(0) > 4096 ? 16 : 1;  // that one sort comes to
  for (std::int64_t column = rows.size(1) - 1; column >= 0; --column) {
    const Tensor keys = index_select(select(rows, 1, column), 0, order);
    order = index_select(order, 0, argsort(keys, 0, Direction::ascending));
    for (int i = 0; i < short_ones; ++i) turns.offer();
  }
  return order;
}

/// What the runs of `rows` come to; `order` is where each row came from, or empty.
Unique runs_of(const Tensor& rows, const Tensor& order, UniqueParts wanted) {
  const std::int64_t count = rows.size(0);
  const Tensor starts = starts_of_runs(rows);
  Unique found;
  if (wanted.inverse) found.inverse = cumsum(starts, 0) - one;
  if (wanted.inverse && order) {
    const Tensor by_place = empty_of("unique", {count}, DType::int64, rows.device());
    scatter_(by_place, 0, order, found.inverse);
    found.inverse = by_place;
  }
  if (!wanted.counts && rows.size(1) == 1) {
    found.values = reshape(masked_select(reshape(rows, {-1}), starts), {-1, 1});
    return found;
  }
  const Tensor places = reshape(nonzero(starts), {-1});
  const Tensor end = full({1}, Scalar::of(count), DType::int64, rows.device());
  const std::int64_t groups = places.count();
  const Tensor ends = slice(cat({places, end}, 0), 0, groups ? 1 : 0, groups, 1);
  found.values = index_select(rows, 0, places);
  found.counts = ends - places;
  return found;
}

Unique runs_of_elements(const Tensor& flat, const Tensor& order, UniqueParts wanted) {
  Unique result = runs_of(reshape(flat, {flat.count(), 1}), order, wanted);
  result.values = reshape(result.values, {-1});
  return result;
}

/// Integers by how far they are from the least of them, which is less than `size`.
struct FromLeast {
  Tensor distances, least;
  std::int64_t size;
};

/// Nothing where a table of `size` would be longer than the integers, or long.
std::optional<FromLeast> from_least_of(const Tensor& flat) {
  constexpr std::int64_t longest_table = std::int64_t{1} << 20;
  if (has_gradient(flat.dtype()) || flat.count() == 0) return {};
  const Tensor numbers = to(flat, DType::int64), least = amin(numbers), most = amax(numbers);
  const auto value_of = [](const Tensor& bound) {
    return *static_cast<const std::uint64_t*>(to(bound, Device()).data());
  };
  const std::uint64_t farthest = value_of(most) - value_of(least);
  if (farthest >= static_cast<std::uint64_t>(std::min(flat.count(), longest_table))) return {};
  return FromLeast{numbers - least, least, static_cast<std::int64_t>(farthest) + 1};
}

Unique sorted_elements(const Tensor& flat, UniqueParts wanted) {
  if (!wanted.inverse) return runs_of_elements(in_order(flat, 0), {}, wanted);
  const std::optional<FromLeast> close = from_least_of(flat);
  if (!close) {
    const ValuesAndIndices sorted = sort(flat, 0, Direction::ascending);
    return runs_of_elements(sorted.values, sorted.indices, wanted);
  }
  const Tensor& places = close->distances;
  Unique found = runs_of_elements(in_order(places, 0), {}, {.counts = wanted.counts});
  const Device device = flat.device();
  const Tensor table = empty_of("unique", {close->size}, DType::int64, device);
  scatter_(table, 0, found.values, counted_up(found.values.count(), device));
  found.inverse = index_select(table, 0, places);
  found.values = to(found.values + close->least, flat.dtype());
  return found;
}

/// What bounds of the elements themselves come to, for a range to be cut into bins.
void check_finite(const Tensor& low, const Tensor& high) {
  const auto value_of = [](const Tensor& bound) {
    return *static_cast<const double*>(to(bound, Device()).data());
  };
  const double from = value_of(low), end = value_of(high);
  if (std::isfinite(from) && std::isfinite(end)) return;
  throw ShapeError(
      text("histc: elements from ", from, " to ", end, "; finite ones are needed, or min and max"));
}

enum class Order : std::uint8_t { sorted, as_given };

Unique found(const char* op, const Tensor& input, std::optional<std::int64_t> given_dim, Order as,
             UniqueParts wanted) {
  const GradModeGuard no_grad(false);
  const Tensor x = detach(input);
  if (!given_dim) {
    Unique result = as == Order::sorted ? sorted_elements(reshape(x, {-1}), wanted)
                                        : runs_of_elements(reshape(x, {-1}), {}, wanted);
    if (wanted.inverse) result.inverse = reshape(result.inverse, input.sizes());
    return result;
  }
  const int dim = checked_dim(op, *given_dim, input.ndim());
  if (input.ndim() == 0)
    throw ShapeError(text(op, ": a tensor without dims along dim ", dim, "; leave dim out"));
  // Slices are compared in the order in which they lie, so the other dims keep theirs.
  Dims to_front, back;
  for (int d = 0; d < x.ndim(); ++d) {
    to_front.push_back(d == 0 ? dim : d <= dim ? d - 1 : d);
    back.push_back(d == dim ? 0 : d < dim ? d + 1 : d);
  }
  const Tensor turned = permute(x, to_front);
  const std::int64_t count = turned.size(0);
  if (x.count() == 0 && count > 0)
    throw ShapeError(text(op, ": slices without elements, of sizes ", input.sizes(),
                          "; at least one element each is needed"));
  const Tensor rows = reshape(turned, {count, count ? x.count() / count : 1});
  const Tensor order = as == Order::sorted ? order_of(rows) : Tensor();
  Unique result = runs_of(order ? index_select(rows, 0, order) : rows, order, wanted);
  Dims sizes = turned.sizes();
  sizes[0] = result.values.size(0);
  result.values = contiguous(permute(reshape(result.values, sizes), back));
  return result;
}

}  // namespace

Unique unique(const Tensor& input, std::optional<std::int64_t> dim, UniqueParts wanted) {
  return found("unique", input, dim, Order::sorted, wanted);
}

Unique unique_consecutive(const Tensor& input, std::optional<std::int64_t> dim,
                          UniqueParts wanted) {
  return found("unique_consecutive", input, dim, Order::as_given, wanted);
}

Tensor bincount(const Tensor& input, const Tensor& weights, std::int64_t minlength) {
  const GradModeGuard no_grad(false);
  if (input.ndim() != 1 || category_of(input.dtype()) != Category::integer)
    throw DTypeError(text("bincount: ", name_of(input.dtype()), " of sizes ", input.sizes(),
                          "; integers of one dim are needed"));
  if (minlength < 0)
    throw ShapeError(text("bincount: minlength ", minlength, "; 0 or more is needed"));
  if (weights && weights.sizes() != input.sizes())
    throw ShapeError(text("bincount: weights of sizes ", weights.sizes(), " for sizes ",
                          input.sizes(), "; they must be equal"));
  const Tensor numbers = to(input, DType::int64);
  const auto [least, largest] = kernels::run(kernels::IndexRange{numbers.view()}, input.device());
  if (least < 0)
    throw IndexOutOfRangeError(text("bincount: the number ", least, "; 0 or more is needed"));
  if (largest == std::numeric_limits<std::int64_t>::max())
    throw IndexOutOfRangeError(text("bincount: the number ", largest, "; it would take 2^63 bins"));
  const DType dtype = !weights                            ? DType::int64
                      : weights.dtype() == DType::float32 ? DType::float32
                                                          : DType::float64;
  const std::int64_t count = std::max(largest + 1, minlength);
  const Tensor out = zeros({count}, dtype, input.device());
  const Tensor added =
      weights
          ? to(detach(weights), dtype)
          : expand(full({1}, Scalar::of(std::int64_t{1}), dtype, input.device()), input.sizes());
  index_add_(out, 0, numbers, added);
  return out;
}

Tensor histc(const Tensor& input, std::int64_t bins, double low, double high) {
  const GradModeGuard no_grad(false);
  if (!is_floating(input.dtype()))
    throw DTypeError(text("histc: dtype ", name_of(input.dtype()),
                          "; a floating one is needed, as in x.float()"));
  if (bins < 1 || bins == std::numeric_limits<std::int64_t>::max())
    throw ShapeError(
        text("histc: ", bins, " bins; at least one is needed, and less than 2^63 - 1"));
  if (!(low <= high) || low - low != 0 || high - high != 0)
    throw ShapeError(text("histc: a range from ", low, " to ", high,
                          "; it must be finite, and its end no less than its start"));
  const Tensor x = reshape(detach(input), {-1});
  if (x.count() == 0) return zeros({bins}, input.dtype(), input.device());
  Tensor from = scalar_tensor(Scalar::of(low), DType::float64, input.device());
  Tensor end = scalar_tensor(Scalar::of(high), DType::float64, input.device());
  if (low == high) {
    from = to(amin(x), DType::float64);
    end = to(amax(x), DType::float64);
    const Tensor is_one = eq(from, end);
    from = where(is_one, from - 1.0, from);
    end = where(is_one, end + 1.0, end);
    check_finite(from, end);
  }
  const Tensor wide = to(x, DType::float64);
  const Expression is_inside = of<logical_and>(of<ge>(wide, from), of<le>(wide, end));
  const Expression scaled =
      of<div>(of<mul>(of<sub>(wide, from), static_cast<double>(bins)), end - from);
  const Expression place = of<minimum>(of<floor>(scaled), static_cast<double>(bins - 1));
  // One more place, behind the others, counts what lies outside.
  const Tensor places =
      to(of<garboard::where>(is_inside, place, static_cast<double>(bins)).made(), DType::int64);
  // Counted as integers: half types end at 2048, float32 at 2^24.
  const Tensor counts = zeros({bins + 1}, DType::int64, input.device());
  const Tensor single = full({1}, Scalar::of(std::int64_t{1}), DType::int64, input.device());
  index_add_(counts, 0, places, expand(single, places.sizes()));
  return to(narrow(counts, 0, 0, bins), input.dtype());
}

Tensor isin(const Tensor& elements, const Tensor& tests, bool invert) {
  const GradModeGuard no_grad(false);
  const DType dtype = promote(elements.dtype(), tests.dtype());
  const Tensor x = to(detach(elements), dtype);
  const std::int64_t count = tests.count();
  if (count == 0 || x.count() == 0)
    return full(x.sizes(), Scalar::of(invert), DType::boolean, x.device());
  const Tensor sorted =
      sort(reshape(to(detach(tests), dtype), {-1}), 0, Direction::ascending).values;
  const Tensor place = minimum(searchsorted("isin", sorted, x, false), Scalar::of(count - 1));
  const Tensor found = take(sorted, place);
  return invert ? ne(found, x) : eq(found, x);
}

}  // namespace garboard
